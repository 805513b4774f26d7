import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutCredentials } from '../../packages/helmdeck/src/server/config/config.ts';
import { contextResponse } from '../../packages/helmdeck/src/surfaces/rest/schemas/fact-schemas.ts';
import { fakeClock, type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { callAs, everyRoute, routeName, type Who, withQuery } from '../support/every-route.ts';

const ADMIN: Who = { subject: 'root', scopes: ['admin'] };
const ADA: Who = { subject: 'ada' };
const get = (path: string) => ({ method: 'GET', path });
const mintFor = (body: object) => ({ method: 'POST', path: '/api/v1/tokens', body });

const clock = fakeClock(Date.UTC(2026, 0, 1, 12));
let server: TestServer;
beforeAll(async () => {
  server = await testServer({ now: clock.now, env: { HELMDECK_ADMIN_PASSWORD: 'correct horse' } });
});
afterAll(() => server.close());

describe('the query parameter caller', () => {
  const own = everyRoute('key', 'x').filter(({ route }) => route.path.startsWith('/api/v1/'));
  const named = own.map((probe) => ({ ...probe, path: withQuery(probe.path, 'caller=ada') }));
  const titled = (probes: typeof named) => probes.map((probe) => [routeName(probe.route), probe] as const);

  it.each(titled(named.filter(({ route }) => route.scope !== 'public')))(
    '?caller= on %s is 403 for ordinary callers',
    async (_name, probe) => {
      const answer = await callAs(server, ADA, probe);
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({ error: 'insufficient_scope' });
    },
  );

  it.each(titled(named.filter(({ route }) => !route.takesCaller)))(
    '?caller= on %s is 400 for admins too, because the route does not take it',
    async (_name, probe) => {
      const answer = await callAs(server, ADMIN, probe);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({
        error: 'invalid_input',
        message: expect.stringContaining('caller'),
      });
    },
  );

  it('?caller= is taken by every GET of memory but the list of callers and the tiers of an agent, and by the candidates', () => {
    const taking = own.filter(({ route }) => route.takesCaller).map(({ route }) => route.path);
    const gets = own.filter(
      ({ method, path }) => method === 'GET' && /^\/api\/v1\/(memory\/|procedures\/candidates$)/.test(path),
    );
    expect(taking).toEqual(
      gets.map(({ route }) => route.path).filter((path) => !path.match(/\/(callers|\{agent_id\})$/)),
    );
  });

  it.each(['caller=', 'caller=ada&caller=bob'])('?%s is rejected, not ignored', async (query) => {
    expect((await callAs(server, ADMIN, get(`/api/v1/memory/facts?${query}`))).status).toBe(400);
    expect((await callAs(server, ADA, get(`/api/v1/memory/facts?${query}`))).status).toBe(403);
  });
});

describe('names of Object.prototype', () => {
  const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];

  it('names of Object.prototype are categories and tags like any other', async () => {
    const who = { subject: 'proto' };
    for (const name of NAMES) {
      const body = { key: name, value: 'x', category: name, tags: [name] };
      expect((await callAs(server, who, { method: 'POST', path: '/api/v1/memory/store', body })).status).toBe(
        200,
      );
    }
    const read = async (path: string) => (await callAs(server, who, get(`/api/v1/memory/${path}`))).json();
    const { entries } = (await read('context')) as { entries: Record<string, { key: string }[]> };
    expect(Object.keys(entries).sort()).toEqual([...NAMES].sort());
    for (const [name, facts] of Object.entries(entries)) expect(facts.map(({ key }) => key)).toEqual([name]);
    expect(contextResponse.safeParse({ namespace: 'proto', entries: { constructor: [] } }).success).toBe(
      true,
    );
    const byName = (list: { name: string; count: number }[]) =>
      list.map(({ name, count }) => [name, count]).sort();
    const ones = NAMES.map((name) => [name, 1]).sort();
    const { categories, tags } = (await read('facets')) as Record<string, { name: string; count: number }[]>;
    expect(byName(categories!)).toEqual(ones);
    expect(byName(tags!)).toEqual(ones);
    const mine = (await read('mine')) as { categories: { name: string; count: number }[] };
    expect(byName(mine.categories)).toEqual(ones);
  });
});

describe('tokens', () => {
  it('no token is minted while authentication is off', async () => {
    const open = await testServer({ env: { HELMDECK_DISABLE_AUTH: '1' } });
    const body = { subject: 'root', scopes: ['admin'] };
    const answer = await open.call(undefined, 'POST', '/api/v1/tokens', body, { host: 'localhost' });
    expect(answer.status).toBe(403);
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({
      error: 'insufficient_scope',
      hint: expect.stringContaining('HELMDECK_DISABLE_AUTH'),
    });
    expect(await open.memory!.tokens.list()).toEqual([]);
    await open.close();
  });

  it('a token does not outlive the token it was minted with, unless an admin minted it', async () => {
    const expiry = async (who: Who, body: object) => {
      const answer = await callAs(server, who, mintFor(body));
      return ((await answer.json()) as { expires_at: string }).expires_at;
    };
    const inAnHour = new Date(clock.now() + 3_600_000).toISOString();
    expect(await expiry(ADA, { ttl_seconds: 31_536_000 })).toBe(inAnHour);
    expect(await expiry(ADA, {})).toBe(inAnHour);
    expect(await expiry(ADA, { ttl_seconds: 60 })).toBe(new Date(clock.now() + 60_000).toISOString());
    expect(await expiry(ADMIN, { ttl_seconds: 7200 })).toBe(new Date(clock.now() + 7_200_000).toISOString());
    const child = (await (await callAs(server, ADA, mintFor({}))).json()) as { token: string };
    expect((await server.auth.verify(child.token)).expiresMs).toBe(clock.now() + 3_600_000);
  });

  it('the list of tokens is paged', async () => {
    const who = { subject: 'collector' };
    for (let count = 0; count < 103; count++) await callAs(server, who, mintFor({ name: `n${count}` }));
    type Page = { tokens: { jti: string }[]; next_cursor?: string };
    const page = async (query: string) =>
      (await (await callAs(server, who, get(`/api/v1/tokens${query}`))).json()) as Page;
    const first = await page('');
    expect(first.tokens).toHaveLength(100);
    expect(first.next_cursor).toBe('100');
    const rest = await page(`?cursor=${first.next_cursor}`);
    expect(rest.tokens).toHaveLength(3);
    expect(rest).not.toHaveProperty('next_cursor');
    expect(new Set([...first.tokens, ...rest.tokens].map(({ jti }) => jti)).size).toBe(103);
    expect((await page('?limit=1')).tokens).toHaveLength(1);
    for (const query of ['limit=0', 'limit=201', 'cursor=x'])
      expect((await callAs(server, who, get(`/api/v1/tokens?${query}`))).status, query).toBe(400);
  });
});

describe('requests from other sites', () => {
  it.each([
    ['cross-site', 403],
    ['same-site', 403],
    ['same-origin', 200],
    ['none', 200],
  ])('Sec-Fetch-Site: %s without Origin gets %i while authentication is off', async (site, status) => {
    const addresses: Record<string, string>[] = [
      {},
      { HELMDECK_ADDR: '0.0.0.0:0', HELMDECK_ALLOW_INSECURE: '1' },
    ];
    for (const address of addresses) {
      const open = await testServer({ env: { HELMDECK_DISABLE_AUTH: '1', ...address } });
      const headers = { host: 'localhost:3000', 'sec-fetch-site': site };
      const answer = await open.call(undefined, 'GET', '/api/v1/memory/facts', undefined, headers);
      expect(answer.status).toBe(status);
      if (status === 403) expect(await answer.json()).toMatchObject({ error: 'forbidden_origin' });
      await open.close();
    }
  });

  it('/metrics without a token rejects Host names other than loopback (DNS rebinding)', async () => {
    const guarded = await testServer({ env: { HELMDECK_METRICS_TOKEN: 'metrics-token' } });
    const status = async (headers: Record<string, string>) =>
      (await guarded.call(undefined, 'GET', '/metrics', undefined, headers)).status;
    expect(await status({ host: 'evil.example:3000' })).toBe(403);
    expect(await status({ host: 'localhost.evil.example' })).toBe(403);
    for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000'])
      expect(await status({ host }), host).toBe(200);
    expect(await status({ host: 'proxy.example', authorization: 'Bearer metrics-token' })).toBe(200);
    expect(await status({ host: 'proxy.example', authorization: 'Bearer wrong' })).toBe(401);
    await guarded.close();
  });
});

describe('credentials in a URL', () => {
  it.each([
    ['postgres://u:p@host/db', 'postgres://********@host/db'],
    ['postgres://u:p/w0rd@host/db', 'postgres://********@host/db'],
    ['postgres://u:p?w#0@rd@host/db', 'postgres://********@host/db'],
    ['postgres://host/db?password=hunter2&ssl=1', 'postgres://host/db?password=********&ssl=1'],
    ['https://host/v1?Token=a&API_KEY=b&x=c', 'https://host/v1?Token=********&API_KEY=********&x=c'],
    ['postgres://host/db?ssl=1&secret=p@ss#w&a=b', 'postgres://********&a=b'],
    ['postgres://u:p?key=x@host/db', 'postgres://********'],
    ['./data/helmdeck.db', './data/helmdeck.db'],
    ['https://host/v1', 'https://host/v1'],
  ])('the URL %s is shown as %s', (address, shown) => {
    expect(withoutCredentials(address)).toBe(shown);
  });
});

describe('malformed requests', () => {
  let listening: TestServer;
  beforeAll(async () => {
    listening = await testServer({ socket: true });
  });
  afterAll(() => listening.close());

  it.each(['a b', 'ex<ample', '[::1', 'host/path', 'a@b'])(
    'a request with Host "%s" is 400 with the usual error envelope',
    async (host) => {
      const { status, body } = await new Promise<{ status?: number; body: string }>((resolve, reject) => {
        const sent = request(`${listening.url}/healthz`, { headers: { host } }, async (answer) => {
          let text = '';
          for await (const chunk of answer) text += chunk;
          resolve({ status: answer.statusCode, body: text });
        });
        sent.on('error', reject).end();
      });
      expect(status).toBe(400);
      expect(JSON.parse(body)).toMatchObject({ error: 'invalid_input', request_id: expect.any(String) });
    },
  );

  it('a request with a backslash in its path is 400 with the usual error envelope', async () => {
    const { hostname, port } = new URL(listening.url);
    const text = await new Promise<string>((resolve, reject) => {
      let received = '';
      connect(Number(port), hostname)
        .on('data', (data) => {
          received += data;
        })
        .on('end', () => resolve(received))
        .on('error', reject)
        .write('GET /\\x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    });
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(text).toContain('"error":"invalid_input"');
  });
});
