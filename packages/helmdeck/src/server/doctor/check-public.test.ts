import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { checkPublic, type OwnServer } from './check-public.ts';

/** What a proxy does wrong. */
interface Fault {
  page?: (path: string) => boolean;
  dropRequest?: string;
  dropResponse?: string;
  status?: (path: string) => number | undefined;
}

let server: TestServer;
let proxy: Server;
let publicUrl: URL;
let own: OwnServer;
let fault: Fault = {};

const without = (headers: IncomingHttpHeaders, name: string | undefined) =>
  Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));

beforeAll(async () => {
  proxy = createServer((incoming, outgoing) => {
    const path = incoming.url!;
    if (fault.page?.(path))
      return outgoing.setHeader('content-type', 'text/html').end('<title>Log in</title>');
    const status = fault.status?.(path);
    if (status !== undefined) return outgoing.writeHead(status, { location: '/elsewhere' }).end();
    const { port } = new URL(server.url);
    const headers = without(incoming.headers, fault.dropRequest);
    const passed = request({ port, host: '127.0.0.1', path, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, without(answer.headers, fault.dropResponse));
      answer.pipe(outgoing);
    });
    return incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  publicUrl = new URL(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  server = await testServer({ socket: true, env: { HELMDECK_PUBLIC_URL: publicUrl.origin } });
  const token = await server.token('admin', { scopes: ['admin'], client: 'cli' });
  const connection = {
    fetch: (path: string, init: RequestInit = {}) =>
      fetch(server.url + path, { ...init, headers: { authorization: `Bearer ${token}` } }),
    close: async () => {},
  };
  own = { url: server.url, connection };
});
afterAll(async () => {
  proxy.close();
  await server.close();
});

async function found(broken: Fault, at: URL | undefined = publicUrl) {
  fault = broken;
  const checks = await checkPublic(at, own);
  return Object.fromEntries(checks.map(({ name, status, message }) => [name, `${status}: ${message}`]));
}

it('the doctor connects like an application, leaves nothing connected, and names what the internet could not use', async () => {
  expect(await found({})).toEqual({
    'Public URL': 'fail: It is not https: claude.ai and ChatGPT refuse to connect.',
    'Public name':
      'warn: 127.0.0.1 resolves to 127.0.0.1, which is not public: the internet cannot reach it.',
    Reached: `ok: ${publicUrl.origin} is a Helmdeck server.`,
    Metadata: `ok: The document of ${publicUrl.origin}/api/v1/mcp is there.`,
    Challenge: 'ok: A call without a token is told where to get one.',
    Issuer: `ok: ${publicUrl.origin}, letter for letter.`,
    Connecting: 'ok: Registered, allowed, got a token, listed tools, refreshed, and was disconnected.',
  });
  const tokens = await server.memory!.tokens.list();
  expect(tokens.filter(({ application, revoked_at }) => application && revoked_at === null)).toEqual([]);
});

it.each<[name: string, fault: Fault, check: string, message: RegExp]>([
  ['asks for a login of its own', { page: () => true }, 'Reached', /web page, such as a login of the proxy/],
  ['redirects', { status: () => 302 }, 'Reached', /redirects somewhere else/],
  ['keeps /.well-known for itself', { status: (path) => (path.startsWith('/.well-known') ? 404 : undefined) }, 'Metadata', /answers with status 404/],
  ['strips WWW-Authenticate', { dropResponse: 'www-authenticate' }, 'Challenge', /WWW-Authenticate does not arrive/],
  ['strips Authorization', { dropRequest: 'authorization' }, 'Connecting', /fails at the MCP call: status 401; does the proxy pass Authorization on/],
  ['blocks /oauth', { status: (path) => (path.startsWith('/oauth/token') ? 403 : undefined) }, 'Connecting', /fails at the token: status 403/],
])('behind a proxy that %s, the doctor says so in words', async (_name, broken, check, message) => {
  const checks = await found(broken);
  expect(checks[check]).toMatch(/^fail: /);
  expect(checks[check]).toMatch(message);
}); // biome-ignore format: a table

it('a public URL that is missing, is another one than clients use, or answers nothing is explained', async () => {
  expect(await checkPublic(undefined, own)).toMatchObject([{ name: 'Public URL', status: 'fail' }]);
  const localhost = new URL(publicUrl);
  localhost.hostname = 'localhost';
  const other = await found({}, localhost);
  expect(other.Metadata).toMatch(
    /^fail: The document names .* which clients compare with http:\/\/localhost/,
  );
  const { port } = new URL(server.url);
  const closed = new URL(`https://127.0.0.1:${port}`);
  const unsafe = await found({}, closed);
  expect(unsafe['Public URL']).toMatch(/^warn: It has the port/);
  expect(unsafe.Reached).toMatch(/^fail: .* could not be reached/);
  expect((await found({}, new URL('https://nowhere.invalid')))['Public name']).toMatch(/does not resolve/);
});
