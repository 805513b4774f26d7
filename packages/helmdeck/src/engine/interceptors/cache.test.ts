import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { forget, parseScope } from '../../memory/erase/forget.ts';
import { createMemory } from '../../memory/memory.ts';
import { fakeClock, runPack, type TestServer, testServer } from '../../testing/index.ts';
import { type CachePolicy, definePack, type Pack, type PackContext } from '../pack/pack.ts';

let server: TestServer;
let calls = 0;
afterEach(() => server.close());

interface CachedPack {
  cache?: CachePolicy;
  version?: string;
  handler?: (ec: PackContext) => unknown;
}

function cachedPack({ cache = { ttlSeconds: 60 }, version = 'v1', handler }: CachedPack = {}): Pack {
  return definePack({
    name: 'test.cached',
    version,
    description: 'Counts its calls.',
    input: z.object({
      n: z.number().default(1),
      title: z.string().optional(),
      list: z.array(z.any()).optional(),
    }),
    output: z.object({ calls: z.number(), text: z.string().optional() }),
    memory: { cache },
    deadlineMs: 5_000,
    handler: async (ec) => {
      calls++;
      return ((await handler?.(ec)) as { calls: number } | undefined) ?? { calls };
    },
  });
}

async function serverWith(pack: CachedPack = {}, now?: () => number): Promise<void> {
  calls = 0;
  server = await testServer({ packs: [cachedPack(pack)], now, env: { HELMDECK_RATE_LIMIT: 'off' } });
}

const run = (input: object = {}, options = {}) => runPack(server, 'ada', 'test.cached', input, options);
const ada = () => createMemory(server.memory!.parts, { subject: 'ada' });
/** Waits until background writes are in the store. */
const drained = () => server.memory!.parts.pending.drain();

describe('the result cache', () => {
  it('a repeated call is a cache hit with its age and does not run the handler', async () => {
    const clock = fakeClock();
    await serverWith({}, clock.now);
    expect(await run()).toMatchObject({ output: { calls: 1 }, cache: { status: 'miss', age_s: 0 } });
    await drained();
    clock.advance(59_999);
    expect(await run()).toMatchObject({ output: { calls: 1 }, cache: { status: 'hit', age_s: 59 } });
    clock.advance(1);
    expect(await run()).toMatchObject({ output: { calls: 2 }, cache: { status: 'miss', age_s: 0 } });
  });

  it('inputs that differ only in field order or omitted defaults share a cached result', async () => {
    await serverWith();
    await run({ n: 1, title: 'a', list: [{ a: 1, b: 2 }] });
    for (const same of [
      { title: 'a', n: 1, list: [{ b: 2, a: 1 }] },
      { title: 'a', list: [{ a: 1, b: 2 }] },
    ])
      expect((await run(same)).cache?.status).toBe('hit');
    for (const other of [
      { title: 'a', list: [{ a: 1, b: 3 }] },
      { title: 'b', list: [{ a: 1, b: 2 }] },
      { title: 'a', list: [{ a: 1 }, { b: 2 }] },
      {},
    ])
      expect((await run(other)).cache?.status, JSON.stringify(other)).toBe('miss');
  });

  it('cached results are private to each caller', async () => {
    await serverWith();
    await run();
    for (const options of [{ caller: { subject: 'bob' } }, { caller: { subject: 'ada', tenant: 'acme' } }])
      expect((await run({}, options)).cache?.status).toBe('miss');
  });

  it('a changed version or definition of a pack misses the cache', async () => {
    await serverWith();
    await run();
    await drained();
    server.engine.packs.register(cachedPack({ version: 'v2' }));
    expect((await run()).cache?.status).toBe('miss');
    server.engine.packs.register(cachedPack({ cache: { ttlSeconds: 61 } }));
    expect((await run({}, { version: 'v1' })).cache?.status).toBe('miss');
  });

  it('no-cache bypasses the cache and replaces the cached result', async () => {
    await serverWith();
    await run();
    expect(await run({}, { noCache: true })).toMatchObject({
      output: { calls: 2 },
      cache: { status: 'bypass' },
    });
    await drained();
    expect(await run()).toMatchObject({ output: { calls: 2 }, cache: { status: 'hit' } });
  });

  it('a result made with vault:read is not returned to a token without that scope', async () => {
    await serverWith({ handler: ({ scopes }) => ({ calls, text: String(scopes.has('vault:read')) }) });
    const scopes = new Set(['packs:run', 'vault:read']);
    expect(await run({}, { scopes })).toMatchObject({ output: { text: 'true' } });
    await drained();
    expect(await run()).toMatchObject({ output: { text: 'false' }, cache: { status: 'miss' } });
    expect(await run({}, { scopes })).toMatchObject({ output: { text: 'true' }, cache: { status: 'hit' } });
  });

  it('a pack can vary its cached results with vary', async () => {
    await serverWith({ cache: { ttlSeconds: 60, vary: ({ session }) => session ?? '' } });
    await run();
    const { session_id } = await begun();
    expect((await run({ _session_id: session_id })).cache?.status).toBe('miss');
    expect((await run({ _session_id: session_id })).cache?.status).toBe('hit');
  });

  it('a cache hit neither opens nor renews a session', async () => {
    await serverWith();
    await run();
    const { session_id } = await begun();
    await server.call('ada', 'DELETE', `/api/v1/sessions/${session_id}`);
    expect((await run({ _session_id: session_id })).cache?.status).toBe('hit');
    await expect(run({ n: 2, _session_id: session_id })).rejects.toMatchObject({
      code: 'session_unavailable',
    });
  });

  it('failures and invalid outputs are not cached', async () => {
    let answer: unknown = { calls: 'x' };
    await serverWith({
      handler: () => {
        if (answer instanceof Error) throw answer;
        return answer;
      },
    });
    await expect(run()).rejects.toMatchObject({ code: 'invalid_output' });
    answer = new Error('no');
    await expect(run()).rejects.toMatchObject({ code: 'handler_failed' });
    answer = { calls: 7 };
    expect(await run()).toMatchObject({ output: { calls: 7 }, cache: { status: 'miss' } });
  });

  it('results that contain a credential or are too large are not cached', async () => {
    const texts = [
      'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY0',
      'x'.repeat(1_100_000),
    ];
    await serverWith({ handler: ({ input }) => ({ calls, text: texts[(input as { n: number }).n] }) });
    for (const n of [0, 1]) {
      expect((await run({ n })).cache?.status).toBe('miss');
      await drained();
      expect((await run({ n })).cache?.status).toBe('miss');
      await drained();
    }
    const usage = await server.memory!.parts.store.usage(Date.now());
    expect(usage.filter(({ kind }) => kind === 'cache')).toEqual([]);
  });

  it('a result with an artifact key is cached, because the key is not taken for a credential', async () => {
    await serverWith({
      async handler({ artifacts }) {
        const { artifact_key } = await artifacts.put({ content: Buffer.from('text'), kind: 'text' });
        return { calls, text: JSON.stringify({ artifact_key }) };
      },
    });
    const { artifacts } = await run();
    expect(artifacts).toHaveLength(1);
    await drained();
    expect(await run()).toMatchObject({ artifacts, cache: { status: 'hit' } });
    expect(calls).toBe(1);
  });

  it('a stale result is returned while it is revalidated once in the background', async () => {
    const clock = fakeClock();
    await serverWith(
      { cache: { ttlSeconds: 60, staleSeconds: 60 }, handler: async () => void (await sleep(20)) },
      clock.now,
    );
    await run();
    await drained();
    clock.advance(61_000);
    const stale = await Promise.all([run(), run(), run()]);
    for (const each of stale)
      expect(each).toMatchObject({ output: { calls: 1 }, cache: { status: 'stale', age_s: 61 } });
    await expect.poll(() => calls).toBe(2);
    await sleep(40);
    await drained();
    expect(await run()).toMatchObject({ output: { calls: 2 }, cache: { status: 'hit', age_s: 0 } });
    clock.advance(120_001);
    expect((await run()).cache?.status, 'too old even to be stale').toBe('miss');
  });

  it('a thousand identical concurrent calls run the handler once', async () => {
    await serverWith({ handler: async () => void (await sleep(10)) });
    const results = await Promise.all(Array.from({ length: 1_000 }, () => run()));
    expect(calls).toBe(1);
    expect(results.filter(({ cache }) => cache?.status === 'miss')).toHaveLength(1);
    expect(results.filter(({ cache }) => cache?.status === 'hit')).toHaveLength(999);
    expect(new Set(results.map(({ output }) => JSON.stringify(output)))).toEqual(new Set(['{"calls":1}']));
  });

  it('all calls of a failed flight fail, and the next call runs the handler again', async () => {
    await serverWith({
      handler: async () => {
        await sleep(5);
        if (calls === 1) throw new Error('no');
      },
    });
    const results = await Promise.allSettled([run(), run(), run()]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(calls).toBe(1);
    expect(await run()).toMatchObject({ cache: { status: 'miss' } });
  });

  it('a flight survives the cancellation of one waiter and is cancelled with the last', async () => {
    let stopped = 0;
    await serverWith({
      handler: ({ signal }) => {
        signal.addEventListener('abort', () => stopped++);
        return sleep(60, { calls: 9 }, { signal });
      },
    });
    const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
    const leaving = run({}, { signal: first.signal });
    const staying = run({}, { signal: second.signal });
    await sleep(10);
    first.abort();
    await expect(leaving).rejects.toMatchObject({ reason: 'cancelled' });
    expect(await staying).toMatchObject({ output: { calls: 9 }, cache: { status: 'hit' } });
    const alone = run({ n: 2 }, { signal: third.signal });
    await sleep(10);
    stopped = 0;
    third.abort();
    await expect(alone).rejects.toMatchObject({ reason: 'cancelled' });
    expect(stopped).toBe(1);
    expect(await run({ n: 2 }), 'the next call starts a new run').toMatchObject({
      cache: { status: 'miss' },
    });
  });

  it('cached results are deleted by the forget scopes for them and by no other', async () => {
    await serverWith();
    await run();
    for (const scope of ['all', 'facts', 'packs', 'cache:test.other']) await forget(ada(), parseScope(scope));
    expect((await run()).cache?.status).toBe('hit');
    expect(await forget(ada(), parseScope('cache:test.cached'))).toBe(1);
    expect((await run()).cache?.status).toBe('miss');
    expect(await forget(ada(), parseScope('cache'))).toBe(1);
    expect((await run()).cache?.status).toBe('miss');
  });

  it('a fact stored under a cache key is never returned as a cached result', async () => {
    await serverWith();
    await run();
    await drained();
    const keys = await server.memory!.parts.directory.findOrCreate({ subject: 'ada' });
    const [row] = await server.memory!.parts.store.scan(keys.ns, { kinds: ['cache'], limit: 1 });
    expect(row).toBeTruthy();
    const facts = await server.call('ada', 'GET', '/api/v1/memory/facts');
    expect(await facts.json()).toEqual({ facts: [] });
    const context = await server.call('ada', 'GET', '/api/v1/memory/context');
    expect(await context.json()).toMatchObject({ entries: {} });
  });
});

async function begun(): Promise<{ session_id: string }> {
  return (await server.call('ada', 'POST', '/api/v1/sessions', {})).json() as Promise<{ session_id: string }>;
}
