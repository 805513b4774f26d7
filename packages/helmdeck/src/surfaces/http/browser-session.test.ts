import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppError } from '../../errors.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { authenticate } from './authenticate.ts';
import type { HttpServices } from './request-context.ts';

const clock = fakeClock();
let server: TestServer;
let cookie: string;
const PASSWORD = 'correct horse';
const HERE = { 'sec-fetch-site': 'same-origin' };

beforeEach(async () => {
  server = await testServer({ now: clock.now, env: { HELMDECK_ADMIN_PASSWORD: PASSWORD } });
  cookie = (await signIn()).headers.get('set-cookie')!.split(';')[0]!;
});
afterEach(() => server.close());

const signIn = (headers: Record<string, string> = {}) =>
  server.call(undefined, 'POST', '/api/v1/auth/session', { username: 'admin', password: PASSWORD }, headers);
const get = (path: string, headers: Record<string, string>) =>
  server.call(undefined, 'GET', path, undefined, { host: '127.0.0.1:3000', cookie, ...headers });

describe('browser sessions', () => {
  it('the session cookie is HttpOnly and SameSite=Strict', async () => {
    const response = await signIn();
    const [set, browser] = response.headers.getSetCookie();
    expect(browser).toMatch(
      /^helmdeck_browser=[\w.-]+; Max-Age=2592000; Path=\/api\/v1\/auth; HttpOnly; SameSite=Strict$/,
    );
    expect(set).toMatch(
      /^helmdeck_session=[\w.-]+; Max-Age=43200; Path=\/api\/v1; HttpOnly; SameSite=Strict$/,
    );
    expect(await response.json()).toEqual({
      subject: 'admin',
      caller: 'admin',
      scopes: ['admin'],
      client: 'browser',
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      expires_at: expect.stringMatching(/Z$/),
    });
  });

  it('a browser in which a person signed in is not locked out by others at its address, only by its own failures', async () => {
    const known = (await signIn()).headers.getSetCookie()[1]!.split(';')[0]!;
    const attempt = async (password: string, cookies?: string, username = 'admin') => {
      const headers: Record<string, string> = cookies === undefined ? {} : { cookie: cookies };
      const body = { username, password };
      return (await server.call(undefined, 'POST', '/api/v1/auth/session', body, headers)).status;
    };
    for (let count = 0; count < 5; count++) expect(await attempt('guess')).toBe(401);
    expect(await attempt(PASSWORD)).toBe(429);
    expect(await attempt(PASSWORD, `other=1; ${known}`)).toBe(200);
    const [, id, rest] = /^(helmdeck_browser=)(.*)$/.exec(known)!;
    for (const forged of [`${id}${rest!.replace(/^./, (first) => (first === 'a' ? 'b' : 'a'))}`, `${known}A`])
      expect(await attempt(PASSWORD, forged), forged).toBe(429);
    expect(await attempt('guess', known, 'eve'), 'it is for one person').toBe(429);
    for (let count = 0; count < 5; count++) expect(await attempt('guess', known)).toBe(401);
    expect(await attempt(PASSWORD, known)).toBe(429);
    clock.advance(30_000);
    expect(await attempt(PASSWORD, known)).toBe(200);
    clock.advance(30 * 86_400_000);
    for (let count = 0; count < 5; count++) await attempt('guess');
    expect(await attempt(PASSWORD, known), 'after 30 days').toBe(429);
  });

  it('a session can be opened with a bearer token, and expires with it', async () => {
    const token = await server.token('ada', { ttlSeconds: 600 });
    const response = await server.call(undefined, 'POST', '/api/v1/auth/session', undefined, {
      authorization: `Bearer ${token}`,
    });
    expect(response.headers.get('set-cookie')).toContain('Max-Age=600;');
    expect(await response.json()).toMatchObject({ subject: 'ada' });
  });

  it.each([
    ['from the same origin', 200, { 'sec-fetch-site': 'same-origin' }],
    ['with the origin of the server', 200, { origin: 'http://127.0.0.1:3000' }],
    ['with both', 200, { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:3000' }],
    ['from another site', 403, { 'sec-fetch-site': 'cross-site' }],
    ['from a sibling site', 403, { 'sec-fetch-site': 'same-site' }],
    ['typed into the address bar', 403, { 'sec-fetch-site': 'none' }],
    ['with another origin', 403, { origin: 'http://evil.example' }],
    ['with another port', 403, { origin: 'http://127.0.0.1:4000' }],
    ['with the origin null', 403, { origin: 'null' }],
    ['with contradicting headers', 403, { 'sec-fetch-site': 'same-origin', origin: 'http://evil.example' }],
    ['without proof of the origin', 403, {}],
  ])('a request with the session cookie %s gets %i', async (_name, status, headers) => {
    const response = await get('/api/v1/memory/facts', headers as Record<string, string>);
    expect(response.status).toBe(status);
    if (status === 403) expect(await response.json()).toMatchObject({ error: 'forbidden_origin' });
  });

  it('a second session cookie, which a site under the same domain can plant for some paths, is refused in any order', async () => {
    const planted = `helmdeck_session=${await server.token('mallory', { client: 'browser' })}`;
    for (const both of [`${planted}; ${cookie}`, `${cookie}; theme=dark; ${planted}`]) {
      const response = await get('/api/v1/auth/session', { ...HERE, cookie: both });
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ error: 'forbidden_origin' });
    }
    const other = await get('/api/v1/auth/session', { ...HERE, cookie: `x${planted}; ${cookie}` });
    expect(await other.json()).toMatchObject({ subject: 'admin' });
  });

  it('a session cookie that was planted before the sign-in is replaced by one of its own', async () => {
    const planted = `helmdeck_session=${await server.token('mallory', { client: 'browser' })}`;
    const signedIn = await signIn({ cookie: planted, host: '127.0.0.1:3000', ...HERE });
    const own = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    expect([planted, cookie]).not.toContain(own);
    const who = await get('/api/v1/auth/session', { cookie: own, ...HERE });
    expect(await who.json()).toMatchObject({ subject: 'admin' });
  });

  it('a page of another site cannot open a session', async () => {
    const foreign: Record<string, string>[] = [
      { origin: 'http://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of foreign) {
      const response = await signIn(headers);
      expect(response.status).toBe(403);
      expect(response.headers.get('set-cookie')).toBeNull();
    }
  });

  it('the session cookie is not accepted on MCP paths', async () => {
    const services = { authDisabled: false, auth: server.auth, memoryIfOn: () => server.memory };
    const app = new Hono();
    app.all('*', async (c) => {
      try {
        return c.text((await authenticate(c, services as unknown as HttpServices)).caller.subject ?? '');
      } catch (thrown) {
        return c.text((thrown as AppError).code, 401);
      }
    });
    const responseAt = async (path: string) => {
      const headers = { host: 'localhost', cookie, ...HERE };
      return (await app.request(`http://localhost${path}`, { headers })).text();
    };
    for (const path of ['', '/', '/memory', '/sse', '/sse/message', '/qmd', '/qmd/sse']) {
      expect(await responseAt(`/api/v1/mcp${path}`), path).toBe('missing_bearer');
    }
    expect(await responseAt('/docs')).toBe('missing_bearer');
    expect(await responseAt('/api/v1/packs'), 'where the cookie does count').toBe('admin');
  });

  it('an invalid bearer token is rejected even with a valid session cookie', async () => {
    expect((await get('/api/v1/memory/facts', { ...HERE, authorization: 'Bearer nonsense' })).status).toBe(
      401,
    );
  });

  it('a cookie with a similar name is not taken for the session cookie', async () => {
    const value = cookie.split('=')[1];
    for (const other of [
      `x_helmdeck_session=${value}`,
      `helmdeck_session_x=${value}`,
      `a=helmdeck_session=${value}`,
    ]) {
      expect((await get('/api/v1/memory/facts', { ...HERE, cookie: other })).status, other).toBe(401);
    }
    expect((await get('/api/v1/memory/facts', { ...HERE, cookie: `a=b; ${cookie}; c=d` })).status).toBe(200);
  });

  it('sign-out clears the cookie and revokes the token of the login', async () => {
    const out = await server.call(undefined, 'DELETE', '/api/v1/auth/session', undefined, {
      host: '127.0.0.1:3000',
      cookie,
      ...HERE,
    });
    expect(await out.json()).toEqual({ revoked: true });
    expect(out.headers.get('set-cookie')).toMatch(/helmdeck_session=;.*Max-Age=0/);
    const after = await get('/api/v1/memory/facts', HERE);
    expect(after.status).toBe(401);
    expect(await after.json()).toMatchObject({ error: 'token_revoked' });
  });

  it('ending the other sessions leaves this one, the tokens made in the others, and those of other subjects', async () => {
    const other = (await signIn()).headers.get('set-cookie')!.split(';')[0]!;
    const minted = await server.call(
      undefined,
      'POST',
      '/api/v1/tokens',
      { client: 'cursor' },
      {
        host: '127.0.0.1:3000',
        cookie: other,
        ...HERE,
      },
    );
    const { token } = (await minted.json()) as { token: string };
    const end = (headers: Record<string, string>) =>
      server.call(undefined, 'DELETE', '/api/v1/auth/session?which=others', undefined, headers);
    const ada = { authorization: `Bearer ${await server.token('ada')}` };
    expect(await (await end(ada)).json()).toEqual({ revoked: false });
    const weak = await server.token('admin', { scopes: ['memory:read'] });
    expect(await (await end({ authorization: `Bearer ${weak}` })).json()).toEqual({ revoked: false });
    const ended = await end({ host: '127.0.0.1:3000', cookie, ...HERE });
    expect(await ended.json()).toEqual({ revoked: true });
    expect(ended.headers.get('set-cookie')).toBeNull();
    expect((await get('/api/v1/memory/facts', { ...HERE, cookie: other })).status).toBe(401);
    expect((await get('/api/v1/memory/facts', HERE)).status).toBe(200);
    expect((await get('/api/v1/memory/facts', { cookie: '', authorization: `Bearer ${token}` })).status).toBe(
      200,
    );
  });

  it('sign-out from a session with a pasted token does not revoke the token, which other clients may use', async () => {
    const { token, record } = await server.auth.mint({
      caller: { subject: 'ada' },
      scopes: ['memory:read'],
      ttlSeconds: 600,
      client: 'cursor',
    });
    await server.memory!.tokens.add(record);
    const headers = { cookie: `helmdeck_session=${token}`, host: '127.0.0.1:3000', ...HERE };
    const out = await server.call(undefined, 'DELETE', '/api/v1/auth/session', undefined, headers);
    expect(await out.json()).toEqual({ revoked: false });
    expect((await server.call(undefined, 'GET', '/api/v1/memory/facts', undefined, headers)).status).toBe(
      200,
    );
  });
});

describe('a server without auth', () => {
  it.each([
    ['a local program', 200, { host: '127.0.0.1:3000' }],
    ['localhost', 200, { host: 'localhost:3000' }],
    ['its own page', 200, { host: '127.0.0.1:3000', origin: 'http://127.0.0.1:3000' }],
    ["another site's page", 403, { host: '127.0.0.1:3000', origin: 'http://evil.example' }],
    ['a name that was re-bound to 127.0.0.1', 403, { host: 'evil.example:3000' }],
    ['a page of a re-bound name', 403, { host: 'evil.example', origin: 'http://evil.example' }],
  ])('while auth is off, a request from %s gets %i', async (_name, status, headers) => {
    const open = await testServer({ env: { HELMDECK_DISABLE_AUTH: '1' } });
    const response = await open.call(
      undefined,
      'GET',
      '/api/v1/memory/facts',
      undefined,
      headers as Record<string, string>,
    );
    expect(response.status).toBe(status);
    await open.close();
  });
});
