import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eraseMemory } from '../../memory/erase/erase-memory.ts';
import { forget, parseScope } from '../../memory/erase/forget.ts';
import { patchFact } from '../../memory/facts/change-facts.ts';
import { rememberFact } from '../../memory/facts/remember.ts';
import { createMemory, type Memory } from '../../memory/memory.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { createRecall, type Recall } from '../recall.ts';
import { type Embedder, EmbeddingError, unitVector } from './embedder.ts';

/** The concepts of the test embedder: words of one line mean the same. */
const CONCEPTS = [
  ['car', 'automobile', 'vehicle'],
  ['pizza', 'lasagne', 'food'],
  ['deploy', 'release', 'rollout'],
];
const clock = fakeClock();
let server: TestServer;
let memory: Memory;
const open: Recall[] = [];
beforeEach(async () => {
  server = await testServer({ now: clock.now });
  memory = createMemory(server.memory!.parts, { subject: 'ada' });
});
afterEach(async () => {
  for (const recall of open.splice(0)) await recall.close();
  await server.close();
});

interface TestEmbedder extends Embedder {
  /** Every document it embedded. */
  read: string[];
  mode: 'working' | 'down' | 'rubbish' | 'hanging';
  dimensions: number;
}
function testEmbedder(id = 'little:1'): TestEmbedder {
  const embedder: TestEmbedder = {
    id,
    read: [],
    mode: 'working',
    dimensions: 8,
    async embed(texts, purpose, signal) {
      if (embedder.mode === 'down') throw new EmbeddingError('unreachable', 'It is down.');
      if (embedder.mode === 'rubbish') throw new EmbeddingError('rubbish', 'It returns rubbish.');
      if (embedder.mode === 'hanging') {
        await new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(new EmbeddingError('timeout', 'It is slow.')));
        });
      }
      if (purpose === 'document') embedder.read.push(...texts);
      return texts.map((text) => {
        const numbers = Array<number>(embedder.dimensions).fill(0);
        for (const [at, words] of CONCEPTS.entries())
          for (const word of words) if (text.toLowerCase().includes(word)) numbers[at]! += 1;
        if (!numbers.some(Boolean)) numbers[embedder.dimensions - 1] = 1;
        return unitVector(numbers)!;
      });
    },
    async close() {},
  };
  return embedder;
}
/** Starts another recall over the same store, as a restart would. */
function start(embedder: Embedder): Recall {
  const options = { wordbook: { neighbours: () => [] }, maxBytes: 1 << 28, log: { info() {}, warn() {} } };
  open.push(createRecall(server.memory!.parts, { ...options, embedder }));
  return open.at(-1)!;
}
const store = (key: string, value: string, ttlSeconds = 36_000) =>
  rememberFact(memory, { key, value, tags: [], category: 'c', ttlSeconds }, { source: { surface: 'test' } });
const ask = (recall: Recall, text: string) =>
  recall.search(memory, { text, limit: 10, explain: true }, (answer) => answer);
const best = async (recall: Recall, text: string) => (await ask(recall, text)).hits[0]?.document.key;
async function embedAll(recall: Recall): Promise<void> {
  await ask(recall, 'anything');
  await recall.embedded();
}
async function vectorRows(): Promise<number> {
  const keys = await memory.directory.find(memory.caller);
  return keys ? (await memory.store.scan(keys.ns, { kinds: ['vector'], limit: 1_000 })).length : 0;
}
async function storeThree(): Promise<void> {
  await store('garage', 'the automobile is red');
  await store('dinner', 'lasagne on Sunday');
  await store('work', 'rollout on Tuesday');
}

describe('vectors of facts', () => {
  it('a fact is embedded in the background after its store, and found without a common word', async () => {
    const embedder = testEmbedder();
    const recall = start(embedder);
    await storeThree();
    await vi.waitFor(() => expect(embedder.read).toHaveLength(3), { timeout: 60_000, interval: 20 });
    await recall.embedded();
    expect(await best(recall, 'vehicle')).toBe('garage');
    expect(await best(recall, 'food')).toBe('dinner');
    const { hits, degraded } = await ask(recall, 'vehicle');
    expect(hits[0]!.why).toMatchObject({ lexical: 0, vector: expect.closeTo(1, 1), missing: ['vehicle'] });
    expect(degraded).toBeUndefined();
  });

  it('a long fact is found by the one sentence in it that is meant, also after a restart', async () => {
    const embedder = testEmbedder();
    const recall = start(embedder);
    const about = (concept: string) =>
      `one more remark that mentions ${concept} and is long enough. `.repeat(5);
    await store('minutes', `${about('pizza')} ${about('pizza')} ${about('car')} ${about('deploy')}`);
    await store('diary', `${about('deploy')} ${about('pizza')} ${about('pizza')}`);
    await embedAll(recall);
    expect(embedder.read.length, 'windows').toBeGreaterThan(6);
    for (const each of [recall, start(embedder)]) {
      const { hits } = await ask(each, 'automobile');
      expect(hits[0]?.document.key).toBe('minutes');
      // Half the nearest window, which is about nothing else, and half the mean of all.
      expect(hits[0]?.why?.vector).toBeGreaterThan(0.55);
    }
  });

  it('a fact without a vector is found by its words', async () => {
    const recall = start(testEmbedder());
    await storeThree();
    expect(await best(recall, 'lasagne')).toBe('dinner');
    await recall.embedded();
    await store('later', 'zeppelin and lasagne');
    const { hits, abstained } = await ask(recall, 'zeppelin');
    expect([hits[0]!.document.key, abstained]).toEqual(['later', false]);
  });

  it('vectors survive a restart, and another model replaces them', async () => {
    const first = testEmbedder();
    await storeThree();
    await embedAll(start(first));
    const again = testEmbedder();
    const second = start(again);
    await embedAll(second);
    expect(again.read).toEqual([]);
    expect(await best(second, 'vehicle')).toBe('garage');
    const other = testEmbedder('other:1');
    other.dimensions = 16;
    const third = start(other);
    await embedAll(third);
    expect(other.read).toHaveLength(3);
    expect(await best(third, 'vehicle')).toBe('garage');
    expect(await vectorRows()).toBe(3);
  });

  it('span reports how many facts have a vector, and the problem of the embedder', async () => {
    const embedder = testEmbedder();
    const recall = start(embedder);
    await storeThree();
    await embedAll(recall);
    const whole = { model: 'little:1', state: 'idle', indexed: 3, waiting: 0 };
    expect((await recall.span(memory)).embeddings).toEqual(whole);
    embedder.mode = 'down';
    await store('later', 'a zeppelin');
    await vi.waitFor(async () => {
      expect((await recall.span(memory)).embeddings).toEqual({
        ...whole,
        state: 'backing_off',
        waiting: 1,
        problem: 'It is down.',
      });
    }, 60_000);
  });

  it('a changed fact is embedded again, and its old vector no longer counts', async () => {
    const embedder = testEmbedder();
    const recall = start(embedder);
    await storeThree();
    await embedAll(recall);
    await store('garage', 'pizza oven');
    await embedAll(recall);
    expect(embedder.read.slice(3)).toEqual(['garage\npizza oven']);
    expect(
      (await ask(recall, 'vehicle')).hits.map(({ document, score }) => [document.key, score > 0.2]),
    ).not.toContainEqual(['garage', true]);
    expect(await vectorRows()).toBe(3);
    const restarted = testEmbedder();
    await embedAll(start(restarted));
    expect(restarted.read).toEqual([]);
  });

  it('a fact whose text did not change keeps its vector', async () => {
    const embedder = testEmbedder();
    const recall = start(embedder);
    await storeThree();
    await embedAll(recall);
    await patchFact(memory, 'garage', { ttlSeconds: 72_000 });
    await patchFact(memory, 'garage', { category: 'other' });
    await store('garage', 'the automobile is red');
    await embedAll(recall);
    expect(embedder.read).toHaveLength(3);
    expect(await best(recall, 'vehicle')).toBe('garage');
    const restarted = testEmbedder();
    const second = start(restarted);
    await embedAll(second);
    expect(restarted.read).toEqual([]);
    expect(await best(second, 'vehicle')).toBe('garage');
  });

  it.each(['key:garage', 'prefix:gar', 'category:c', 'facts', 'all'])(
    'forgetting a fact deletes its vector: %s',
    async (scope) => {
      const recall = start(testEmbedder());
      await store('garage', 'the automobile is red');
      await embedAll(recall);
      expect(await vectorRows()).toBe(1);
      await forget(memory, parseScope(scope));
      expect(await vectorRows()).toBe(0);
      expect((await ask(recall, 'vehicle')).hits).toEqual([]);
    },
  );

  it('expiry and erasing a memory delete vectors', async () => {
    const recall = start(testEmbedder());
    await store('garage', 'the automobile is red', 3_600);
    await store('dinner', 'lasagne on Sunday');
    await embedAll(recall);
    clock.advance(3_600_000);
    expect((await ask(recall, 'vehicle')).hits.map(({ document }) => document.key)).not.toContain('garage');
    await server.janitor!.sweep();
    expect(await vectorRows()).toBe(1);
    await eraseMemory(memory, server.memory!.signer);
    expect(await vectorRows()).toBe(0);
    expect((await ask(recall, 'food')).hits).toEqual([]);
  });

  it('the vector of a fact forgotten while it was embedded is not stored', async () => {
    const embedder = testEmbedder();
    const recall = start(embedder);
    await store('garage', 'the automobile is red');
    const { embed } = embedder;
    embedder.embed = async (texts, purpose, signal) => {
      if (purpose === 'document') await forget(memory, parseScope('key:garage'));
      return embed(texts, purpose, signal);
    };
    await embedAll(recall);
    expect(await vectorRows()).toBe(0);
  });
});

describe('recall with a failing embedder', () => {
  it.each(['down', 'rubbish', 'hanging'] as const)(
    'stores and searches succeed by words while the embedder is %s',
    async (mode) => {
      const embedder = testEmbedder();
      const recall = start(embedder);
      await storeThree();
      await embedAll(recall);
      embedder.mode = mode;
      expect(await store('later', 'a later automobile')).toMatchObject({ created: true });
      const answer = await ask(recall, 'automobile');
      expect(answer.degraded).toBe(true);
      expect(answer.hits.map(({ document }) => document.key).sort()).toEqual(['garage', 'later']);
      expect(answer.abstained).toBe(false);
    },
  );

  it('after the embedder recovers, facts are embedded and searches are no longer degraded', async () => {
    const embedder = testEmbedder();
    embedder.mode = 'down';
    const recall = start(embedder);
    await storeThree();
    for (const word of ['a', 'b', 'c', 'd']) expect((await ask(recall, word)).degraded).toBe(true);
    embedder.mode = 'working';
    await recall.embedded();
    clock.advance(10_001);
    expect((await ask(recall, 'vehicle')).degraded).toBeUndefined();
    expect(await best(recall, 'vehicle')).toBe('garage');
  });

  it('when the dimensions change, searches go by words until every fact is embedded again', async () => {
    const embedder = testEmbedder();
    const recall = start(embedder);
    await storeThree();
    await embedAll(recall);
    const byWords = (await ask(start(Object.assign(testEmbedder(), { mode: 'down' })), 'automobile')).hits[0]!
      .score;
    embedder.dimensions = 12;
    const answer = await ask(recall, 'automobile');
    expect(answer.hits[0]).toMatchObject({ document: { key: 'garage' }, score: byWords });
    expect(answer.degraded).toBe(true);
    await store('later', 'a later automobile');
    await embedAll(recall);
    expect((await ask(recall, 'later')).hits[0]!.document.key).toBe('later');
    // Every fact is embedded again, after which vectors count; also after a restart.
    for (const each of [recall, start(embedder)]) {
      await embedAll(each);
      await embedAll(each);
      const again = await ask(each, 'vehicle');
      expect(again.degraded).toBeUndefined();
      expect(again.hits.map((hit) => hit.document.key)).toContain('garage');
      expect(again.hits.find((hit) => hit.document.key === 'garage')!.why!.vector).toBeGreaterThan(0.5);
    }
  });
});
