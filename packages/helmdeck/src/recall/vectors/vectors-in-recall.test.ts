import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eraseMemory } from '../../memory/erase/erase-memory.ts';
import { forget, parseScope } from '../../memory/erase/forget.ts';
import { patchFact, rememberFact } from '../../memory/facts/remember.ts';
import { createMemory, type Memory } from '../../memory/memory.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { createRecall, type Recall } from '../recall.ts';
import { type Embedder, EmbeddingError, unitVector } from './embedder.ts';

/** What the little embedder understands: words of one line mean the same. */
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

interface Little extends Embedder {
  /** Every document it was given. */
  read: string[];
  mood: 'well' | 'down' | 'rubbish' | 'silent';
  dimensions: number;
}
function littleEmbedder(id = 'little:1'): Little {
  const embedder: Little = {
    id,
    read: [],
    mood: 'well',
    dimensions: 8,
    async embed(texts, purpose, signal) {
      if (embedder.mood === 'down') throw new EmbeddingError('unreachable', 'It is down.');
      if (embedder.mood === 'rubbish') throw new EmbeddingError('rubbish', 'It talks nonsense.');
      if (embedder.mood === 'silent') {
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
/** Another start of the server, over the same store. */
function start(embedder: Embedder): Recall {
  const options = { thesaurus: { neighbours: () => [] }, maxBytes: 1 << 28, log: { info() {}, warn() {} } };
  open.push(createRecall(server.memory!.parts, { ...options, embedder }));
  return open.at(-1)!;
}
const store = (key: string, value: string, ttlSeconds = 36_000) =>
  rememberFact(memory, { key, value, tags: [], category: 'c', ttlSeconds }, { source: { surface: 'test' } });
const ask = (recall: Recall, text: string) => recall.search(memory, { text, limit: 10, explain: true });
const best = async (recall: Recall, text: string) => (await ask(recall, text)).hits[0]?.document.key;
async function settle(recall: Recall): Promise<void> {
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

describe('a vector', () => {
  it('is made in the background after a store, and finds what no word does', async () => {
    const embedder = littleEmbedder();
    const recall = start(embedder);
    await storeThree();
    await vi.waitFor(() => expect(embedder.read).toHaveLength(3), { timeout: 10_000, interval: 20 });
    await recall.embedded();
    expect(await best(recall, 'vehicle')).toBe('garage');
    expect(await best(recall, 'food')).toBe('dinner');
    const { hits, degraded } = await ask(recall, 'vehicle');
    expect(hits[0]!.why).toMatchObject({ lexical: 0, vector: expect.closeTo(1, 1), missing: ['vehicle'] });
    expect(degraded).toBeUndefined();
  });

  it('is not waited for: a fact without one is found by its words', async () => {
    const recall = start(littleEmbedder());
    await storeThree();
    expect(await best(recall, 'lasagne')).toBe('dinner');
    await recall.embedded();
    await store('later', 'zeppelin and lasagne');
    const { hits, abstained } = await ask(recall, 'zeppelin');
    expect([hits[0]!.document.key, abstained]).toEqual(['later', false]);
  });

  it('outlives a restart, and another model makes its own in place of it', async () => {
    const first = littleEmbedder();
    await storeThree();
    await settle(start(first));
    const again = littleEmbedder();
    const second = start(again);
    await settle(second);
    expect(again.read).toEqual([]);
    expect(await best(second, 'vehicle')).toBe('garage');
    const other = littleEmbedder('other:1');
    other.dimensions = 16;
    const third = start(other);
    await settle(third);
    expect(other.read).toHaveLength(3);
    expect(await best(third, 'vehicle')).toBe('garage');
    expect(await vectorRows()).toBe(3);
  });

  it('is counted for whoever looks after it, and so is what keeps it from being made', async () => {
    const embedder = littleEmbedder();
    const recall = start(embedder);
    await storeThree();
    await settle(recall);
    const whole = { model: 'little:1', state: 'idle', indexed: 3, waiting: 0 };
    expect((await recall.span(memory)).embeddings).toEqual(whole);
    embedder.mood = 'down';
    await store('later', 'a zeppelin');
    await vi.waitFor(async () => {
      expect((await recall.span(memory)).embeddings).toEqual({
        ...whole,
        state: 'backing_off',
        waiting: 1,
        problem: 'It is down.',
      });
    }, 10_000);
  });

  it('is made anew for another text, and the old one no longer counts', async () => {
    const embedder = littleEmbedder();
    const recall = start(embedder);
    await storeThree();
    await settle(recall);
    await store('garage', 'pizza oven');
    await settle(recall);
    expect(embedder.read.slice(3)).toEqual(['garage\npizza oven']);
    expect(
      (await ask(recall, 'vehicle')).hits.map(({ document, score }) => [document.key, score > 0.2]),
    ).not.toContainEqual(['garage', true]);
    expect(await vectorRows()).toBe(3);
    const restarted = littleEmbedder();
    await settle(start(restarted));
    expect(restarted.read).toEqual([]);
  });

  it('is kept when a fact is only renewed or filed elsewhere', async () => {
    const embedder = littleEmbedder();
    const recall = start(embedder);
    await storeThree();
    await settle(recall);
    await patchFact(memory, 'garage', { ttlSeconds: 72_000 });
    await patchFact(memory, 'garage', { category: 'other' });
    await store('garage', 'the automobile is red');
    await settle(recall);
    expect(embedder.read).toHaveLength(3);
    expect(await best(recall, 'vehicle')).toBe('garage');
    const restarted = littleEmbedder();
    const second = start(restarted);
    await settle(second);
    expect(restarted.read).toEqual([]);
    expect(await best(second, 'vehicle')).toBe('garage');
  });

  it.each(['key:garage', 'prefix:gar', 'category:c', 'facts', 'all'])(
    'goes with the fact: %s',
    async (scope) => {
      const recall = start(littleEmbedder());
      await store('garage', 'the automobile is red');
      await settle(recall);
      expect(await vectorRows()).toBe(1);
      await forget(memory, parseScope(scope));
      expect(await vectorRows()).toBe(0);
      expect((await ask(recall, 'vehicle')).hits).toEqual([]);
    },
  );

  it('goes with a fact that expires, and with an erased memory', async () => {
    const recall = start(littleEmbedder());
    await store('garage', 'the automobile is red', 3_600);
    await store('dinner', 'lasagne on Sunday');
    await settle(recall);
    clock.advance(3_600_000);
    expect((await ask(recall, 'vehicle')).hits.map(({ document }) => document.key)).not.toContain('garage');
    await server.janitor!.sweep();
    expect(await vectorRows()).toBe(1);
    await eraseMemory(memory, server.memory!.signer);
    expect(await vectorRows()).toBe(0);
    expect((await ask(recall, 'food')).hits).toEqual([]);
  });

  it('of a fact that was forgotten while it was being made is not kept', async () => {
    const embedder = littleEmbedder();
    const recall = start(embedder);
    await store('garage', 'the automobile is red');
    const { embed } = embedder;
    embedder.embed = async (texts, purpose, signal) => {
      if (purpose === 'document') await forget(memory, parseScope('key:garage'));
      return embed(texts, purpose, signal);
    };
    await settle(recall);
    expect(await vectorRows()).toBe(0);
  });
});

describe('an embedder on a bad day', () => {
  it.each(['down', 'rubbish', 'silent'] as const)(
    'that is %s breaks no store and no search',
    async (mood) => {
      const embedder = littleEmbedder();
      const recall = start(embedder);
      await storeThree();
      await settle(recall);
      embedder.mood = mood;
      expect(await store('later', 'a later automobile')).toMatchObject({ created: true });
      const answer = await ask(recall, 'automobile');
      expect(answer.degraded).toBe(true);
      expect(answer.hits.map(({ document }) => document.key).sort()).toEqual(['garage', 'later']);
      expect(answer.abstained).toBe(false);
    },
  );

  it('is asked again when it is well, and everything is as it should be', async () => {
    const embedder = littleEmbedder();
    embedder.mood = 'down';
    const recall = start(embedder);
    await storeThree();
    for (const word of ['a', 'b', 'c', 'd']) expect((await ask(recall, word)).degraded).toBe(true);
    embedder.mood = 'well';
    await recall.embedded();
    clock.advance(10_001);
    expect((await ask(recall, 'vehicle')).degraded).toBeUndefined();
    expect(await best(recall, 'vehicle')).toBe('garage');
  });

  it('that begins to answer in another dimension takes nothing away from what the words find', async () => {
    const embedder = littleEmbedder();
    const recall = start(embedder);
    await storeThree();
    await settle(recall);
    const byWords = (
      await start(Object.assign(littleEmbedder(), { mood: 'down' })).search(memory, {
        text: 'automobile',
        limit: 10,
      })
    ).hits[0]!.score;
    embedder.dimensions = 12;
    const answer = await ask(recall, 'automobile');
    expect(answer.hits[0]).toMatchObject({ document: { key: 'garage' }, score: byWords });
    expect(answer.degraded).toBe(true);
    await store('later', 'a later automobile');
    await settle(recall);
    expect((await ask(recall, 'later')).hits[0]!.document.key).toBe('later');
    // All vectors are made anew, so that after a while meaning counts again; also for the next start.
    for (const each of [recall, start(embedder)]) {
      await settle(each);
      await settle(each);
      const again = await ask(each, 'vehicle');
      expect(again.degraded).toBeUndefined();
      expect(again.hits.map((hit) => hit.document.key)).toContain('garage');
      expect(again.hits.find((hit) => hit.document.key === 'garage')!.why!.vector).toBeGreaterThan(0.5);
    }
  });
});
