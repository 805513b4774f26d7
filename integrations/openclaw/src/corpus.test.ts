import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { freePort } from '../../../test/support/services/free-port.ts';
import { configOf, loadPlugin, mcpServer, type TestHost } from './test-host.ts';

let server: TestServer;
let adasToken: string;
let host: TestHost;

beforeAll(async () => {
  server = await testServer({ socket: true });
  adasToken = await server.token('ada', { scopes: ['memory:read'] });
  const facts = [
    { key: 'deploy/konflux', value: 'Releases go out through Konflux', category: 'ops' },
    { key: 'food/diet', value: 'no peanuts, please' },
  ];
  await server.call('ada', 'POST', '/api/v1/memory/store/batch', { facts });
  await server.call('bob', 'POST', '/api/v1/memory/store', {
    key: 'deploy/konflux',
    value: 'Bob has another Konflux',
  });
  await server.call('ada', 'POST', '/api/v1/packs/helmdeck.route', { user_intent: 'board a zeppelin' });
  host = loadPlugin(configOf(mcpServer(server.url, adasToken)));
});
afterAll(() => server.close());

/** A server that is not Helmdeck; counts its requests. */
async function stranger(answer: Parameters<typeof createServer>[1]) {
  let requests = 0;
  const http: Server = createServer((request, response) => {
    requests++;
    answer!(request, response);
  });
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    requests: () => requests,
    async close() {
      http.closeAllConnections();
      await new Promise((closed) => http.close(closed));
    },
  };
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it should have failed'),
    (thrown: Error) => thrown.message,
  );

describe('search', () => {
  it('search returns facts of the subject in OpenClaw’s format', async () => {
    const hits = await host.search({ query: 'what about konflux?', agentId: 'main' });
    expect(hits[0]).toMatchObject({
      corpus: 'helmdeck',
      path: 'helmdeck://facts/deploy/konflux',
      title: 'deploy/konflux',
      kind: 'fact',
      snippet: '## deploy/konflux\n\nReleases go out through Konflux\n\n(category: ops)',
      startLine: 1,
      endLine: 5,
      provenanceLabel: expect.stringContaining('A note somebody stored in Helmdeck'),
    });
    for (const { score } of hits) expect(score >= 0 && score <= 1).toBe(true);
    expect(JSON.stringify(hits)).not.toContain('Bob');
  });

  it('search returns nothing without a match and for an empty query', async () => {
    expect(await host.search({ query: 'submarine periscope' })).toEqual([]);
    expect(await host.search({ query: '  ' })).toEqual([]);
  });

  it('search respects maxResults, whatever the number', async () => {
    for (const maxResults of [1, 0, -3, 2.5, 1e9, Number.NaN])
      expect((await host.search({ query: 'konflux peanuts', maxResults })).length).toBeGreaterThan(0);
    expect(await host.search({ query: 'konflux peanuts', maxResults: 1 })).toHaveLength(1);
  });

  it('search takes words that look like commands, JSON or paths as words', async () => {
    for (const query of [
      '"},"collections":["x"]} deploy konflux',
      '../../etc/passwd deploy konflux',
      'konflux \u0000\u001b[31m',
      '\ud800 konflux',
      "deploy konflux'; DROP TABLE facts",
    ]) {
      const [hit] = await host.search({ query });
      expect(hit?.path, query).toBe('helmdeck://facts/deploy/konflux');
    }
  });

  it('search rejects a query that is too long', async () => {
    expect(await failure(host.search({ query: 'konflux '.repeat(200_000) }))).toContain('payload_too_large');
  });
});

describe('get', () => {
  it('get reads a fact in full or in part', async () => {
    const lookup = 'helmdeck://facts/deploy/konflux';
    expect(await host.get({ lookup })).toMatchObject({
      corpus: 'helmdeck',
      path: lookup,
      content: '## deploy/konflux\n\nReleases go out through Konflux\n\n(category: ops)',
      fromLine: 1,
      lineCount: 5,
    });
    expect(await host.get({ lookup, fromLine: 3, lineCount: 1 })).toMatchObject({
      content: 'Releases go out through Konflux',
      fromLine: 3,
      lineCount: 1,
    });
    expect(await host.get({ lookup, fromLine: 99 })).toMatchObject({ content: '', lineCount: 0 });
  });

  it('get ignores paths of other corpora without a request', async () => {
    const nobody = loadPlugin(configOf(mcpServer('http://127.0.0.1:1', adasToken)));
    for (const lookup of ['MEMORY.md', 'wiki/page.md', 'facts/deploy/konflux', 'https://helmdeck', ''])
      expect(await nobody.get({ lookup })).toBeNull();
  });

  it('get returns null for an unknown fact', async () => {
    for (const lookup of ['helmdeck://facts/none', 'helmdeck://', 'helmdeck://audit/pack/none#abcdef'])
      expect(await host.get({ lookup })).toBeNull();
  });

  it.each([
    'with space/ünï',
    '100%',
    '%2F',
    'a#b',
    'a?b=c&d',
    'helmdeck-ops/deploy',
    'qmd://x',
    'a//b',
    '../up',
    '"quoted"',
    '🦞/claw',
    '#802fc1',
  ])('get reads the fact "%s" under the path from search', async (key) => {
    const value = `word${Buffer.from(key).toString('hex')}`;
    const stored = await server.call('ada', 'POST', '/api/v1/memory/store', { key, value });
    expect(stored.status).toBe(200);
    const [hit] = await host.search({ query: value });
    expect(hit?.title).toBe(key);
    expect((await host.get({ lookup: hit!.path }))?.content).toContain(value);
  });

  it('get reads one of many runs with the same name', async () => {
    const hits = await host.search({ query: 'route pack call' });
    const run = hits.find(({ kind }) => kind === 'run');
    expect(run?.path).toMatch(/^helmdeck:\/\/audit\/pack\/helmdeck\.route#[0-9a-f]{12}$/);
    expect((await host.get({ lookup: run!.path }))?.content).toBe(run!.snippet);
  });
});

describe('failures', () => {
  it('an outage is thrown with a message without the token', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const away = loadPlugin(configOf(mcpServer(url, adasToken)));
    const said = await failure(away.search({ query: 'konflux' }));
    expect(said).toBe(`Helmdeck at ${url} cannot be reached (ECONNREFUSED).`);
    expect(await failure(away.get({ lookup: 'helmdeck://facts/x' }))).toBe(said);
  });

  it('for OpenClaw up to 2026.7 an outage is returned as a hit', async () => {
    const away = loadPlugin(configOf(mcpServer('http://127.0.0.1:1', adasToken)));
    const [said, ...more] = await away.search({ query: 'konflux', corpus: 'all' });
    expect(more).toEqual([]);
    expect(said).toMatchObject({ kind: 'warning', score: 0 });
    expect(said!.snippet).toContain('do not cover Helmdeck');
    expect(await failure(away.search({ query: 'konflux', corpus: 'wiki' }))).toContain('cannot be reached');
  });

  it('a closed keep-alive connection is retried', async () => {
    const closing = await stranger((request, response) => {
      if (closing.requests() === 1) request.socket.destroy();
      else response.end(JSON.stringify({ result: { structuredContent: { results: [] } } }));
    });
    const again = loadPlugin(configOf(mcpServer(closing.url, adasToken)));
    expect(await again.search({ query: 'konflux' })).toEqual([]);
    await closing.close();
  });

  it('a server that does not respond times out', async () => {
    const silent = await stranger(() => {});
    const waiting = loadPlugin(configOf(mcpServer(silent.url, adasToken), { timeoutMs: 150 }));
    expect(await failure(waiting.search({ query: 'konflux' }))).toContain('did not answer within 150 ms');
    await silent.close();
  });

  it('a redirect is not followed, so the token is not sent elsewhere', async () => {
    const thief = await stranger((_, response) => response.end('{}'));
    const moved = await stranger((_, response) => response.writeHead(307, { location: thief.url }).end());
    const host = loadPlugin(configOf(mcpServer(moved.url, adasToken)));
    expect(await failure(host.search({ query: 'konflux' }))).toContain('cannot be reached');
    expect(thief.requests()).toBe(0);
    await Promise.all([thief.close(), moved.close()]);
  });

  it.each(['<html>hello</html>', '{}', '[]', 'null', '{"result":{"content":[]}}', '{"result":null}'])(
    'a server that is not Helmdeck is reported as such: %s',
    async (body) => {
      const other = await stranger((_, response) => response.end(body));
      const host = loadPlugin(configOf(mcpServer(other.url, adasToken)));
      expect(await failure(host.search({ query: 'konflux' }))).toContain('not Helmdeck');
      await other.close();
    },
  );

  it('wrong, expired and insufficient tokens give different errors', async () => {
    const expired = await server.token('ada', { ttlSeconds: -5 });
    const weak = await server.token('ada', { scopes: ['memory:write'] });
    for (const [token, code] of [
      ['nonsense', 'invalid_token'],
      [expired, 'token_expired'],
      [weak, 'insufficient_scope'],
    ] as const) {
      const refused = loadPlugin(configOf(mcpServer(server.url, token)));
      const said = await failure(refused.search({ query: 'konflux' }));
      expect(said).toContain(`(${code})`);
      expect(said).not.toContain(token);
    }
  });

  it('memory that is off is an error, not an empty result', async () => {
    const off = await testServer({ socket: true, env: { HELMDECK_MEMORY: 'off' } });
    const host = loadPlugin(configOf(mcpServer(off.url, await off.token('ada'))));
    expect(await failure(host.search({ query: 'konflux' }))).toContain('qmd_unavailable');
    await off.close();
  });
});

describe('with a token per agent', () => {
  let perAgent: TestHost;
  beforeAll(async () => {
    const agents = { main: { token: adasToken }, Work: { token: await server.token('bob') } };
    perAgent = loadPlugin(configOf(mcpServer(server.url, adasToken), { agents }));
  });

  it('with a token per agent, each agent sees its own memory', async () => {
    const [mains] = await perAgent.search({ query: 'konflux', agentId: 'main' });
    const [works] = await perAgent.search({ query: 'konflux', agentId: 'work' });
    expect(mains?.snippet).toContain('Releases');
    expect(works?.snippet).toContain('Bob');
  });

  it('the agent is taken from the session key of older versions', async () => {
    const [works] = await perAgent.search({ query: 'konflux', agentSessionKey: 'agent:work:telegram:1' });
    expect(works?.snippet).toContain('Bob');
  });

  it.each([
    { agentId: 'guest' },
    { agentId: '__proto__' },
    { agentId: 'constructor' },
    { agentId: '' },
    { agentSessionKey: 'main' },
    { agentSessionKey: 'agent:guest:main' },
    {},
  ])('an agent without a token is refused without a request: %o', async (agentRef) => {
    const counting = await stranger((_, response) => response.end('{}'));
    const closed = loadPlugin(
      configOf(mcpServer(counting.url, adasToken), {
        token: adasToken,
        agents: { main: { token: adasToken } },
      }),
    );
    expect(await failure(closed.search({ query: 'konflux', ...agentRef }))).toContain(
      'has no Helmdeck token',
    );
    expect(await failure(closed.get({ lookup: 'helmdeck://facts/x', ...agentRef }))).toContain(
      'has no Helmdeck token',
    );
    expect(counting.requests()).toBe(0);
    await counting.close();
  });

  it('an empty list of agents refuses every agent', async () => {
    const closed = loadPlugin(configOf(mcpServer(server.url, adasToken), { agents: {} }));
    expect(await failure(closed.search({ query: 'konflux', agentId: 'main' }))).toContain('"main" has no');
  });
});
