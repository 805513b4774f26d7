import { readdirSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConnectReport } from '../../../packages/helmdeck/src/surfaces/cli/connect/connect-report.ts';
import { fakeClock } from '../../../packages/helmdeck/src/testing/fake-clock.ts';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { type ConnectSandbox, createConnectSandbox } from './connect-sandbox.ts';

interface Code {
  code: string;
  jti: string;
  scopes: string[];
  expires_at: string;
}

const CODE_MS = 600_000;
const SCOPES = ['memory:read', 'memory:write'];
const clock = fakeClock();
let server: TestServer;
let sandbox: ConnectSandbox | undefined;
beforeEach(async () => {
  await server?.close();
  server = await testServer({ socket: true, now: clock.now });
});
afterEach(() => {
  sandbox?.remove();
  sandbox = undefined;
});
afterAll(() => server?.close());

const as = (token: string, method: string, path: string, body?: object) =>
  server.call(undefined, method, `/api/v1/${path}`, body, { authorization: `Bearer ${token}` });
const adminToken = () => server.token('ada', { scopes: ['admin'] });
async function makeCode(token: string, body: object = { client: 'cursor', scopes: SCOPES }): Promise<Code> {
  const answer = await as(token, 'POST', 'connect-codes', body);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Code;
}
const redeem = (code: string) => server.call(undefined, 'POST', '/api/v1/connect-codes/redeem', { code }, {});

describe('a connect code', () => {
  it('is redeemed for the announced token, once, also by several at the same time and typed in lower case', async () => {
    const made = await makeCode(await adminToken(), { client: 'cursor', name: 'laptop', scopes: SCOPES });
    expect(made).toMatchObject({ code: expect.stringMatching(/^[\dA-Z]{4}-[\dA-Z]{4}$/), scopes: SCOPES });
    const typed = made.code.toLowerCase().replace('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l');
    const answers = await Promise.all([redeem(typed), redeem(made.code), redeem(made.code)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const minted = (await answers.find(({ status }) => status === 200)!.json()) as Record<string, string>;
    expect(minted).toMatchObject({ jti: made.jti, subject: 'ada', client: 'cursor', name: 'laptop' });
    const session = await (await as(minted.token!, 'GET', 'auth/session')).json();
    expect(session).toMatchObject({ subject: 'ada', scopes: SCOPES, jti: made.jti });
  });

  it('is refused after ten minutes, and after the token that made it was revoked', async () => {
    const { code } = await makeCode(await adminToken());
    clock.advance(CODE_MS);
    expect((await redeem(code)).status).toBe(401);
    const maker = await adminToken();
    const late = await makeCode(maker);
    const { jti } = (await (await as(maker, 'GET', 'auth/session')).json()) as { jti: string };
    await as(await adminToken(), 'DELETE', `tokens/${jti}`);
    const refused = await redeem(late.code);
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ error: 'token_revoked' });
  });

  it('is refused after the tokens of its subject were revoked, and after its own token was', async () => {
    const admin = await adminToken();
    const forGina = await makeCode(admin, { subject: 'gina' });
    clock.advance(2_000);
    expect((await as(admin, 'POST', 'tokens/revoke', { subject: 'gina' })).status).toBe(200);
    expect((await redeem(forGina.code)).status).toBe(401);
    const own = await makeCode(admin);
    await as(admin, 'DELETE', `tokens/${own.jti}`);
    expect((await redeem(own.code)).status).toBe(401);
  });

  it('cannot be guessed for longer by redeeming codes of one’s own in between', async () => {
    const from = { 'x-forwarded-for': '203.0.113.9' };
    await server.close();
    const env = { HELMDECK_TRUSTED_PROXIES: '127.0.0.1' };
    server = await testServer({ socket: true, now: clock.now, env });
    const token = await server.token('bob', { scopes: ['memory:read'] });
    const guess = (code: string) =>
      fetch(`${server.url}/api/v1/connect-codes/redeem`, {
        method: 'POST',
        headers: { ...from, 'content-type': 'application/json' },
        body: JSON.stringify({ code }),
      });
    const statuses: number[] = [];
    for (let round = 0; round < 3; round++) {
      for (let wrong = 0; wrong < 2; wrong++) statuses.push((await guess('0000-0000')).status);
      statuses.push((await guess((await makeCode(token, {})).code)).status);
    }
    expect(statuses).toEqual([401, 401, 200, 401, 401, 200, 401, 429, 429]);
  });

  it('exists at most 20 times per caller', async () => {
    const token = await adminToken();
    for (let count = 0; count < 20; count++) await makeCode(token);
    const answer = await as(token, 'POST', 'connect-codes', {});
    expect([answer.status, await answer.json()]).toMatchObject([429, { error: 'quota_exceeded' }]);
    await makeCode(await server.token('bob', { scopes: ['memory:read'] }), {});
    clock.advance(CODE_MS);
    await makeCode(await adminToken());
  });

  it('grants no more than its maker has, and not for longer', async () => {
    const weak = await server.token('bob', { scopes: ['memory:read'], ttlSeconds: 300 });
    expect((await as(weak, 'POST', 'connect-codes', { scopes: ['memory:write'] })).status).toBe(403);
    expect((await as(weak, 'POST', 'connect-codes', { subject: 'ada' })).status).toBe(403);
    const made = await makeCode(weak, { client: 'cursor' });
    expect(Date.parse(made.expires_at) - clock.now()).toBeLessThanOrEqual(300_000);
    const minted = (await (await redeem(made.code)).json()) as { expires_at: string; scopes: string[] };
    expect(minted.scopes).toEqual(['memory:read']);
    expect(Date.parse(minted.expires_at) - clock.now()).toBeLessThanOrEqual(300_000);
  });

  it('cannot be guessed: wrong codes lock out, also if they are sent at the same time', async () => {
    const { code } = await makeCode(await adminToken());
    const answers = await Promise.all(Array.from({ length: 12 }, () => redeem('0000-0000')));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(7);
    expect((await redeem(code)).status).toBe(429);
  });
});

describe('helmdeck connect --code', () => {
  const run = async (...args: string[]) => {
    sandbox ??= await createConnectSandbox(undefined);
    return sandbox.run('connect', ...args);
  };

  it('connects a machine that has no token of its own', async () => {
    const { code, jti } = await makeCode(await adminToken());
    const {
      code: exit,
      out,
      err,
    } = await run(
      ...['cursor', '--write', '--auto-recall', '--code', code, '--server', server.url, '--json'],
    );
    expect(err).toBe('');
    expect(exit).toBe(0);
    const report = JSON.parse(out) as ConnectReport;
    expect(report).toMatchObject({
      written: true,
      subject: 'ada',
      token: { state: 'new', jti, scopes: SCOPES },
    });
    expect(report.check!.tools).toContain('memory_recall');
    const token = /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(sandbox!.read('.cursor', 'mcp.json'))![0];
    expect((await as(token, 'GET', 'auth/session')).status).toBe(200);
  });

  it('refuses a code of another client and revokes its token, and changes no file', async () => {
    const token = await adminToken();
    const { code, jti } = await makeCode(token);
    const { code: exit, err } = await run('codex', '--write', '--code', code, '--server', server.url);
    expect(exit).not.toBe(0);
    expect(err).toContain('This code is not for codex.');
    expect(readdirSync(sandbox!.home)).toEqual([]);
    const { tokens } = (await (await as(token, 'GET', 'tokens')).json()) as {
      tokens: { jti: string; revoked_at: string | null }[];
    };
    expect(tokens.find((each) => each.jti === jti)!.revoked_at).not.toBeNull();
  });

  it.each([
    ['a dry run, which would use the code up', ['cursor', '--code', 'A'], 'needs --write'],
    ['--remove', ['cursor', '--code', 'A', '--remove', '--write'], 'do not go together'],
    ['--ttl', ['cursor', '--code', 'A', '--ttl', '1d', '--write'], 'do not go together'],
    ['--server without --code', ['cursor', '--server', 'http://127.0.0.1:9'], '--server goes with --code'],
  ])('refuses %s', async (_name, args, message) => {
    const { code, err } = await run(...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
