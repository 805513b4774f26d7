import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { createLoginGuard } from './login-guard.ts';

const clock = fakeClock();
const guard = () => createLoginGuard({ username: 'admin', password: 'right', now: clock.now });
const codeOf = (run: () => void) => {
  try {
    run();
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
  return 'ok';
};

describe('the login guard', () => {
  it('five wrong passwords lock a user name out, even with the right password', () => {
    const login = guard();
    const attempt = (password: string, address = '10.0.0.1') =>
      codeOf(() => login.check('admin', password, address));
    for (let count = 0; count < 5; count++) expect(attempt('wrong')).toBe('invalid_credentials');
    expect(attempt('right')).toBe('rate_limited');
    expect(attempt('right', '10.0.0.2'), 'from anywhere').toBe('rate_limited');
    clock.advance(29_999);
    expect(attempt('right')).toBe('rate_limited');
    clock.advance(1);
    expect(attempt('right')).toBe('ok');
    expect(attempt('wrong'), 'a success resets the count').toBe('invalid_credentials');
  });

  it('five failures with different names lock the address out', () => {
    const login = guard();
    for (let count = 0; count < 5; count++) codeOf(() => login.check(`user${count}`, 'x', '10.0.0.1'));
    expect(codeOf(() => login.check('admin', 'right', '10.0.0.1'))).toBe('rate_limited');
    expect(codeOf(() => login.check('admin', 'right', '10.0.0.2'))).toBe('ok');
  });

  it('each further failure doubles the lock-out, up to 15 minutes, and the error says how long to wait', () => {
    const login = guard();
    const waits: number[] = [];
    for (let count = 0; count < 5; count++) codeOf(() => login.check('admin', 'x', 'a'));
    for (let round = 0; round < 8; round++) {
      try {
        login.check('admin', 'right', 'a');
      } catch (thrown) {
        const { retryAfterSeconds } = thrown as { retryAfterSeconds: number };
        waits.push(retryAfterSeconds);
        clock.advance(retryAfterSeconds * 1000);
      }
      codeOf(() => login.check('admin', 'x', 'a'));
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900, 900]);
  });

  it('a lock-out stays until 10,000 other names and addresses have failed after it', () => {
    const login = guard();
    const fail = (name: string) => codeOf(() => login.check(name, 'x', `from ${name}`));
    for (let count = 0; count < 4_000; count++) fail(`early ${count}`);
    for (let count = 0; count < 5; count++) codeOf(() => login.check('admin', 'x', 'a'));
    // Two entries per failure: the user name and the address.
    for (let count = 0; count < 4_990; count++) fail(`late ${count}`);
    expect(codeOf(() => login.check('admin', 'right', 'b'))).toBe('rate_limited');
  });

  it('attempts that a lock-out rejects do not evict the lock-out of another name', () => {
    const login = guard();
    const lockOut = (name: string, address: string) => {
      for (let count = 0; count < 5; count++) codeOf(() => login.check(name, 'x', address));
    };
    const others = Array.from({ length: 4_998 }, (_, count) => `other ${count}`);
    for (const name of others) codeOf(() => login.check(name, 'x', `from ${name}`));
    lockOut('admin', 'a');
    for (const name of others) codeOf(() => login.check(name, 'x', 'a')); // the address is locked out
    for (let count = 0; count < 50; count++) codeOf(() => login.check(`new ${count}`, 'x', `b${count}`));
    expect(codeOf(() => login.check('admin', 'right', 'c'))).toBe('rate_limited');
  });

  it('failures expire after an hour without another', () => {
    const login = guard();
    for (let count = 0; count < 4; count++) codeOf(() => login.check('admin', 'x', 'a'));
    clock.advance(3_600_000);
    expect(codeOf(() => login.check('admin', 'x', 'a'))).toBe('invalid_credentials');
    expect(codeOf(() => login.check('admin', 'right', 'a'))).toBe('ok');
  });

  it('a wrong name and a wrong password give the same error', () => {
    const messages = [
      ['admin', 'wrong'],
      ['nobody', 'right'],
      ['', ''],
    ].map(([name, password]) => {
      try {
        guard().check(name!, password!, 'a');
      } catch (thrown) {
        return (thrown as Error).message;
      }
      return 'let in';
    });
    expect(new Set(messages)).toEqual(new Set(['The user name or the password is wrong.']));
  });

  it('without a configured password every login fails, even with an empty password', () => {
    const off = createLoginGuard({ username: 'admin', now: clock.now });
    expect(codeOf(() => off.check('admin', '', 'a'))).toBe('login_disabled');
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
