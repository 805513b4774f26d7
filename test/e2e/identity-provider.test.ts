import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { exportJWK, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serve } from '../../packages/helmdeck/src/server/process/serve.ts';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/test-server.ts';

const ISSUER = 'https://idp.example';
const NAME = `${ISSUER}#`;
const AUDIENCE = 'helmdeck-api';
const KEYS = generateKeyPairSync('ed25519');
let provider: Server;
let identity: Record<string, string>;
let folder: string;
let base: Record<string, string>;
let server: TestServer | undefined;

beforeAll(async () => {
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(KEYS.publicKey)), alg: 'EdDSA', kid: 'k' }] });
  provider = createServer((_request, response) => response.end(jwks));
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  identity = {
    HELMDECK_JWKS_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/jwks`,
    HELMDECK_JWT_ISSUER: ISSUER,
    HELMDECK_JWT_AUDIENCE: AUDIENCE,
  };
});
afterAll(() => provider.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-idp-'));
  base = { HELMDECK_DB: join(folder, 'x.db'), HELMDECK_MEMORY_KEY: 'a'.repeat(64) };
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function restart(env: Record<string, string>): Promise<TestServer> {
  await server?.close();
  server = await testServer({ env: { ...base, ...env } });
  return server;
}

const providerToken = (subject: string, claims: Record<string, unknown> = {}) =>
  new SignJWT({ sub: subject, iss: ISSUER, aud: AUDIENCE, jti: `jti-${subject}`, ...claims })
    .setProtectedHeader({ alg: 'EdDSA', kid: 'k' })
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(KEYS.privateKey);

const as = (token: string, method: string, path: string, body?: object) =>
  server!.call(undefined, method, `/api/v1/${path}`, body, { authorization: `Bearer ${token}` });
const factOf = async (token: string) => {
  const answer = await as(token, 'GET', 'memory/facts/k');
  return answer.status === 200 ? ((await answer.json()) as { value: string }).value : answer.status;
};
const store = (token: string, value: string) => as(token, 'POST', 'memory/store', { key: 'k', value });

describe('an identity provider', () => {
  it("a provider's admin and the local admin have separate memories, on REST and MCP", async () => {
    await restart(identity);
    const [local, theirs] = [
      await server!.token('admin', { scopes: ['admin'] }),
      await providerToken('admin'),
    ];
    await store(local, 'of the local admin');
    expect(await factOf(theirs)).toBe(404);
    await store(theirs, "of the provider's admin");
    expect([await factOf(local), await factOf(theirs)]).toEqual([
      'of the local admin',
      "of the provider's admin",
    ]);
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'memory_recall', arguments: { query: 'admin' } },
    };
    const accept = 'application/json, text/event-stream';
    const headers = { authorization: `Bearer ${theirs}`, accept };
    const recalled = await (
      await server!.call(undefined, 'POST', '/api/v1/mcp/memory', message, headers)
    ).text();
    expect(recalled).toContain("of the provider's admin");
    expect(recalled).not.toContain('of the local admin');
    expect(await (await as(theirs, 'GET', 'memory/mine')).json()).toMatchObject({ scope: 'caller=admin' });
  });

  it('an admin finds, reads, revokes and erases the callers of a provider by their full names, audited', async () => {
    await restart(identity);
    const admin = await server!.token('root', { scopes: ['admin'] });
    const ada = await providerToken('ada');
    await store(ada, 'hers');
    await store(await server!.token('ada'), 'of the local ada');
    const activity = { tokens: 0, last_call_at: null, last_write_at: expect.any(String) };
    expect(await (await as(admin, 'GET', 'memory/callers')).json()).toEqual({
      callers: [
        { namespace: 'ada', count: 1, ...activity },
        { namespace: `${NAME}ada`, count: 1, ...activity },
      ],
    });
    const read = await as(admin, 'GET', `memory/facts/k?caller=${encodeURIComponent(`${NAME}ada`)}`);
    expect(await read.json()).toMatchObject({ value: 'hers' });
    expect((await server!.memory!.audit.list(undefined, 1))[0]).toMatchObject({ target: `${NAME}ada` });
    const minted = await as(ada, 'POST', 'tokens');
    const own = (await minted.json()) as { token: string; subject: string };
    expect(own.subject).toBe(`${NAME}ada`);
    expect(await factOf(own.token)).toBe('hers');
    await as(admin, 'POST', 'memory/forget', { scope: 'erase', caller: `${NAME}ada` });
    expect(await factOf(ada)).toBe(404);
    expect(await factOf(await server!.token('ada'))).toBe('of the local ada');
    await as(admin, 'POST', 'tokens/revoke', { subject: `${NAME}ada` });
    expect([await factOf(ada), await factOf(own.token)]).toEqual([401, 401]);
    expect(await factOf(await server!.token('ada'))).toBe('of the local ada');
  });

  it('a token of a provider is revoked by its jti, by an admin or its own subject', async () => {
    await restart(identity);
    const admin = await server!.token('root', { scopes: ['admin'] });
    const [ada, bob] = [await providerToken('ada'), await providerToken('bob')];
    expect((await as(admin, 'DELETE', 'tokens/jti-ada')).status).toBe(200);
    expect((await as(bob, 'DELETE', 'tokens/jti-bob')).status).toBe(200);
    expect([await factOf(ada), await factOf(bob)]).toEqual([401, 401]);
  });

  it("the provider's scope admin gives no rights unless HELMDECK_JWT_ADMIN is 1", async () => {
    const token = await providerToken('ada', { scopes: ['admin', 'memory:read'] });
    await restart(identity);
    expect((await as(token, 'GET', 'audit')).status).toBe(403);
    expect((await as(token, 'GET', 'memory/facts')).status).toBe(200);
    await restart({ ...identity, HELMDECK_JWT_ADMIN: '1' });
    expect((await as(token, 'GET', 'audit')).status).toBe(200);
  });

  it('an upgraded server does not start before the operator has said whose the existing memories are', async () => {
    await restart({});
    for (const subject of ['ada', 'bob', 'admin']) await store(await server!.token(subject), `of ${subject}`);
    await restart(identity);
    const refused = await as(await providerToken('ada'), 'GET', 'memory/facts/k');
    expect(await refused.json()).toMatchObject({ error: 'memory_unavailable', reason: 'issuer_undecided' });
    expect(await factOf(await server!.token('ada'))).toBe('of ada');
    await server!.close();
    server = undefined;
    const terminal = { in: new PassThrough(), out: new PassThrough(), err: new PassThrough() };
    const env = { ...base, ...identity, HELMDECK_ADDR: '127.0.0.1:0', HELMDECK_LOG_LEVEL: 'silent' };
    await expect(serve(env, { init: false, json: false, watchPacks: false }, terminal)).rejects.toMatchObject(
      {
        code: 'invalid_input',
        message: expect.stringContaining('(2)'),
        hint: expect.stringContaining('HELMDECK_JWT_ADOPT'),
      },
    );

    await restart({ ...identity, HELMDECK_JWT_ADOPT: 'ada' });
    expect((await server!.memory!.audit.list(undefined, 1))[0]).toMatchObject({ action: 'callers.adopt' });
    await restart(identity);
    expect(await factOf(await providerToken('ada'))).toBe('of ada');
    expect(await factOf(await providerToken('bob'))).toBe(404);
    expect(await factOf(await providerToken('admin'))).toBe(404);
  });
});
