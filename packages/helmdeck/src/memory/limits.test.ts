import { describe, expect, it, onTestFinished } from 'vitest';
import { fakeClock } from '../testing/fake-clock.ts';
import { type TestServer, testServer } from '../testing/test-server.ts';
import { createLimits } from './limits.ts';
import type { Store } from './store.ts';

const clock = fakeClock();
let server: TestServer;

async function start(env: Record<string, string>) {
  server = await testServer({ now: clock.now, env });
  onTestFinished(() => server.close());
}
const store = (subject: string, key: string, more: object = {}) =>
  server.call(subject, 'POST', '/api/v1/memory/store', { key, value: 'x', ...more });

async function statuses(count: number, subject: string, prefix = 'k') {
  const all: number[] = [];
  for (let index = 0; index < count; index++) all.push((await store(subject, `${prefix}${index}`)).status);
  return all;
}

describe('the rate limit', () => {
  it('a burst of twice the rate passes, and the next write is refused with Retry-After', async () => {
    await start({ HELMDECK_RATE_LIMIT: '2' });
    expect(await statuses(5, 'ada')).toEqual([200, 200, 200, 200, 429]);
    const refused = await store('ada', 'more');
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({ error: 'rate_limited' });
    expect((await server.call('ada', 'GET', '/api/v1/memory/facts/more')).status).toBe(404);
    clock.advance(1000);
    expect(await statuses(3, 'ada')).toEqual([200, 200, 429]);
  });

  it('the rate limit of one caller affects neither other callers nor reads', async () => {
    await start({ HELMDECK_RATE_LIMIT: '1' });
    expect(await statuses(3, 'ada')).toEqual([200, 200, 429]);
    expect(await statuses(2, 'bob')).toEqual([200, 200]);
    expect((await server.call('ada', 'GET', '/api/v1/memory/facts/k0')).status).toBe(200);
  });

  it('the rate limit counts a renewal as a write', async () => {
    await start({ HELMDECK_RATE_LIMIT: '1' });
    await statuses(2, 'ada');
    const patch = await server.call('ada', 'PATCH', '/api/v1/memory/facts/k0', { ttl_seconds: 3600 });
    expect(patch.status).toBe(429);
  });

  it('the rate limit applies to each fact of a batch', async () => {
    await start({ HELMDECK_RATE_LIMIT: '2' });
    const facts = Array.from({ length: 6 }, (_, index) => ({ key: `k${index}`, value: 'x' }));
    const answer = await server.call('ada', 'POST', '/api/v1/memory/store/batch', { facts });
    const { results } = (await answer.json()) as { results: { error?: string; index: number }[] };
    expect(results.map(({ error }) => error ?? 'ok')).toEqual([
      ...Array(4).fill('ok'),
      ...Array(2).fill('rate_limited'),
    ]);
  });

  it('writes are not limited when the rate limit is off', async () => {
    await start({ HELMDECK_RATE_LIMIT: 'off' });
    expect(new Set(await statuses(50, 'ada'))).toEqual(new Set([200]));
  });
});

describe('the rate limit of reads', () => {
  const get = (subject: string, path: string) => server.call(subject, 'GET', `/api/v1/memory/${path}`);
  const mcp = (subject: string, path: string, method: string, params: object) =>
    server.call(
      subject,
      'POST',
      `/api/v1/mcp/${path}`,
      { jsonrpc: '2.0', id: 1, method, params },
      MCP_HEADERS,
    );
  const MCP_HEADERS = { accept: 'application/json, text/event-stream' };
  const callTool = (name: string, args: object) => ({ name, arguments: args });

  const reads: [string, (subject: string) => Promise<Response>][] = [
    ['a GET of a fact', (subject) => get(subject, 'facts/k')],
    ['a list of facts', (subject) => get(subject, 'facts')],
    [
      'a read of an MCP resource',
      (subject) => mcp(subject, 'memory', 'resources/read', { uri: 'helmdeck://my-memory' }),
    ],
    ['a QMD tool call', (subject) => mcp(subject, 'qmd', 'tools/call', callTool('status', {}))],
    [
      'an MCP tool call',
      (subject) => mcp(subject, 'memory', 'tools/call', callTool('memory_history', { key: 'k' })),
    ],
  ];
  it.each(reads)('%s is refused with Retry-After beyond ten times the write limit', async (_name, read) => {
    await start({ HELMDECK_RATE_LIMIT: '1' });
    let refused: Response | undefined;
    for (let count = 0; count <= 20 && !refused; count++) {
      const answer = await read('ada');
      if (answer.status === 429) refused = answer;
    }
    expect(refused?.headers.get('retry-after')).toBe('1');
    expect(await refused!.json()).toMatchObject({
      error: 'rate_limited',
      message: 'More than 10 reads a second.',
    });
    expect((await read('bob')).status).not.toBe(429);
    clock.advance(1000);
    expect((await read('ada')).status).not.toBe(429);
  });

  it('a search takes one read per result that it may return', async () => {
    await start({ HELMDECK_RATE_LIMIT: '1' });
    await store('ada', 'k');
    const search = (limit: number) => get('ada', `search?q=x&limit=${limit}`);
    expect((await search(10)).status).toBe(200);
    expect((await search(10)).status).toBe(429);
    clock.advance(2000);
    expect((await search(1)).status).toBe(200);
    expect((await search(10)).status).toBe(200);
  });

  it("an admin's search in another caller's memory takes nothing from that caller's rate", async () => {
    await start({ HELMDECK_RATE_LIMIT: '1' });
    await store('ada', 'k');
    const admin = await server.token('root', { scopes: ['admin'] });
    for (let count = 0; count < 5; count++) {
      const path = '/api/v1/memory/search?q=x&limit=100&caller=ada';
      const answer = await server.call(undefined, 'GET', path, undefined, {
        authorization: `Bearer ${admin}`,
      });
      expect(answer.status).toBe(200);
    }
    expect((await get('ada', 'search?q=x&limit=10')).status).toBe(200);
  });

  it('reads are not limited when the rate limit is off', async () => {
    await start({ HELMDECK_RATE_LIMIT: 'off' });
    for (let count = 0; count < 50; count++) expect((await get('ada', 'facts')).status).toBe(200);
  });
});

describe('the quota of facts', () => {
  it('a full fact quota refuses a new fact but not a new value of an existing one', async () => {
    await start({ HELMDECK_QUOTA_FACTS: '2' });
    expect(await statuses(3, 'ada')).toEqual([200, 200, 429]);
    const refused = await store('ada', 'more');
    expect(await refused.json()).toMatchObject({ error: 'quota_exceeded' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await store('ada', 'k1', { value: 'new' })).status).toBe(200);
    expect(await statuses(2, 'bob'), 'another caller has their own').toEqual([200, 200]);
  });

  it('a full fact quota accepts a new fact after one is forgotten', async () => {
    await start({ HELMDECK_QUOTA_FACTS: '2' });
    await statuses(2, 'ada');
    expect((await store('ada', 'more')).status).toBe(429);
    await server.call('ada', 'DELETE', '/api/v1/memory/facts/k0');
    expect((await store('ada', 'more')).status).toBe(200);
  });

  it.each(['before any sweep', 'after the sweep'])(
    'a full fact quota accepts a new fact when others expire, %s',
    async (when) => {
      await start({ HELMDECK_QUOTA_FACTS: '2' });
      await store('ada', 'a', { ttl_seconds: 3600 });
      await store('ada', 'b', { ttl_seconds: 3600 });
      clock.advance(3_599_999);
      expect((await store('ada', 'c')).status).toBe(429);
      clock.advance(1);
      if (when === 'after the sweep') await server.janitor!.sweep();
      expect((await store('ada', 'c')).status).toBe(200);
    },
  );

  it('the fact quota holds when many facts arrive concurrently', async () => {
    await start({ HELMDECK_QUOTA_FACTS: '5' });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => store('ada', `k${index}`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    const stats = await (await server.call('ada', 'GET', '/api/v1/memory/stats')).json();
    expect(stats).toMatchObject({ quota: { facts: { used: 5, limit: 5 } } });
  });
});

describe('the quota of bytes', () => {
  it('the byte quota counts older versions and refuses a value that does not fit', async () => {
    await start({ HELMDECK_QUOTA_BYTES: '4096' });
    const value = 'x'.repeat(1000);
    expect((await store('ada', 'a', { value })).status).toBe(200);
    expect((await store('ada', 'a', { value })).status).toBe(200);
    const third = await store('ada', 'a', { value });
    expect(third.status).toBe(429);
    expect(await third.json()).toMatchObject({ error: 'quota_exceeded' });
    expect(await (await server.call('ada', 'GET', '/api/v1/memory/facts/a')).json()).toMatchObject({
      version: 2,
    });
    await server.call('ada', 'DELETE', '/api/v1/memory/facts/a');
    expect((await store('ada', 'b', { value })).status).toBe(200);
  });
});

describe('createLimits with more callers than it tracks', () => {
  const CALLERS = 10_001;
  const nsOf = (index: number) => Buffer.from(`ns ${index}`);
  const emptyStore = { usage: async () => [] } as unknown as Store;

  it('the empty bucket of a caller that keeps writing is not evicted, however many others write', () => {
    const limits = createLimits(emptyStore, clock.now, { writesPerSecond: 2 });
    for (let write = 0; write < 4; write++) limits.takeWrites(nsOf(0), 1);
    const refused = () => limits.takeWrites(nsOf(0), 1);
    for (let index = 1; index < 2 * CALLERS; index++) {
      limits.takeWrites(nsOf(index), 1);
      if (index % 5_000 === 0) expect(refused).toThrow(/writes a second/);
    }
    expect(refused).toThrow(/writes a second/);
  });

  it.each(['takeWrites', 'takeRun'] as const)(
    '%s accepts one burst of each of 20,000 callers that take turns',
    (take) => {
      const limits = createLimits(emptyStore, clock.now, { writesPerSecond: 1 });
      let accepted = 0;
      for (let round = 0; round < 4; round++) {
        for (let index = 0; index < 20_000; index++) {
          try {
            limits[take](nsOf(index), 1);
            accepted++;
          } catch (thrown) {
            expect(thrown).toMatchObject({ code: 'rate_limited' });
          }
        }
      }
      expect(accepted).toBe(2 * 20_000);
    },
  );

  it('an open reservation stays counted, however many other callers reserve meanwhile', async () => {
    const limits = createLimits(emptyStore, clock.now, { quotaFacts: 1 });
    await limits.reserve(nsOf(0)).hold(1, 1);
    for (let index = 1; index < CALLERS; index++) limits.reserve(nsOf(index)).release();
    await expect(limits.reserve(nsOf(0)).hold(1, 1)).rejects.toMatchObject({ code: 'quota_exceeded' });
  });
});
