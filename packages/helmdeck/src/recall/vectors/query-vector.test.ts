import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Embedder, EmbeddingError } from './embedder.ts';
import { createQueryVectors, MAX_QUERY_BUDGET_MS, type QueryVectors } from './query-vector.ts';

/** An embedder whose calls the test resolves or rejects. */
function make(budgetMs: number) {
  const pending: { resolve(): void; reject(): void }[] = [];
  const asked: string[] = [];
  const clock = { ms: 0 };
  const embedder: Embedder = {
    id: 'test',
    embed: ([text]) =>
      new Promise((resolve, reject) => {
        asked.push(text!);
        pending.push({
          resolve: () => resolve([Float32Array.of(text!.length)]),
          reject: () => reject(new EmbeddingError('unreachable', 'down')),
        });
      }),
    async close() {},
  };
  const vectors = createQueryVectors({ embedder, now: () => clock.ms, budgetMs });
  const settleAll = async (how: 'resolve' | 'reject') => {
    for (const each of pending.splice(0)) each[how]();
    await new Promise(setImmediate);
  };
  /** Embeds a query, resolved or rejected at once. */
  const ask = async (query: string, how: 'resolve' | 'reject', owner = 'anna') => {
    const answer = vectors.of(query, owner);
    await settleAll(how);
    return answer;
  };
  return { vectors, asked, clock, settleAll, ask };
}

const LONG_MS = 30_000;

/** Time that passes only when the test says so. Returns a function that starts a query and lets it wait. */
function useFakeTime(vectors: QueryVectors) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  return async (query: string, ms: number) => {
    const answer = vectors.of(query, 'anna');
    await vi.advanceTimersByTimeAsync(ms);
    return answer;
  };
}

describe('query vectors', () => {
  it('the vector of a query is cached, separately for each owner', async () => {
    const { ask, asked } = make(LONG_MS);
    expect(await ask('abc', 'resolve')).toEqual(Float32Array.of(3));
    expect(await ask('abc', 'resolve')).toEqual(Float32Array.of(3));
    expect(asked).toEqual(['abc']);
    await ask('abc', 'resolve', 'bert');
    expect(asked).toEqual(['abc', 'abc']);
  });

  it('the cache evicts the least recently used query, and never holds very long ones', async () => {
    const { ask, asked } = make(LONG_MS);
    for (let i = 0; i < 256; i++) await ask(`query ${i}`, 'resolve');
    await ask('query 0', 'resolve');
    await ask('another', 'resolve');
    asked.length = 0;
    await ask('query 0', 'resolve');
    await ask('query 1', 'resolve');
    expect(asked).toEqual(['query 1']);
    await ask('x'.repeat(5_000), 'resolve');
    await ask('x'.repeat(5_000), 'resolve');
    expect(asked).toHaveLength(3);
  });

  it('concurrent calls for one query share one attempt', async () => {
    const { vectors, asked, settleAll } = make(LONG_MS);
    const answers = [vectors.of('abc', 'anna'), vectors.of('abc', 'anna')];
    await settleAll('resolve');
    expect(await Promise.all(answers)).toEqual([Float32Array.of(3), Float32Array.of(3)]);
    expect(asked).toHaveLength(1);
  });

  it('a vector that misses the budget gives degraded, and is cached for the next call', async () => {
    const { vectors, asked, settleAll } = make(1);
    expect(await vectors.of('abc', 'anna')).toBe('degraded');
    await settleAll('resolve');
    expect(await vectors.of('abc', 'anna')).toEqual(Float32Array.of(3));
    expect(asked).toHaveLength(1);
  });

  it('a late vector is no problem to report, as while a model loads, but three in a row are', async () => {
    const { vectors } = make(1);
    for (const query of ['a', 'b']) expect(await vectors.of(query, 'anna')).toBe('degraded');
    expect(vectors.problem()).toBeUndefined();
    expect(await vectors.of('c', 'anna')).toBe('degraded');
    expect(vectors.problem()).toBe('Embedding the query took too long.');
  });
});

describe('query vectors with a failing embedder', () => {
  it('three failures open the circuit; after ten seconds one query probes the embedder', async () => {
    const { vectors, ask, asked, clock, settleAll } = make(LONG_MS);
    for (const query of ['a', 'b', 'c', 'd']) expect(await ask(query, 'reject')).toBe('degraded');
    expect(asked).toEqual(['a', 'b', 'c']);
    clock.ms = 9_999;
    expect(await ask('e', 'resolve')).toBe('degraded');
    clock.ms = 10_000;
    const probe = vectors.of('f', 'anna');
    expect(await vectors.of('g', 'anna')).toBe('degraded');
    await settleAll('reject');
    expect(await probe).toBe('degraded');
    expect(await ask('h', 'resolve')).toBe('degraded');
    clock.ms = 20_000;
    expect(await ask('i', 'resolve')).toEqual(Float32Array.of(1));
    expect(await ask('j', 'resolve')).toEqual(Float32Array.of(1));
    expect(asked).toEqual(['a', 'b', 'c', 'f', 'i', 'j']);
  });

  it('three late vectors open the circuit: no search waits any more, and a vector in time closes it', async () => {
    const { vectors, ask, asked, settleAll } = make(20);
    const waitFor = useFakeTime(vectors);
    for (const query of ['a', 'b', 'c']) {
      expect(await waitFor(query, 21)).toBe('degraded');
      await settleAll('resolve');
    }
    // It is still tried, one at a time, and what comes is there for the next search.
    const answers = Promise.all(['d', 'e'].map((query) => vectors.of(query, 'anna')));
    const nextTick = new Promise((resolve) => setImmediate(resolve, 'waited'));
    expect(await Promise.race([answers, nextTick])).toEqual(['degraded', 'degraded']);
    expect(asked).toEqual(['a', 'b', 'c', 'd']);
    await settleAll('resolve'); // in time
    expect(vectors.problem()).toBeUndefined();
    expect(await ask('f', 'resolve')).toEqual(Float32Array.of(1));
    expect(await ask('d', 'reject')).toEqual(Float32Array.of(1));
  });

  it('searches wait longer for an embedder that is slow but reliable, until it misses once', async () => {
    const { vectors, settleAll } = make(10);
    const waitFor = useFakeTime(vectors);
    const askFor = async (query: string, ms: number) => {
      const answer = vectors.of(query, 'anna');
      await vi.advanceTimersByTimeAsync(ms);
      await settleAll('resolve');
      return answer;
    };
    for (let i = 0; i < 12; i++) await askFor(`learning ${i}`, 80);
    expect(await askFor('known', 80)).toEqual(Float32Array.of(5));
    expect(await waitFor('hanging', MAX_QUERY_BUDGET_MS)).toBe('degraded');
    expect(await askFor('not again', 80)).toBe('degraded');
  });

  it('cached queries are returned while the circuit is open', async () => {
    const { ask } = make(LONG_MS);
    await ask('known', 'resolve');
    for (const query of ['a', 'b', 'c']) await ask(query, 'reject');
    expect(await ask('known', 'reject')).toEqual(Float32Array.of(5));
  });

  it('a success resets the count of failures', async () => {
    const { ask, asked } = make(LONG_MS);
    for (const how of ['reject', 'reject', 'resolve', 'reject', 'reject', 'resolve'] as const)
      await ask(`query ${asked.length}`, how);
    expect(asked).toHaveLength(6);
  });

  it('a failed attempt counts once, however many calls wait for it', async () => {
    const { vectors, ask, settleAll } = make(LONG_MS);
    const waiting = [1, 2, 3, 4].map(() => vectors.of('same', 'anna'));
    await settleAll('reject');
    expect(await Promise.all(waiting)).toEqual(['degraded', 'degraded', 'degraded', 'degraded']);
    expect(await ask('next', 'resolve')).toEqual(Float32Array.of(4));
  });

  it('at most 32 queries are in flight, the rest are degraded', async () => {
    const { vectors, asked, settleAll } = make(LONG_MS);
    const many = Array.from({ length: 40 }, (_, i) => vectors.of(`query ${i}`, 'anna'));
    await settleAll('resolve');
    expect(asked).toHaveLength(32);
    expect((await Promise.all(many)).filter((each) => each === 'degraded')).toHaveLength(8);
  });
});
