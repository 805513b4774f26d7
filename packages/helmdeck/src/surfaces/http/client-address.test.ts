import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import { parseNetwork } from '../../packs/egress/ip-address.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { clientAddress } from './client-address.ts';

async function addressSeen(peer: string, forwardedFor: string | undefined, trusted: string[]) {
  const app = new Hono();
  const networks = trusted.map((text) => parseNetwork(text)!);
  app.get('/', (c) => c.text(clientAddress(c, networks)));
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  const env = { incoming: { headers, socket: { remoteAddress: peer } } };
  return (await app.request('/', {}, env)).text();
}

describe('the address of a client', () => {
  it.each([
    ['a direct peer', '203.0.113.9', undefined, [], '203.0.113.9'],
    ['a direct peer that claims another address', '203.0.113.9', '10.0.0.1', [], '203.0.113.9'],
    [
      'a peer outside the trusted networks',
      '203.0.113.9',
      '198.51.100.1',
      ['127.0.0.1', '10.0.0.0/8'],
      '203.0.113.9',
    ],
    ['a trusted proxy', '127.0.0.1', '198.51.100.1', ['127.0.0.1'], '198.51.100.1'],
    ['a trusted proxy on an IPv6 socket', '::ffff:127.0.0.1', '198.51.100.1', ['127.0.0.1'], '198.51.100.1'],
    ['a trusted proxy with an IPv6 client', '::1', '2001:db8::7', ['::1'], '2001:db8::7'],
    [
      'a client that claims an address to a trusted proxy',
      '127.0.0.1',
      '10.9.9.9, 198.51.100.1',
      ['127.0.0.1'],
      '198.51.100.1',
    ],
    [
      'two trusted proxies in a row',
      '10.0.0.2',
      '1.1.1.1, 198.51.100.1,10.0.0.3',
      ['10.0.0.0/8'],
      '198.51.100.1',
    ],
    ['trusted proxies alone', '10.0.0.2', '10.0.0.4, 10.0.0.3', ['10.0.0.0/8'], '10.0.0.4'],
    ['a trusted proxy that adds ports', '127.0.0.1', '198.51.100.1:4711', ['127.0.0.1'], '198.51.100.1'],
    [
      'a trusted proxy that adds ports to IPv6',
      '127.0.0.1',
      '[2001:db8::7]:4711',
      ['127.0.0.1'],
      '2001:db8::7',
    ],
    ['a trusted proxy with an empty header', '127.0.0.1', '', ['127.0.0.1'], '127.0.0.1'],
    ['a trusted proxy without the header', '127.0.0.1', undefined, ['127.0.0.1'], '127.0.0.1'],
  ])('%s counts as the right-most untrusted address', async (_name, peer, forwarded, trusted, expected) => {
    expect(await addressSeen(peer, forwarded, trusted)).toBe(expected);
  });
});

it.each([
  'unknown',
  '_hidden',
  'unix:',
  '198.51.100.1, ',
  '198.51.100.1, 999.1.1.1',
  '127.0.0.1, x, 127.0.0.1',
])('a client that a trusted proxy calls %j is unknown, and not the proxy', async (forwardedFor) => {
  expect(await addressSeen('127.0.0.1', forwardedFor, ['127.0.0.1'])).toBe('unknown');
});

describe('logins through a proxy', () => {
  let server: TestServer;
  afterEach(() => server.close());
  const start = async (env: Record<string, string>) => {
    server = await testServer({ socket: true, env: { HELMDECK_ADMIN_PASSWORD: 'correct horse', ...env } });
  };
  const logIn = (password: string, forwardedFor: string) =>
    server.call(
      undefined,
      'POST',
      '/api/v1/auth/login',
      { username: 'admin', password },
      { 'x-forwarded-for': forwardedFor },
    );

  it('a client behind a trusted proxy that guesses passwords locks out itself alone', async () => {
    await start({ HELMDECK_TRUSTED_PROXIES: '127.0.0.1' });
    for (let count = 0; count < 5; count++)
      expect((await logIn('wrong', `198.51.100.${count}, 203.0.113.1`)).status).toBe(401);
    const locked = await logIn('correct horse', '203.0.113.1');
    expect(locked.status).toBe(429);
    expect(await locked.json()).toMatchObject({ reason: 'locked_out', hint: expect.stringMatching(/^Wait/) });
    expect((await logIn('correct horse', '203.0.113.2')).status).toBe(200);
  });

  it('only a trusted proxy decides whether the cookie is Secure, and under which name the page was loaded', async () => {
    const signIn = (headers: Record<string, string>) =>
      server.call(
        undefined,
        'POST',
        '/api/v1/auth/session',
        { username: 'admin', password: 'correct horse' },
        headers,
      );
    const overTls = { 'x-forwarded-proto': 'https' };
    // The proxy replaces Host by its own name for this server.
    const page = { origin: 'https://memory.local', 'x-forwarded-host': 'memory.local' };
    const isSecure = async () => (await signIn(overTls)).headers.get('set-cookie')!.includes('; Secure');
    await start({});
    expect(await isSecure()).toBe(false);
    expect((await signIn(page)).status).toBe(403);
    await server.close();
    const reachable = { HELMDECK_ADDR: '0.0.0.0:0', HELMDECK_TRUSTED_PROXIES: '127.0.0.1' };
    await start(reachable);
    expect(await isSecure()).toBe(true);
    expect((await signIn(page)).status).toBe(200);
    expect((await signIn({ ...page, 'x-forwarded-host': 'evil.example' })).status).toBe(403);
    // What the client itself claims is on the left.
    expect((await signIn({ ...page, 'x-forwarded-host': 'memory.local, other.local' })).status).toBe(403);
    expect((await signIn({ 'x-forwarded-proto': 'https, http' })).headers.get('set-cookie')).not.toContain(
      'Secure',
    );
  });

  it('an invitation link has the scheme and the name that a trusted proxy names, and nothing that another peer claims', async () => {
    const linkFor = async (name: string, headers: Record<string, string>) => {
      const authorization = `Bearer ${await server.token('admin', { scopes: ['admin'] })}`;
      const added = await server.call(
        undefined,
        'POST',
        '/api/v1/users',
        { name },
        {
          authorization,
          'x-forwarded-for': '203.0.113.9',
          ...headers,
        },
      );
      return new URL(((await added.json()) as { invitation: { url: string } }).invitation.url).origin;
    };
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'memory.local' };
    await start({});
    expect(await linkFor('ada', forwarded)).toBe(server.url);
    await server.close();
    await start({ HELMDECK_TRUSTED_PROXIES: '127.0.0.1' });
    expect(await linkFor('ada', forwarded)).toBe('https://memory.local');
    expect(await linkFor('bea', { 'x-forwarded-proto': 'https' })).toBe(
      server.url.replace('http:', 'https:'),
    );
  });

  it('guesses through a trusted proxy that hides its clients lock out those clients, and not the machine itself', async () => {
    await start({ HELMDECK_TRUSTED_PROXIES: '127.0.0.1' });
    for (let count = 0; count < 5; count++) expect((await logIn('wrong', 'unknown')).status).toBe(401);
    expect((await logIn('correct horse', 'unknown')).status).toBe(429);
    expect((await logIn('correct horse', '')).status).toBe(200);
  });

  it('clients behind a proxy that is not trusted count as one, and the refusal names the setting', async () => {
    await start({});
    for (let count = 0; count < 5; count++) await logIn('wrong', `203.0.113.${count}`);
    const locked = await logIn('correct horse', '203.0.113.99');
    expect(locked.status).toBe(429);
    expect(locked.headers.get('retry-after')).toBe('30');
    expect(await locked.json()).toMatchObject({
      reason: 'locked_out',
      hint: expect.stringContaining('HELMDECK_TRUSTED_PROXIES'),
    });
  });
});
