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

describe('the browser session', () => {
  it('is a cookie that scripts cannot read and other sites do not send', async () => {
    const answer = await signIn();
    const set = answer.headers.get('set-cookie')!;
    expect(set).toMatch(
      /^helmdeck_session=[\w.-]+; Max-Age=43200; Path=\/api\/v1; HttpOnly; SameSite=Strict$/,
    );
    expect(await answer.json()).toEqual({
      subject: 'admin',
      scopes: ['admin'],
      client: 'browser',
      expires_at: expect.stringMatching(/Z$/),
    });
  });

  it('is sent over TLS only where the page came over TLS', async () => {
    expect((await signIn({ 'x-forwarded-proto': 'https' })).headers.get('set-cookie')).toContain('; Secure');
  });

  it('opens with a bearer token too, and ends with it', async () => {
    const token = await server.token('ada', { ttlSeconds: 600 });
    const answer = await server.call(undefined, 'POST', '/api/v1/auth/session', undefined, {
      authorization: `Bearer ${token}`,
    });
    expect(answer.headers.get('set-cookie')).toContain('Max-Age=600;');
    expect(await answer.json()).toMatchObject({ subject: 'ada' });
  });

  it.each([
    ['from the same origin', { 'sec-fetch-site': 'same-origin' }, 200],
    ['with the origin of the server', { origin: 'http://127.0.0.1:3000' }, 200],
    ['with both', { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:3000' }, 200],
    ['from another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['from a sibling site', { 'sec-fetch-site': 'same-site' }, 403],
    ['typed into the address bar', { 'sec-fetch-site': 'none' }, 403],
    ['with another origin', { origin: 'http://evil.example' }, 403],
    ['with another port', { origin: 'http://127.0.0.1:4000' }, 403],
    ['with the origin null', { origin: 'null' }, 403],
    ['with contradicting headers', { 'sec-fetch-site': 'same-origin', origin: 'http://evil.example' }, 403],
    ['without proof of the origin', {}, 403],
  ])('%s answers as it should', async (_name, headers, status) => {
    const answer = await get('/api/v1/memory/facts', headers as Record<string, string>);
    expect(answer.status).toBe(status);
    if (status === 403) expect(await answer.json()).toMatchObject({ error: 'forbidden_origin' });
  });

  it('cannot be opened by the page of another site', async () => {
    const foreign: Record<string, string>[] = [
      { origin: 'http://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of foreign) {
      const answer = await signIn(headers);
      expect(answer.status).toBe(403);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
  });

  it('counts for nothing on the MCP addresses', async () => {
    const services = { authDisabled: false, auth: server.auth, memoryIfOn: () => server.memory };
    const app = new Hono();
    app.all('*', async (c) => {
      try {
        return c.text((await authenticate(c, services as unknown as HttpServices)).caller.subject ?? '');
      } catch (thrown) {
        return c.text((thrown as AppError).code, 401);
      }
    });
    const answerAt = async (path: string) => {
      const headers = { host: 'localhost', cookie, ...HERE };
      return (await app.request(`http://localhost${path}`, { headers })).text();
    };
    for (const path of ['', '/', '/memory', '/sse', '/sse/message', '/qmd', '/qmd/sse']) {
      expect(await answerAt(`/api/v1/mcp${path}`), path).toBe('missing_bearer');
    }
    expect(await answerAt('/docs')).toBe('missing_bearer');
    expect(await answerAt('/api/v1/packs'), 'where the cookie does count').toBe('admin');
  });

  it('does not make a bad bearer token good', async () => {
    expect((await get('/api/v1/memory/facts', { ...HERE, authorization: 'Bearer nonsense' })).status).toBe(
      401,
    );
  });

  it('is not found in a cookie of a similar name', async () => {
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

  it('ends for good at sign-out: cookie gone, login revoked', async () => {
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

  it('of a pasted token ends without revoking the token, which others use', async () => {
    const token = await server.token('ada');
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
    ['a local program', { host: '127.0.0.1:3000' }, 200],
    ['localhost', { host: 'localhost:3000' }, 200],
    ['its own page', { host: '127.0.0.1:3000', origin: 'http://127.0.0.1:3000' }, 200],
    ["another site's page", { host: '127.0.0.1:3000', origin: 'http://evil.example' }, 403],
    ['a name that was re-bound to 127.0.0.1', { host: 'evil.example:3000' }, 403],
    ['a page of a re-bound name', { host: 'evil.example', origin: 'http://evil.example' }, 403],
  ])('is reached by %s as it should', async (_name, headers, status) => {
    const open = await testServer({ env: { HELMDECK_DISABLE_AUTH: '1' } });
    const answer = await open.call(
      undefined,
      'GET',
      '/api/v1/memory/facts',
      undefined,
      headers as Record<string, string>,
    );
    expect(answer.status).toBe(status);
    await open.close();
  });
});
