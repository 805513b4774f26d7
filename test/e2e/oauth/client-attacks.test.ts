import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEgressPolicy } from '../../../packages/helmdeck/src/packs/egress/egress-policy.ts';
import { createClientDocuments } from '../../../packages/helmdeck/src/surfaces/rest/oauth/client-documents.ts';
import { fakeClock, type TestServer } from '../../../packages/helmdeck/src/testing/index.ts';
import {
  application,
  CALLBACK,
  listTools,
  oauthServer,
  type Person,
  person,
  send,
} from '../../support/oauth-person.ts';

const clock = fakeClock(Date.UTC(2026, 0, 1, 12));
let server: TestServer;
let ada: Person;
beforeAll(async () => {
  server = await oauthServer({}, { now: clock.now });
  ada = await person(server);
});
beforeEach(() => clock.advance(120_000)); // for the limit of registrations
afterAll(() => server.close());

const consent = (query: string) =>
  ada.call('GET', `/api/v1/oauth/consent?query=${encodeURIComponent(query)}`);
const errorOf = async (response: Response) => ((await response.json()) as { error?: string }).error;

describe('client metadata documents', () => {
  let host: Server;
  let base: string;
  let requests = 0;
  let connections = 0;
  const documents: Record<string, (id: string) => string> = {
    '/client.json': (id) =>
      JSON.stringify({ client_id: id, client_name: 'Doc\u202eument', redirect_uris: [CALLBACK] }),
    '/other.json': () =>
      JSON.stringify({ client_id: 'https://claude.ai/client.json', redirect_uris: [CALLBACK] }),
    '/large.json': (id) =>
      JSON.stringify({ client_id: id, redirect_uris: [CALLBACK], pad: 'x'.repeat(10_000_000) }),
    '/script.json': (id) => JSON.stringify({ client_id: id, redirect_uris: ['javascript:alert(1)'] }),
    '/text.json': () => 'hello',
  };
  beforeAll(async () => {
    host = createServer((request, response) => {
      requests++;
      if (request.url === '/moved.json') return response.writeHead(302, { location: '/client.json' }).end();
      const document = documents[request.url!];
      if (!document) return response.writeHead(404).end();
      return response.setHeader('content-type', 'application/json').end(document(base + request.url));
    });
    host.on('connection', () => void connections++);
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  });
  afterAll(() => void host.close());

  it('a document at a private address is not fetched, whichever way the address is written', async () => {
    const app = await application(server);
    const { port } = new URL(base);
    for (const name of [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '169.254.169.254',
      '10.0.0.1',
    ])
      for (const scheme of ['http', 'https']) {
        const id = new URL(`${scheme}://${name}:${port}/client.json`).href;
        expect(await errorOf(await consent(app.asks({ client_id: id })))).toBe('invalid_client');
      }
    expect(connections).toBe(0);
  });

  it('a document whose public name leads to a private address is not fetched', async () => {
    const documents = createClientDocuments({
      policy: createEgressPolicy({ networks: [], hosts: [] }),
      userAgent: 'test',
      now: Date.now,
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    const id = `https://documents.example:${new URL(base).port}/client.json`;
    await expect(documents.read(id)).rejects.toMatchObject({ code: 'invalid_client' });
    expect(connections).toBe(0);
  });

  it('a document that everyone on the way could change, because it is not at an https URL, is not fetched', async () => {
    let lookups = 0;
    const documents = createClientDocuments({
      policy: createEgressPolicy({ networks: [], hosts: [] }),
      userAgent: 'test',
      now: Date.now,
      resolve: async () => {
        lookups++;
        return [];
      },
    });
    await expect(documents.read('http://documents.example/client.json')).rejects.toMatchObject({
      message: 'A client metadata document must be at an https URL.',
    });
    await expect(documents.read('https://documents.example/client.json')).rejects.toThrow();
    expect(lookups).toBe(1);
  });

  it('a document that the operator allowed connects, is cached, and must be small, at its own URL and about itself', async () => {
    const open = await oauthServer({ HELMDECK_EGRESS_ALLOWLIST: '127.0.0.1' });
    const off = await oauthServer({
      HELMDECK_EGRESS_ALLOWLIST: '127.0.0.1',
      HELMDECK_OAUTH_CLIENT_DOCUMENTS: 'off',
    });
    try {
      const who = await person(open);
      const app = await application(open);
      const read = async (path: string, as = who) => {
        const query = encodeURIComponent(app.asks({ client_id: base + path }));
        return (await as.call('GET', `/api/v1/oauth/consent?query=${query}`)).json();
      };
      requests = 0;
      const expected = { client: { id: `${base}/client.json`, name: 'Document', host: new URL(base).host } };
      expect(await read('/client.json')).toMatchObject(expected);
      expect(await read('/client.json')).toMatchObject(expected);
      expect(requests).toBe(1);
      for (const path of [
        '/other.json',
        '/large.json',
        '/script.json',
        '/text.json',
        '/moved.json',
        '/none.json',
        '/',
      ])
        expect(await read(path)).toMatchObject({ error: 'invalid_client' });
      expect(await read('/large.json')).toMatchObject({
        message: expect.stringContaining('larger than 5120 bytes'),
      });
      const unreachable = createServer();
      await new Promise<void>((resolve) => unreachable.listen(0, '127.0.0.1', resolve));
      const closed = `http://127.0.0.1:${(unreachable.address() as AddressInfo).port}`;
      await new Promise((resolve) => unreachable.close(resolve));
      const query = encodeURIComponent(app.asks({ client_id: `${closed}/client.json` }));
      expect(await (await who.call('GET', `/api/v1/oauth/consent?query=${query}`)).json()).toMatchObject({
        error: 'invalid_client',
        hint: expect.stringContaining('HELMDECK_OAUTH_CLIENT_DOCUMENTS=off'),
      });
      const back = await app.allowed(who, { client_id: `${base}/client.json` });
      const { status, body } = await app.redeem(back.searchParams.get('code')!, {
        client_id: `${base}/client.json`,
      });
      expect(status).toBe(200);
      expect((await listTools(open, body.access_token)).status).toBe(200);
      expect(await read('/client.json', await person(off))).toMatchObject({ error: 'invalid_client' });
    } finally {
      await open.close();
      await off.close();
    }
  });
});

describe('registration', () => {
  const register = (name: string, headers: Record<string, string> = {}) =>
    send(server, 'POST', '/oauth/register', {
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ client_name: name, redirect_uris: [CALLBACK] }),
    });

  it('an application that registers again keeps its id, and a flood of others removes none that a person approved', async () => {
    const app = await application(server, [CALLBACK], 'Kept');
    await app.allowed(ada);
    for (let count = 0; count < 505; count++) {
      clock.advance(2_000);
      expect((await register(`flood ${count}`)).status).toBe(201);
    }
    expect((await consent(app.asks())).status).toBe(200);
    expect((await application(server, [CALLBACK], 'Kept')).clientId).toBe(app.clientId);
    const rows = await server.memory!.parts.store.scan(server.memory!.parts.directory.system.ns, {
      kinds: ['oauth-client'],
      limit: 1_000,
    });
    expect(rows.filter(({ group }) => group !== null)).toHaveLength(500);
  });

  it('a network that registers without end is slowed down, with the time to wait', async () => {
    clock.advance(3_600_000);
    ada = await person(server);
    const statuses = [];
    for (let count = 0; count < 62; count++) statuses.push((await register('same')).status);
    expect(statuses.slice(0, 60).every((status) => status === 201)).toBe(true);
    const refused = await register('same');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('2');
  });
});
