import { afterEach, describe, expect, it } from 'vitest';
import { createEmbedQueue, type EmbedQueue } from './embed-queue.ts';
import { type Embedder, EmbeddingError, type EmbeddingErrorKind } from './embedder.ts';
import { createPendingJobs } from './pending-jobs.ts';

const open: EmbedQueue[] = [];
afterEach(async () => {
  for (const queue of open.splice(0)) await queue.close();
});

/** A queue over an embedder that fails as a function of the texts; backoff is recorded, not waited for. */
function make(
  failure: (texts: readonly string[], call: number) => EmbeddingErrorKind | EmbeddingError | undefined = () =>
    undefined,
  save: (id: string, vector: Float32Array, text: string) => Promise<void> = async () => {},
) {
  const calls: string[][] = [];
  const pauses: number[] = [];
  const saved = new Map<string, Float32Array>();
  const logged: string[] = [];
  const embedder: Embedder = {
    id: 'test',
    async embed(texts) {
      calls.push([...texts]);
      const why = failure(texts, calls.length);
      if (why) throw why instanceof EmbeddingError ? why : new EmbeddingError(why, why);
      return texts.map((text) => Float32Array.of(text.length));
    },
    async close() {},
  };
  const queue = createEmbedQueue({
    embedder,
    save: async (id, vector, text) => {
      await save(id, vector, text);
      saved.set(id, vector);
    },
    log: {
      info: (_fields, message) => logged.push(message),
      warn: (_fields, message) => logged.push(message),
    },
    now: () => 1_000,
    delay: async (ms) => pauses.push(ms),
    random: () => 1,
  });
  open.push(queue);
  return { queue, calls, pauses, saved, logged };
}

const jobs = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `id${i}`, text: `text ${i}` }));

describe('the embed queue', () => {
  it('every text is embedded in a batch and its vector saved', async () => {
    const { queue, calls, saved } = make();
    for (const job of jobs(150)) expect(queue.add(job)).toBe(true);
    expect(queue.status()).toMatchObject({ waiting: 150, done: 0 });
    await queue.drained();
    expect(saved.size).toBe(150);
    expect(calls.map((texts) => texts.length)).toEqual([64, 64, 22]);
    expect(queue.status()).toEqual({ state: 'idle', waiting: 0, done: 150, failed: 0, lastOkMs: 1_000 });
  });

  it('only the latest text of an id is embedded, and no removed one', async () => {
    const { queue, calls } = make();
    for (const text of ['old', 'newer', 'newest']) queue.add({ id: 'a', text });
    queue.add({ id: 'b', text: 'gone' });
    queue.remove('b');
    await queue.drained();
    expect(calls).toEqual([['newest']]);
  });

  it('the vector of a text replaced or removed meanwhile is not saved', async () => {
    let queue: EmbedQueue | undefined;
    const { calls, saved, ...rest } = make((_texts, call) => {
      if (call === 1) {
        queue!.add({ id: 'a', text: 'longer' });
        queue!.remove('b');
      }
      return undefined;
    });
    queue = rest.queue;
    queue.add({ id: 'a', text: 'x' });
    queue.add({ id: 'b', text: 'y' });
    await queue.drained();
    expect(calls).toEqual([['x', 'y'], ['longer']]);
    expect([...saved]).toEqual([['a', Float32Array.of(6)]]);
  });

  it('save receives the text exactly as it was added', async () => {
    const texts: string[] = [];
    const { queue } = make(undefined, async (_id, _vector, text) => void texts.push(text));
    queue.add({ id: 'a', text: 'half a character: \ud83d' });
    await queue.drained();
    expect(texts).toEqual(['half a character: \ud83d']);
  });

  it('a long text is embedded window by window, and a batch is limited by its size', async () => {
    const { queue, calls } = make();
    for (let i = 0; i < 20; i++) queue.add({ id: `${i}`, text: 'x'.repeat(65_536) });
    await queue.drained();
    expect(calls.map((texts) => texts.length)).toEqual([12 * 8, 8 * 8]);
    expect(calls[0]![0]).toHaveLength(320);
  });
});

describe('the embed queue when the endpoint fails', () => {
  it('an unreachable endpoint is retried with growing backoff and logged once', async () => {
    const { queue, pauses, logged, saved } = make((_texts, call) => (call <= 10 ? 'unreachable' : undefined));
    queue.add({ id: 'a', text: 'x' });
    await queue.drained();
    expect(pauses.length).toBeGreaterThan(3);
    expect(pauses.slice(0, 4)).toEqual([500, 1_000, 2_000, 4_000]);
    expect(logged).toEqual(['unreachable', 'Embeddings resumed.']);
    expect(saved.size).toBe(1);
    expect(queue.status()).toMatchObject({ failed: 0, lastError: { kind: 'unreachable', atMs: 1_000 } });
  });

  it('backoff never exceeds a minute', async () => {
    const { queue, pauses } = make((_texts, call) => (call <= 40 ? 'timeout' : undefined));
    queue.add({ id: 'a', text: 'x' });
    await queue.drained();
    expect(Math.max(...pauses)).toBe(60_000);
  });

  it('a rate limit is retried after its retryAfterMs', async () => {
    const limited = new EmbeddingError('rate_limited', 'slow down', { retryAfterMs: 90_000 });
    const { queue, pauses, calls } = make((_texts, call) => (call === 1 ? limited : undefined));
    queue.add({ id: 'a', text: 'x' });
    await queue.drained();
    expect(pauses).toEqual([90_000]);
    expect(calls).toEqual([['x'], ['x']]);
  });

  it.each<EmbeddingErrorKind>(['rubbish', 'refused'])(
    'the one text that fails with %s is given up, the rest of its batch saved',
    async (kind) => {
      const { queue, saved, pauses } = make((texts) => (texts.includes('text 37') ? kind : undefined));
      for (const job of jobs(64)) queue.add(job);
      await queue.drained();
      expect(saved.size).toBe(63);
      expect(queue.status()).toMatchObject({ waiting: 0, done: 63, failed: 1 });
      expect(pauses).toEqual([]);
    },
  );

  it('a text that makes the endpoint unreachable every time is given up after several attempts', async () => {
    const { queue, saved, calls } = make((texts) => (texts.includes('text 3') ? 'unreachable' : undefined));
    for (const job of jobs(8)) queue.add(job);
    await queue.drained();
    expect(saved.size).toBe(7);
    expect(queue.status().failed).toBe(1);
    expect(calls.filter((texts) => texts.includes('text 3')).length).toBeGreaterThan(4);
  });

  it('no text is given up while the endpoint fails for every text', async () => {
    const { queue, saved } = make((_texts, call) => (call <= 30 ? 'rubbish' : undefined));
    for (const job of jobs(10)) queue.add(job);
    await queue.drained();
    expect(saved.size).toBe(10);
    expect(queue.status().failed).toBe(0);
  });

  it.each<EmbeddingErrorKind>(['unreachable', 'refused'])(
    'no text is given up when the endpoint recovers between the text and the probe: %s',
    async (kind) => {
      for (let comesBackAt = 2; comesBackAt < 20; comesBackAt++) {
        const { queue, saved } = make((_texts, call) => (call < comesBackAt ? kind : undefined));
        queue.add({ id: 'a', text: 'x' });
        await queue.drained();
        expect(saved.size).toBe(1);
      }
    },
  );

  it('an embedder that throws an unknown error is retried, and its message not reported', async () => {
    const strange = {
      id: 'x',
      embed: () => Promise.reject(new TypeError('secret text')),
      close: async () => {},
    };
    const queue = createEmbedQueue({
      embedder: strange,
      save: async () => {},
      log: { info() {}, warn() {} },
      now: () => 0,
      delay: (_ms, signal) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
    });
    queue.add({ id: 'a', text: 'x' });
    while (queue.status().state !== 'backing_off') await new Promise(setImmediate);
    expect(JSON.stringify(queue.status())).not.toContain('secret');
    await queue.close();
    await queue.drained();
    expect(queue.add({ id: 'b', text: 'y' })).toBe(false);
    expect(queue.status()).toMatchObject({ state: 'idle', waiting: 1 });
  });
});

describe('the embed queue when a vector cannot be saved', () => {
  it('a failed save is retried without embedding again', async () => {
    let attempts = 0;
    const { queue, calls, saved } = make(undefined, async () => {
      if (++attempts <= 3) throw new Error('disk full');
    });
    queue.add({ id: 'a', text: 'x' });
    await queue.drained();
    expect(saved.size).toBe(1);
    expect(calls).toEqual([['x']]);
  });

  it('a vector that can never be saved is given up and does not delay the others', async () => {
    const { queue, saved } = make(undefined, async (id) => {
      if (id === 'id5') throw new Error('never');
    });
    for (const job of jobs(100)) queue.add(job);
    await queue.drained();
    expect(saved.size).toBe(99);
    expect(queue.status()).toMatchObject({ waiting: 0, done: 99, failed: 1, lastError: { kind: 'save' } });
  });
});

describe('pending jobs', () => {
  it('the number and the size of pending jobs are bounded', () => {
    const few = createPendingJobs(2, 10);
    expect([few.add({ id: 'a', text: 'xxxx' }), few.add({ id: 'b', text: 'xxxx' })]).toEqual([true, true]);
    expect(few.add({ id: 'c', text: 'x' })).toBe(false);
    expect(few.add({ id: 'b', text: 'xxxxxx' })).toBe(true);
    expect(few.add({ id: 'b', text: 'xxxxxxx' })).toBe(false);
    expect(few.size).toBe(1); // the old text of b is outdated
    expect(few.add({ id: 'c', text: 'xxxxxx' })).toBe(true);
  });

  it('batches that were put back come first, without jobs removed meanwhile', () => {
    const all = createPendingJobs();
    for (const id of ['a', 'b', 'c', 'd', 'e']) all.add({ id, text: id });
    const batch = all.take(4, 100);
    all.putBack(batch.slice(0, 2), batch.slice(2));
    all.remove('c');
    all.add({ id: 'b', text: 'new' });
    const taken = [1, 2, 3, 4].map(() => all.take(1, 100).map(({ id }) => id));
    expect(taken).toEqual([['a'], ['d'], ['e'], ['b']]);
  });
});
