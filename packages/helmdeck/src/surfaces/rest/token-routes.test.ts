import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';

const SECRET = 'test-secret-test-secret-test-secret-32';
const clock = fakeClock();
let server: TestServer;
beforeEach(async () => {
  server = await testServer({ now: clock.now, env: { HELMDECK_RATE_LIMIT: 'off' } });
});
afterEach(() => server.close());

const as = (token: string, method: string, path: string, body?: object) =>
  server.call(undefined, method, `/api/v1/${path}`, body, { authorization: `Bearer ${token}` });
const works = async (token: string) => (await as(token, 'GET', 'auth/session')).status === 200;

interface Minted {
  token: string;
  jti: string;
  scopes: string[];
}

/** Mints a token with another one. */
async function mint(token: string, body: object = {}): Promise<Minted> {
  const answer = await as(token, 'POST', 'tokens', body);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Minted;
}

/** A token of another program that has the secret: this server has never seen it. */
function foreign(subject: string, claims: Record<string, unknown> = {}): Promise<string> {
  const seconds = Math.floor(clock.now() / 1000);
  return new SignJWT({ sub: subject, iss: 'helmdeck', iat: seconds, exp: seconds + 3600, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(SECRET));
}

const revoke = async (token: string, jti: string) => {
  const answer = await as(token, 'DELETE', `tokens/${jti}`);
  return { status: answer.status, ...((await answer.json()) as Record<string, unknown>) };
};
const lastRecord = async () => (await server.memory!.audit.list(undefined, 1))[0];

describe('revoking a token', () => {
  it("a token may revoke its subject's tokens with no more scopes than its own, and no others", async () => {
    const admin = await foreign('ada', { scopes: ['admin'] });
    const strong = await mint(admin, { scopes: ['admin'] });
    const vault = await mint(admin, { scopes: ['memory:read', 'vault:read'] });
    const weak = await mint(admin, { scopes: ['memory:read'] });
    const other = await mint(admin, { scopes: ['memory:read'] });
    const none = await mint(admin, { scopes: [] });
    for (const [token, jti] of [
      [weak.token, strong.jti],
      [weak.token, vault.jti],
      [none.token, weak.jti],
    ]) {
      expect(await revoke(token!, jti!)).toMatchObject({ status: 403, error: 'insufficient_scope' });
    }
    expect((await (await as(weak.token, 'GET', 'tokens')).json()) as object).toMatchObject({
      tokens: { length: 5 },
    });
    for (const { token } of [strong, vault, weak, other, none]) expect(await works(token)).toBe(true);
    expect(await revoke(weak.token, other.jti)).toMatchObject({ status: 200, known: true });
    expect(await revoke(strong.token, vault.jti)).toMatchObject({ status: 200, known: true });
    expect([await works(other.token), await works(vault.token)]).toEqual([false, false]);
  });

  it('revoking a token revokes what was minted with it, at every depth, and nothing else', async () => {
    const root = await mint(await foreign('ada'), {});
    const child = await mint(root.token);
    const grandchild = await mint(child.token, { scopes: ['memory:read'] });
    const sibling = await mint(await foreign('ada'));
    expect(await revoke(sibling.token, root.jti)).toMatchObject({ status: 200, tokens: 3 });
    expect(await Promise.all([root, child, grandchild, sibling].map(({ token }) => works(token)))).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect(await lastRecord()).toMatchObject({
      action: 'token.revoke',
      actor: 'ada',
      target: 'ada',
      detail: `jti ${root.jti} and 2 minted with it`,
    });
  });

  it('tokens that a stolen admin token minted for others are revoked with it', async () => {
    const stolen = await mint(await foreign('root', { scopes: ['admin'] }), { scopes: ['admin'] });
    const forBob = await mint(stolen.token, { subject: 'bob' });
    await revoke(await foreign('root', { scopes: ['admin'] }), stolen.jti);
    expect(await works(forBob.token)).toBe(false);
  });

  it('signing out ends the browser session and leaves the tokens that were minted in it', async () => {
    const { token, record } = await server.auth.mint({
      caller: { subject: 'admin' },
      scopes: ['admin'],
      ttlSeconds: 3600,
      client: 'browser',
    });
    await server.memory!.tokens.add(record);
    const client = await mint(token, { scopes: ['memory:read'] });
    expect(await (await as(token, 'DELETE', 'auth/session')).json()).toEqual({ revoked: true });
    expect([await works(token), await works(client.token)]).toEqual([false, true]);
  });

  it('a token minted while the minting one is revoked elsewhere is revoked as well', async () => {
    const parent = await mint(await foreign('ada'));
    const { tokens } = server.memory!;
    const { refresh } = tokens;
    // Another node revokes after this node has verified the token and before it has written the new one.
    tokens.refresh = async () => {
      tokens.refresh = refresh;
      await tokens.revoke(parent.jti);
      await refresh();
    };
    expect((await as(parent.token, 'POST', 'tokens')).status).toBe(401);
    const listed = (await tokens.list({ subject: 'ada' })).filter(({ revoked_at }) => revoked_at === null);
    expect(listed).toEqual([]);
  });
});

describe('the list of callers', () => {
  it('an admin sees how many valid tokens each caller has, when one was last used, and when a fact was last written', async () => {
    const admin = await foreign('root', { scopes: ['admin'] });
    const list = async (token: string) =>
      ((await (await as(token, 'GET', 'memory/callers')).json()) as { callers: object[] }).callers;
    const [first, second] = [await mint(admin, { subject: 'ada' }), await mint(admin, { subject: 'ada' })];
    clock.advance(1_000);
    const writtenAt = new Date(clock.now()).toISOString();
    await as(first.token, 'POST', 'memory/store', { key: 'city', value: 'Porto' });
    clock.advance(60_000);
    const calledAt = new Date(clock.now()).toISOString();
    await as(first.token, 'GET', 'memory/facts');
    await server.call('bob', 'POST', '/api/v1/memory/store', { key: 'city', value: 'Oslo' });
    await revoke(admin, second.jti);
    expect(await list(admin)).toEqual([
      { namespace: 'ada', count: 1, tokens: 1, last_call_at: calledAt, last_write_at: writtenAt },
      { namespace: 'bob', count: 1, tokens: 0, last_call_at: null, last_write_at: calledAt },
    ]);
    expect(await list(first.token)).toEqual([{ namespace: 'ada', count: 1 }]);
  });
});

describe('revoking tokens that were not minted here', () => {
  it('an admin revokes such a token by its id, with what it minted', async () => {
    const admin = await foreign('root', { scopes: ['admin'] });
    const jti = randomUUID();
    const token = await foreign('ada', { jti });
    const minted = await mint(token);
    expect(await revoke(admin, jti)).toEqual({ status: 200, revoked: true, known: false, tokens: 1 });
    const refused = await as(token, 'GET', 'auth/session');
    expect([refused.status, await refused.json()]).toMatchObject([401, { error: 'token_revoked' }]);
    expect(await works(minted.token)).toBe(false);
    expect(await works(await foreign('ada', { jti: 'another' }))).toBe(true);
    expect(await lastRecord()).toMatchObject({ action: 'token.revoke', actor: 'root' });
  });

  it("a caller revokes its own such token by its id; another caller's with that id, and stronger ones, stay valid", async () => {
    const mine = await foreign('ada', { jti: 'x' });
    const strong = await foreign('ada', { jti: 'x', scopes: ['admin'] });
    const bobs = await foreign('bob', { jti: 'x' });
    const bobsChild = await mint(bobs);
    const inTenant = await foreign('ada', { jti: 'x', tenant: 'acme' });
    expect(await revoke(await foreign('ada'), 'x')).toMatchObject({ status: 200, known: false });
    expect(await Promise.all([mine, strong, bobs, bobsChild.token, inTenant].map(works))).toEqual([
      false,
      true,
      true,
      true,
      true,
    ]);
  });

  it('all tokens of a subject issued up to now are revoked, wherever they were minted, and later ones are not', async () => {
    const admin = await foreign('root', { scopes: ['admin'] });
    const adas = await foreign('ada');
    const before = [adas, await foreign('ada', { iat: undefined }), (await mint(adas)).token];
    const bobs = await foreign('bob');
    const answer = await as(admin, 'POST', 'tokens/revoke', { subject: 'ada' });
    const at = new Date(clock.now()).toISOString();
    expect(await answer.json()).toEqual({ subject: 'ada', before: at, tokens: 1 });
    expect(await lastRecord()).toMatchObject({ action: 'token.revoke', actor: 'root', target: 'ada' });
    expect(await Promise.all(before.map(works))).toEqual([false, false, false]);
    expect(await works(bobs)).toBe(true);
    clock.advance(1000);
    expect(await works(await foreign('ada'))).toBe(true);
  });

  it('with before, only tokens issued until then are revoked', async () => {
    const [old, cut] = [await foreign('ada'), new Date(clock.now()).toISOString()];
    clock.advance(5000);
    const fresh = await foreign('ada');
    expect((await as(fresh, 'POST', 'tokens/revoke', { before: cut })).status).toBe(200);
    expect([await works(old), await works(fresh)]).toEqual([false, true]);
  });

  it.each(['soon', '2999-01-01T00:00:00Z', '2026-01-01', 5, null])('before %j is 400', async (before) => {
    const answer = await as(await foreign('ada'), 'POST', 'tokens/revoke', { before });
    expect(answer.status).toBe(400);
  });

  it("a weak token's revocation by time leaves its subject's stronger tokens and other subjects alone", async () => {
    const weak = await foreign('ada', { scopes: ['memory:read'] });
    const peer = await foreign('ada', { scopes: ['memory:read'] });
    const strong = await foreign('ada');
    expect((await as(weak, 'POST', 'tokens/revoke', { subject: 'bob' })).status).toBe(403);
    expect((await as(weak, 'POST', 'tokens/revoke')).status).toBe(200);
    expect(await Promise.all([weak, peer, strong].map(works))).toEqual([false, false, true]);
  });

  it('revocations survive a restart and reach other nodes', async () => {
    const { openTokenRegistry } = await import('../../memory/token-registry.ts');
    const other = await openTokenRegistry(server.memory!.parts);
    const admin = await foreign('root', { scopes: ['admin'] });
    await revoke(admin, 'gone');
    await as(admin, 'POST', 'tokens/revoke', { subject: 'bob' });
    const token = { scopes: new Set<string>(), issuedMs: clock.now() };
    for (const registry of [other, await openTokenRegistry(server.memory!.parts)]) {
      await registry.refresh();
      expect(registry.isRevoked({ ...token, caller: { subject: 'ada' }, jti: 'gone' })).toBe(true);
      expect(registry.isRevoked({ ...token, caller: { subject: 'bob' } })).toBe(true);
      expect(registry.isRevoked({ ...token, caller: { subject: 'ada' }, jti: 'kept' })).toBe(false);
    }
  });
});

describe('the quota of tokens', () => {
  it('a caller has at most 200 live minted tokens; expired and revoked ones and logins do not count', async () => {
    const token = await foreign('ada', { exp: Math.floor(clock.now() / 1000) + 10_000_000 });
    const answers = await Promise.all(
      Array.from({ length: 205 }, () => as(token, 'POST', 'tokens', { ttl_seconds: 7200 })),
    );
    const statuses = answers.map(({ status }) => status);
    expect([
      statuses.filter((each) => each === 200).length,
      statuses.filter((each) => each === 429).length,
    ]).toEqual([200, 5]);
    const refused = await as(token, 'POST', 'tokens');
    expect(await refused.json()).toMatchObject({
      error: 'quota_exceeded',
      hint: expect.stringContaining('Revoke'),
    });
    expect((await as(await foreign('bob'), 'POST', 'tokens')).status).toBe(200);
    const page = (await (await as(token, 'GET', 'tokens?limit=1')).json()) as { tokens: Minted[] };
    await revoke(token, page.tokens[0]!.jti);
    await mint(token);
    expect((await as(token, 'POST', 'tokens')).status).toBe(429);
    clock.advance(7_201_000);
    const later = await foreign('ada');
    await mint(later);
  });

  it('a caller makes at most 200 revocations of tokens that are unknown here', async () => {
    const token = await foreign('ada');
    for (let index = 0; index < 200; index++) expect((await revoke(token, `j${index}`)).status).toBe(200);
    expect(await revoke(token, 'one-more')).toMatchObject({ status: 429, error: 'quota_exceeded' });
    expect((await revoke(await foreign('root', { scopes: ['admin'] }), 'one-more')).status).toBe(200);
  });

  it('a weak token that has used up its revocations stops neither its owner nor the revocation of all tokens', async () => {
    const weak = await foreign('ada', { scopes: ['memory:read'] });
    for (let index = 0; index < 200; index++) expect((await revoke(weak, `j${index}`)).status).toBe(200);
    expect((await revoke(weak, 'one-more')).status).toBe(429);
    const none = await foreign('ada', { scopes: [] });
    expect((await revoke(none, 'one-more')).status, 'with fewer scopes neither').toBe(429);
    const strong = await foreign('ada', { scopes: ['memory:read', 'memory:write'] });
    expect((await revoke(strong, 'leaked')).status).toBe(200);
    expect((await as(weak, 'POST', 'tokens/revoke')).status).toBe(200);
  });

  it('a caller has at most 200 sessions, also if they are opened at once', async () => {
    const token = await foreign('ada');
    const answers = await Promise.all(Array.from({ length: 205 }, () => as(token, 'POST', 'sessions')));
    const opened = answers.filter(({ status }) => status < 300);
    expect(opened).toHaveLength(200);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(await refused.json()).toMatchObject({ error: 'quota_exceeded' });
  });
});
