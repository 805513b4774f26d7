import { createConnection } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../testing/test-server.ts';

const PASSWORD = 'correct horse';
const LOGIN = { username: 'admin', password: PASSWORD };
const PUBLIC = 'https://memory.example.org';
const MESSAGE = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const ACCEPT = { accept: 'application/json, text/event-stream' };

let server: TestServer;
afterEach(() => server.close());
const start = async (env: Record<string, string> = {}, socket = false) => {
  server = await testServer({ socket, env: { HELMDECK_ADMIN_PASSWORD: PASSWORD, ...env } });
};
const get = (path: string, headers: Record<string, string>, subject?: string) =>
  server.call(subject, 'GET', path, undefined, headers);
const logIn = (headers: Record<string, string>) =>
  server.call(undefined, 'POST', '/api/v1/auth/login', LOGIN, headers);

const EVERYWHERE = { HELMDECK_ADDR: '0.0.0.0:3000' };

describe('the Host of a request without a token', () => {
  const CASES: [host: string, onLoopback: number, onAllAddresses: number][] = [
    ['127.0.0.1:3000', 200, 200],
    ['localhost', 200, 200],
    ['LOCALHOST:3000', 200, 200],
    ['[::1]:3000', 200, 200],
    ['192.168.1.5:3000', 200, 200],
    ['10.42.0.7', 200, 200],
    ['[2001:db8::7]:3000', 200, 200],
    ['evil.example', 403, 403],
    ['evil.example:3000', 403, 403],
    ['127.0.0.1.evil.example', 403, 403],
    ['localhost.evil.example', 403, 403],
    ['evil.localhost.example', 403, 403],
    ['local', 403, 200],
    ['helmdeck-control-plane:3000', 403, 200],
    ['helmdeck.memory.svc:3000', 403, 200],
    ['helmdeck.memory.svc.cluster.local', 403, 200],
    ['host.docker.internal:3000', 403, 200],
    ['nas.local', 403, 200],
    ['nas.home.arpa.', 403, 200],
    ['helmdeck.tools', 403, 403],
  ];
  it.each([
    ...CASES.map(([host, status]) => [host, 'a loopback server', status, {}] as const),
    ...CASES.map(([host, _, status]) => [host, 'all addresses', status, EVERYWHERE] as const),
  ])('a request for %s to %s gets %i', async (host, _where, status, env) => {
    await start(env);
    expect((await logIn({ host })).status).toBe(status);
    for (const path of ['/version', '/openapi.json', '/docs', '/'])
      expect((await get(path, { host })).status === 403, path).toBe(status === 403);
  });

  it('the refusal of an unknown host name says which setting allows it', async () => {
    await start();
    expect(await (await logIn({ host: 'memory.example.org' })).json()).toMatchObject({
      error: 'forbidden_origin',
      reason: 'unknown_host',
      hint: expect.stringContaining('HELMDECK_PUBLIC_URL'),
    });
  });

  it('a page that was rebound to the server cannot try passwords, so it cannot lock the login either', async () => {
    await start();
    for (let count = 0; count < 10; count++)
      expect((await logIn({ host: 'evil.example:3000', origin: 'http://evil.example:3000' })).status).toBe(
        403,
      );
    expect((await logIn({ host: '127.0.0.1:3000' })).status).toBe(200);
  });

  it('health checks and requests with a valid token are served under every host name', async () => {
    await start(EVERYWHERE);
    const host = 'helmdeck.tools';
    expect((await get('/healthz', { host })).status).toBe(200);
    expect((await get('/readyz', { host })).status).toBe(200);
    expect((await get('/api/v1/memory/facts', { host }, 'ada')).status).toBe(200);
    expect((await get('/version', { host }, 'ada')).status).toBe(200);
    const mcp = await server.call('ada', 'POST', '/api/v1/mcp', MESSAGE, { host, ...ACCEPT });
    expect(mcp.status).toBe(200);
    expect((await get('/version', { host, authorization: 'Bearer nonsense' })).status).toBe(401);
    expect((await get('/api/v1/memory/facts', { host })).status).toBe(401);
  });

  it('metrics are served with their token under every host name', async () => {
    await start({ ...EVERYWHERE, HELMDECK_METRICS_TOKEN: 'metrics-token' });
    const host = 'helmdeck.tools:3000';
    expect((await get('/metrics', { host, authorization: 'Bearer metrics-token' })).status).toBe(200);
    expect((await get('/metrics', { host })).status).toBe(401);
  });

  it('the name that the server listens on is its own', async () => {
    await start({ HELMDECK_ADDR: 'Memory.Example.org:3000' });
    expect((await logIn({ host: 'memory.example.org:3000' })).status).toBe(200);
  });
});

describe('HELMDECK_PUBLIC_URL', () => {
  it.each(['memory.example.org', 'memory.example.org:8443', 'MEMORY.example.org'])(
    'a request for the public name as %s is served',
    async (host) => {
      await start({ HELMDECK_PUBLIC_URL: PUBLIC });
      expect((await logIn({ host })).status).toBe(200);
      expect((await get('/', { host })).status).not.toBe(403);
      expect((await logIn({ host: 'www.memory.example.org' })).status).toBe(403);
    },
  );

  it.each([
    ['its own', 200, { host: 'memory.example.org', origin: PUBLIC }],
    ['its own through a proxy that rewrites Host', 200, { host: '127.0.0.1:3000', origin: PUBLIC }],
    ['a local page', 200, { host: '127.0.0.1:3000', origin: 'http://127.0.0.1:3000' }],
    ['the public name without TLS', 403, { host: '127.0.0.1:3000', origin: 'http://memory.example.org' }],
    ['its own name without TLS', 403, { host: 'memory.example.org', origin: 'http://memory.example.org' }],
    ['another port', 403, { host: 'memory.example.org', origin: `${PUBLIC}:8443` }],
    ['another site', 403, { host: 'memory.example.org', origin: 'https://evil.example' }],
    ['a rebound page', 403, { host: 'evil.example', origin: 'http://evil.example' }],
    ['null', 403, { host: 'memory.example.org', origin: 'null' }],
  ])('MCP and the session cookie with the origin of %s get %i', async (_name, status, headers) => {
    await start({ HELMDECK_PUBLIC_URL: PUBLIC });
    const mcp = await server.call('ada', 'POST', '/api/v1/mcp', MESSAGE, { ...ACCEPT, ...headers });
    expect(mcp.status).toBe(status);
    const cookie = `helmdeck_session=${await server.token('ada')}`;
    const rest = await get('/api/v1/memory/facts', { cookie, ...headers });
    expect(rest.status).toBe(status);
    const opened = await server.call(undefined, 'POST', '/api/v1/auth/session', LOGIN, headers);
    expect(opened.status).toBe(status);
  });

  it('MCP refuses the origin of a public name that is not set, and says which setting allows it', async () => {
    await start();
    const headers = { ...ACCEPT, host: 'memory.example.org', origin: PUBLIC };
    const refused = await server.call('ada', 'POST', '/api/v1/mcp', MESSAGE, headers);
    expect(refused.status).toBe(403);
    expect(JSON.stringify(await refused.json())).toContain('HELMDECK_PUBLIC_URL');
  });

  it('the session cookie is Secure if the public URL is https, and not if it is http', async () => {
    const cookieUnder = async (url: string) => {
      await start({ HELMDECK_PUBLIC_URL: url });
      const headers = { host: new URL(url).host };
      const opened = await server.call(undefined, 'POST', '/api/v1/auth/session', LOGIN, headers);
      return opened.headers.get('set-cookie')!;
    };
    expect(await cookieUnder(PUBLIC)).toContain('; Secure');
    await server.close();
    expect(await cookieUnder('http://memory.example.org')).not.toContain('Secure');
  });

  it('a server without auth serves its public name and no other', async () => {
    await start({ HELMDECK_DISABLE_AUTH: '1', HELMDECK_PUBLIC_URL: PUBLIC });
    expect((await get('/api/v1/memory/facts', { host: 'memory.example.org' })).status).toBe(200);
    const page = { host: 'memory.example.org', origin: PUBLIC };
    expect((await get('/api/v1/memory/facts', page)).status).toBe(200);
    expect((await get('/api/v1/memory/facts', { host: 'evil.example' })).status).toBe(403);
    expect((await get('/api/v1/memory/facts', { host: 'nas.local' })).status).toBe(403);
  });

  it('a server without auth on all addresses refuses names that a page may have rebound to it', async () => {
    await start({ ...EVERYWHERE, HELMDECK_DISABLE_AUTH: '1', HELMDECK_ALLOW_INSECURE: '1' });
    const facts = (headers: Record<string, string>) => get('/api/v1/memory/facts', headers);
    expect((await facts({ host: 'helmdeck:3000' })).status).toBe(200);
    expect((await facts({ host: '192.168.1.5:3000' })).status).toBe(200);
    expect((await facts({ host: 'evil.example:3000' })).status).toBe(403);
    expect((await facts({ host: '192.168.1.5:3000', origin: 'http://evil.example' })).status).toBe(403);
  });
});

describe('dot segments in a path', () => {
  /** Sends the path as it is; a URL object or fetch would resolve it. */
  const rawGet = (path: string, token: string) =>
    new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(server.url);
      const socket = createConnection(Number(port), hostname);
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('end', () => resolve(text)).on('error', reject);
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
      );
    });

  it.each([
    '/x/../metrics',
    '/x/%2e%2e/metrics',
    '/x/%2E./metrics',
    '/x/.%2e/metrics',
    '/./metrics',
    '/%2e/metrics',
    '/metrics/.',
    '/metrics/x/%2e%2e',
    '/x/../metrics?a=b',
    'http://127.0.0.1/x/%2e%2e/metrics',
    '/api/v1/memory/facts/a/../b',
  ])('a request for %s is refused, because a proxy rule would see another path', async (path) => {
    await start({}, true);
    const response = await rawGet(path, await server.token('ada'));
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toContain('"error":"invalid_input"');
    expect(response).toContain('%2F');
  });

  it.each(['a/../b', '../b', 'b/..', '%2e%2e/x', '.../x', 'a/.b/c..'])(
    'a key "%s" is read, patched and deleted under its percent-encoded path',
    async (key) => {
      await start({}, true);
      const path = `/api/v1/memory/facts/${encodeURIComponent(key)}`;
      await server.call('ada', 'POST', '/api/v1/memory/store', { key, value: 'here' });
      expect(await rawGet(path, await server.token('ada'))).toContain('"value":"here"');
      expect(await rawGet(`${path}/history?x=/../y`, await server.token('ada'))).toContain('"version":1');
      expect((await server.call('ada', 'PATCH', path, { tags: ['t'] })).status).toBe(200);
      expect(await (await server.call('ada', 'DELETE', path)).json()).toEqual({ deleted: 1 });
    },
  );
});
