import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { createLoginGuard, type LoginGuard } from './login-guard.ts';

const clock = fakeClock();
const guard = () => createLoginGuard({ username: 'admin', password: 'right', now: clock.now });
const codeOf = async (run: () => Promise<unknown>) => {
  try {
    await run();
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
  return 'ok';
};

/** An address of its own IPv4 network for every index. */
const addressOf = (index: number) => `${20 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}.7`;
const lockOut = async (login: LoginGuard, address: string) => {
  for (let count = 0; count < 5; count++) await codeOf(() => login.check('admin', 'wrong', address));
};

describe('the login guard', () => {
  it('five wrong passwords lock an address out, even with the right password', async () => {
    const login = guard();
    const attempt = (password: string) => codeOf(() => login.check('admin', password, '10.0.0.1'));
    for (let count = 0; count < 5; count++) expect(await attempt('wrong')).toBe('invalid_credentials');
    expect(await attempt('right')).toBe('rate_limited');
    clock.advance(29_999);
    expect(await attempt('right')).toBe('rate_limited');
    clock.advance(1);
    expect(await attempt('right')).toBe('ok');
    expect(await attempt('wrong'), 'a success resets the count').toBe('invalid_credentials');
  });

  it('five failures with different names lock the address out', async () => {
    const login = guard();
    for (let count = 0; count < 5; count++) await codeOf(() => login.check(`user${count}`, 'x', '10.0.0.1'));
    expect(await codeOf(() => login.check('admin', 'right', '10.0.0.1'))).toBe('rate_limited');
    expect(await codeOf(() => login.check('admin', 'right', '10.0.0.2'))).toBe('ok');
  });

  it('an attacker at one address, who tries again after every lock-out, never locks another address out', async () => {
    const login = guard();
    await lockOut(login, '203.0.113.9');
    for (let hour = 0; hour < 24 * 30; hour += 0.25) {
      clock.advance(900_000);
      expect(await codeOf(() => login.check('admin', 'wrong', '203.0.113.9'))).toBe('invalid_credentials');
      expect(await codeOf(() => login.check('admin', 'right', addressOf(hour * 4)))).toBe('ok');
    }
  });

  it('the addresses of one IPv6 /64 network are locked out together, others are not', async () => {
    const login = guard();
    for (let count = 0; count < 5; count++)
      await codeOf(() => login.check('admin', 'x', `2001:db8:0:1::${count + 1}`));
    expect(await codeOf(() => login.check('admin', 'right', '2001:db8::1:ffff:0:0:1'))).toBe('rate_limited');
    expect(await codeOf(() => login.check('admin', 'right', '2001:db8:0:2::1'))).toBe('ok');
  });

  it('an IPv4 address is the same one when an IPv6 socket reports it', async () => {
    const login = guard();
    await lockOut(login, '::ffff:10.0.0.1');
    expect(await codeOf(() => login.check('admin', 'right', '10.0.0.1'))).toBe('rate_limited');
  });

  it('each further failure doubles the lock-out, up to 15 minutes, and the error says how long to wait', async () => {
    const login = guard();
    const waits: number[] = [];
    await lockOut(login, '10.0.0.1');
    for (let round = 0; round < 8; round++) {
      try {
        await login.check('admin', 'right', '10.0.0.1');
      } catch (thrown) {
        const { retryAfterSeconds } = thrown as { retryAfterSeconds: number };
        waits.push(retryAfterSeconds);
        clock.advance(retryAfterSeconds * 1000);
      }
      await codeOf(() => login.check('admin', 'x', '10.0.0.1'));
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900, 900]);
  });

  it('a lock-out stays, however many other addresses fail after it', async () => {
    const login = guard();
    // Proven addresses, so that the shared budget does not stop the flood.
    for (let index = 0; index < 900; index++) await login.check('admin', 'right', addressOf(index));
    await lockOut(login, '127.0.0.1');
    for (let index = 0; index < 900; index++) await lockOut(login, addressOf(index));
    for (let index = 0; index < 900; index++)
      expect(await codeOf(() => login.check('admin', 'right', addressOf(index)))).toBe('rate_limited');
    for (let index = 1; index < 11_000; index++)
      await codeOf(() => login.check('admin', 'wrong', `127.${index >> 8}.${index & 255}.9`));
    expect(await codeOf(() => login.check('admin', 'right', '127.0.0.1'))).toBe('rate_limited');
  });

  it('guessing from many addresses is slowed down to one try in 30 seconds', async () => {
    const login = guard();
    const tries = async (from: number, count: number) => {
      let allowed = 0;
      for (let index = 0; index < count; index++) {
        const code = await codeOf(() => login.check('admin', 'wrong', addressOf(from + index)));
        if (code === 'invalid_credentials') allowed++;
      }
      return allowed;
    };
    expect(await tries(0, 5_000)).toBe(100);
    clock.advance(29_999);
    expect(await tries(5_000, 10)).toBe(0);
    clock.advance(1);
    expect(await tries(6_000, 10)).toBe(1);
    clock.advance(86_400_000);
    expect(await tries(7_000, 5_000), 'the budget never exceeds its start').toBe(100);
  });

  it('guessing from many addresses locks out neither an address that logged in before nor the machine itself', async () => {
    const login = guard();
    await login.check('admin', 'right', '192.0.2.1');
    for (let index = 0; index < 20_000; index++)
      await codeOf(() => login.check(`name ${index}`, 'wrong', addressOf(index)));
    expect(await codeOf(() => login.check('admin', 'right', '192.0.2.2')), 'a new address').toBe(
      'rate_limited',
    );
    expect(await codeOf(() => login.check('admin', 'right', '192.0.2.1'))).toBe('ok');
    expect(await codeOf(() => login.check('admin', 'right', '127.0.0.1'))).toBe('ok');
    expect(await codeOf(() => login.check('admin', 'right', '::1'))).toBe('ok');
  });

  it('the guard keeps no user names, so that long ones take no memory', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const login = guard();
    const heapBytes = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = heapBytes();
    for (let index = 0; index < 90; index++) {
      const name = Buffer.alloc(1_000_000, `${index} `).toString('latin1');
      expect(await codeOf(() => login.check(name, 'wrong', addressOf(index)))).toBe('invalid_credentials');
    }
    expect(heapBytes() - before).toBeLessThan(10_000_000);
    expect(await codeOf(() => login.check('admin', 'right', '192.0.2.1'))).toBe('ok');
  });

  it('failures expire after an hour without another', async () => {
    const login = guard();
    for (let count = 0; count < 4; count++) await codeOf(() => login.check('admin', 'x', '10.0.0.1'));
    clock.advance(3_600_000);
    expect(await codeOf(() => login.check('admin', 'x', '10.0.0.1'))).toBe('invalid_credentials');
    expect(await codeOf(() => login.check('admin', 'right', '10.0.0.1'))).toBe('ok');
  });

  it('a wrong name and a wrong password give the same error', async () => {
    const messages: string[] = [];
    for (const [name, password] of [
      ['admin', 'wrong'],
      ['nobody', 'right'],
      ['', ''],
    ]) {
      const refusal = guard().check(name!, password!, '10.0.0.1');
      messages.push(
        await refusal.then(
          () => 'let in',
          (thrown: Error) => thrown.message,
        ),
      );
    }
    expect(new Set(messages)).toEqual(new Set(['The user name or the password is wrong.']));
  });

  it('without a configured password every login fails, even with an empty password', async () => {
    const off = createLoginGuard({ username: 'admin', now: clock.now });
    expect(await codeOf(() => off.check('admin', '', '10.0.0.1'))).toBe('login_disabled');
  });
});

describe('POST /api/v1/auth/login', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await testServer({ now: clock.now, env: { HELMDECK_ADMIN_PASSWORD: 'correct horse' } });
  });
  afterEach(() => server.close());
  const logIn = (password: unknown, username: unknown = 'admin') =>
    server.call(undefined, 'POST', '/api/v1/auth/login', { username, password });

  it("a login returns an admin token for 12 hours, which opens the admin's memory", async () => {
    const response = (await (await logIn('correct horse')).json()) as { token: string; expires_at: string };
    expect(response).toEqual({
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      subject: 'admin',
      expires_at: new Date(clock.now() + 43_200_000).toISOString(),
    });
    const headers = { authorization: `Bearer ${response.token}` };
    expect((await server.call(undefined, 'GET', '/api/v1/audit', undefined, headers)).status).toBe(200);
    await server.call('admin', 'POST', '/api/v1/memory/store', { key: 'a', value: 'b' });
    expect((await server.call(undefined, 'GET', '/api/v1/memory/facts/a', undefined, headers)).status).toBe(
      200,
    );
    clock.advance(43_200_000);
    expect((await server.call(undefined, 'GET', '/api/v1/audit', undefined, headers)).status).toBe(401);
  });

  it('a lock-out returns 429 with Retry-After, and the audit does not contain the name that was tried', async () => {
    for (let count = 0; count < 5; count++) expect((await logIn('guess')).status).toBe(401);
    const locked = await logIn('correct horse');
    expect(locked.status).toBe(429);
    expect(locked.headers.get('retry-after')).toBe('30');
    expect(await locked.json()).toMatchObject({ error: 'rate_limited', reason: 'locked_out' });
    const records = await server.memory!.audit.list(undefined, 10);
    // Attempts during a lock-out are not recorded: an attacker could fill the audit with them.
    expect(records.map(({ action, actor }) => `${action} ${actor}`)).toEqual(
      Array(5).fill('login.failed unknown'),
    );
  });

  it.each([
    [{}, 400],
    [{ username: 'admin' }, 400],
    [{ username: 'admin', password: 1 }, 400],
    [{ username: 'admin', password: 'correct horse', more: 1 }, 400],
    [{ username: 'ADMIN', password: 'correct horse' }, 401],
    [{ username: 'admin', password: 'correct horse ' }, 401],
  ])('a login with %j gets %i', async (body, status) => {
    expect((await server.call(undefined, 'POST', '/api/v1/auth/login', body)).status).toBe(status);
  });

  it('login is disabled if no password is configured', async () => {
    const off = await testServer();
    const response = await off.call(undefined, 'POST', '/api/v1/auth/login', {
      username: 'admin',
      password: '',
    });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: 'login_disabled' });
    await off.close();
  });
});
