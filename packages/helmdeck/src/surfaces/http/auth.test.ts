import { createHmac, generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { createAuth, DEFAULT_SCOPES } from './auth.ts';

const SECRET = 'a secret of at least thirty-two bytes, raw';
const clock = fakeClock();
const revoked = new Set<string>();
const auth = createAuth({
  hs256Secret: SECRET,
  now: clock.now,
  isRevoked: ({ jti }) => jti !== undefined && revoked.has(jti),
});
const seconds = () => Math.floor(clock.now() / 1000);

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
/** A hand-made token, signed with any key or none. */
function handMade(header: object, claims: object, key?: string | Buffer): string {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${key === undefined ? '' : createHmac('sha256', key).update(text).digest('base64url')}`;
}
const claims = (more: object = {}) => ({ iss: 'helmdeck', sub: 'ada', exp: seconds() + 3600, ...more });
const token = (more: object = {}, header: object = { alg: 'HS256' }) =>
  handMade(header, claims(more), SECRET);

describe('tokens of this server', () => {
  it('a valid token identifies its caller', async () => {
    const identity = await auth.verify(
      token({ client: 'cursor', name: 'Laptop', jti: 'j1', tenant: 'acme' }),
    );
    expect(identity).toEqual({
      caller: { subject: 'ada', tenant: 'acme' },
      scopes: new Set(DEFAULT_SCOPES),
      client: 'cursor',
      name: 'Laptop',
      jti: 'j1',
      issuedMs: 0,
      expiresMs: (seconds() + 3600) * 1000,
    });
  });

  it('a token without scopes may do everything except administration and the vault', async () => {
    const { scopes } = await auth.verify(token());
    expect([...scopes]).toEqual(['memory:read', 'memory:write', 'packs:run', 'pipelines:run']);
  });

  it.each([
    ['no characters', ''],
    ['one part', 'abc'],
    ['three invalid parts', 'a.b.c'],
    ['alg none', handMade({ alg: 'none' }, claims())],
    ['alg None', handMade({ alg: 'None' }, claims(), SECRET)],
    ['no alg', handMade({}, claims(), SECRET)],
    ['another secret', handMade({ alg: 'HS256' }, claims(), 'another secret of thirty-two bytes......')],
    ['an empty secret', handMade({ alg: 'HS256' }, claims(), '')],
    ['a signature cut off', token().slice(0, -4)],
    ['a header that says RS256', token({}, { alg: 'RS256' })],
    ['a header that says HS512', token({}, { alg: 'HS512' })],
    ['an unknown critical header', token({}, { alg: 'HS256', crit: ['x'], x: 1 })],
    ['another issuer', token({ iss: 'someone' })],
    ['no issuer', token({ iss: undefined })],
    ['no subject', token({ sub: undefined })],
    ['an empty subject', token({ sub: '' })],
    ['a number as subject', token({ sub: 7 })],
    ['a subject with a control character', token({ sub: 'a\u0000b' })],
    ['a subject with a line break', token({ sub: 'ada\n' })],
    ['a subject with a C1 control', token({ sub: 'a\u009f' })],
    ['a subject of 257 bytes', token({ sub: 'x'.repeat(257) })],
    ['a subject of 257 bytes in fewer letters', token({ sub: `${'é'.repeat(128)}x` })],
    ['half a surrogate pair as subject', token({ sub: 'a\ud800' })],
    ['an empty tenant', token({ tenant: '' })],
    ['a null tenant', token({ tenant: null })],
    ['a number as tenant', token({ tenant: 1 })],
    ['a tenant of 257 bytes', token({ tenant: 'x'.repeat(257) })],
    ['no expiry', token({ exp: undefined })],
    ['an expiry as text', token({ exp: '4000000000' })],
    ['scopes as text', token({ scopes: 'admin' })],
    ['numbers as scopes', token({ scopes: [1] })],
    ['a time before which it is not valid', token({ nbf: seconds() + 3600 })],
  ])('a token with %s is rejected as invalid', async (_name, text) => {
    await expect(auth.verify(text)).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('a token with changed claims and the old signature is rejected', async () => {
    const [header, , signature] = token().split('.');
    const forged = `${header}.${encode(claims({ scopes: ['admin'] }))}.${signature}`;
    await expect(auth.verify(forged)).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it.each([256, 1])('a subject of %i bytes is accepted unchanged', async (length) => {
    const sub = 'x'.repeat(length);
    expect((await auth.verify(token({ sub }))).caller).toEqual({ subject: sub });
  });

  it('a subject is neither trimmed nor normalized', async () => {
    for (const sub of [' ada ', 'cafe\u0301', 'ADA']) {
      expect((await auth.verify(token({ sub }))).caller.subject).toBe(sub);
    }
  });

  it('a token expires at the exact second, even if it is cached', async () => {
    const text = token();
    clock.advance(3_599_999);
    await auth.verify(text);
    clock.advance(1);
    await expect(auth.verify(text)).rejects.toMatchObject({ code: 'token_expired' });
    await expect(auth.verify(token({ exp: seconds() - 1 }))).rejects.toMatchObject({ code: 'token_expired' });
  });

  it('a revoked token is rejected at once, even if it is cached', async () => {
    const text = token({ jti: 'gone' });
    await auth.verify(text);
    revoked.add('gone');
    await expect(auth.verify(text)).rejects.toMatchObject({ code: 'token_revoked' });
  });

  it('a token that the server mints is accepted by it', async () => {
    const { token: minted, record } = await auth.mint({
      caller: { subject: 'ada', tenant: 't' },
      scopes: ['memory:read'],
      ttlSeconds: 60,
      client: 'c',
    });
    expect(await auth.verify(minted)).toMatchObject({
      caller: { subject: 'ada', tenant: 't' },
      jti: record.jti,
      scopes: new Set(['memory:read']),
    });
  });

  it('a token signed with an asymmetric key is rejected if no key set is configured', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const signed = await new SignJWT(claims()).setProtectedHeader({ alg: 'EdDSA' }).sign(privateKey);
    await expect(auth.verify(signed)).rejects.toMatchObject({ code: 'invalid_token' });
  });
});

describe('authentication of requests', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer({ env: { HELMDECK_JWT_SECRET: SECRET }, now: clock.now });
  });
  afterAll(() => server.close());
  const get = (path: string, authorization?: string) =>
    server.call(undefined, 'GET', path, undefined, authorization === undefined ? {} : { authorization });

  it.each([
    ['no token', undefined, 'missing_bearer'],
    ['basic credentials', 'Basic YTpi', 'invalid_token'],
    ['a bare token', 'abc', 'invalid_token'],
    ['an empty bearer', 'Bearer ', 'invalid_token'],
    ['two tokens', 'Bearer a b', 'invalid_token'],
  ])('a request with %s gets 401 with a WWW-Authenticate header', async (_name, header, code) => {
    const response = await get('/api/v1/memory/facts', header);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="helmdeck"');
    expect(await response.json()).toMatchObject({ error: code });
  });

  it('the Bearer scheme is accepted in any letter case', async () => {
    expect((await get('/api/v1/memory/facts', `bearer ${token()}`)).status).toBe(200);
  });

  it('a token with an expiry beyond the range of Date is accepted', async () => {
    const response = await get('/api/v1/auth/session', `Bearer ${token({ exp: 1e15 })}`);
    expect(response.status).toBe(200);
    const list = await get('/api/v1/memory/facts', `Bearer ${token({ exp: 1e300 })}`);
    expect(list.status).toBe(200);
  });

  it.each([
    ['memory:read', 'GET', '/api/v1/memory/facts', 200],
    ['memory:read', 'POST', '/api/v1/memory/store', 403],
    ['memory:write', 'GET', '/api/v1/memory/facts', 403],
    ['memory:write', 'POST', '/api/v1/memory/store', 200],
    ['packs:run', 'GET', '/api/v1/memory/stats', 403],
    ['memory:read', 'GET', '/api/v1/audit', 403],
    ['admin', 'POST', '/api/v1/memory/store', 200],
    ['admin', 'GET', '/api/v1/audit', 200],
    ['Admin', 'GET', '/api/v1/audit', 403],
    ['memory:*', 'GET', '/api/v1/memory/facts', 403],
  ])('a token with the scope %s on %s %s gets %i', async (scope, method, path, status) => {
    const authorization = `Bearer ${token({ scopes: [scope] })}`;
    const body = method === 'POST' ? { key: 'a', value: 'b' } : undefined;
    const response = await server.call(undefined, method, path, body, { authorization });
    expect(response.status).toBe(status);
    if (status === 403) expect(await response.json()).toMatchObject({ error: 'insufficient_scope' });
  });

  it('a token with an empty scope list is accepted only at GET /auth/session', async () => {
    const authorization = `Bearer ${token({ scopes: [] })}`;
    expect((await get('/api/v1/memory/facts', authorization)).status).toBe(403);
    expect((await get('/api/v1/auth/session', authorization)).status).toBe(200);
  });
});
