import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { namespaceKeys, rowId, seal } from '../../memory/crypto/sealed.ts';
import { forget, parseScope } from '../../memory/erase/forget.ts';
import { patchFact } from '../../memory/facts/change-facts.ts';
import { rememberFact } from '../../memory/facts/remember.ts';
import { createMemory, type Memory } from '../../memory/memory.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { searchImage } from '../search.ts';
import type { Image } from './image.ts';
import { createImageCache, type ImageCache, type ImageCacheOptions } from './image-cache.ts';
import type { SnapshotStore } from './snapshot.ts';

const NO_THESAURUS = { neighbours: () => [] };
const HOUR_SECONDS = 3_600;
const clock = fakeClock();
let server: TestServer;
let memory: Memory;

beforeEach(async () => {
  server = await testServer({ now: clock.now, env: { HELMDECK_RATE_LIMIT: 'off' } });
  memory = createMemory(server.memory!.parts, { subject: 'ada' });
});
afterEach(() => server.close());

/** Each call is another node: it has its own image over the same store. */
const node = (options: Partial<ImageCacheOptions> = {}) =>
  createImageCache(server.memory!.parts, { maxBytes: 1 << 28, ...options });

function snapshotsInMemory() {
  const files = new Map<string, Buffer>();
  const nameOf = (ns: Uint8Array) => Buffer.from(ns).toString('hex');
  const snapshots: SnapshotStore = {
    async *read(ns) {
      yield files.get(nameOf(ns)) ?? Buffer.alloc(0);
    },
    async write(ns, chunks) {
      const parts: Uint8Array[] = [];
      for await (const chunk of chunks) parts.push(chunk);
      files.set(nameOf(ns), Buffer.concat(parts));
    },
    remove: async (ns) => void files.delete(nameOf(ns)),
  };
  return { files, snapshots };
}

const store = (key: string, value: string, tags: string[] = [], category = 'user_facts') =>
  rememberFact(
    memory,
    { key, value, tags, category, ttlSeconds: HOUR_SECONDS },
    { source: { surface: 'test' } },
  );
const keysOf = async () => (await memory.directory.find(memory.caller))!;
async function found(view: ImageCache, text: string): Promise<string[]> {
  const image = await view.current(await keysOf());
  const { hits } = searchImage(image, { text, limit: 100 }, NO_THESAURUS, clock.now());
  return hits.map((hit) => hit.document.key).sort();
}
async function storeMany(count: number): Promise<void> {
  for (let number = 0; number < count; number++) await store(`many/${number}`, `filler number ${number}`);
}

describe('several nodes on one store', () => {
  it('each of several nodes finds the newest value of every fact that any of them stored', async () => {
    const [one, two] = [node(), node()];
    await store('deploy', 'via Konflux');
    expect(await found(one, 'konflux')).toEqual(['deploy']);
    expect(await found(two, 'konflux')).toEqual(['deploy']);
    await store('deploy', 'via Tekton');
    expect(await found(two, 'konflux')).toEqual([]);
    expect(await found(one, 'tekton')).toEqual(['deploy']);
  });

  it('no node finds a fact that another one forgot, singly or in bulk', async () => {
    const [one, two] = [node(), node()];
    await store('a', 'alpha secretword');
    await store('b', 'beta secretword', [], 'travel');
    await store('c', 'gamma secretword', ['trip']);
    expect(await found(two, 'secretword')).toEqual(['a', 'b', 'c']);
    await forget(memory, parseScope('key:a'));
    expect(await found(two, 'secretword')).toEqual(['b', 'c']);
    await forget(memory, parseScope('tag:trip'));
    expect(await found(two, 'secretword')).toEqual(['b']);
    await forget(memory, parseScope('category:travel'));
    expect(await found(two, 'secretword')).toEqual([]);
    expect(await found(one, 'secretword')).toEqual([]);
  });

  it('after a bulk delete, every node finds the remaining and the new facts', async () => {
    const view = node();
    await store('kept', 'kept word');
    await store('gone', 'gone word', [], 'travel');
    expect(await found(view, 'word')).toEqual(['gone', 'kept']);
    await forget(memory, parseScope('category:travel'));
    await store('new', 'new word');
    await store('gone', 'back word');
    expect(await found(view, 'word')).toEqual(['gone', 'kept', 'new']);
    expect(await found(view, 'travel')).toEqual([]);
  });

  it('no node finds anything of a namespace that was erased and created again', async () => {
    const view = node();
    await store('before', 'old word');
    expect(await found(view, 'word')).toEqual(['before']);
    await memory.store.dropNamespace((await keysOf()).ns);
    memory.directory.forgetKeys((await keysOf()).ns);
    await store('after', 'new word');
    expect(await found(view, 'word')).toEqual(['after']);
  });

  it('concurrent searches share one load of the image', async () => {
    const view = node();
    await storeMany(300);
    let begun = 0;
    const { scan } = memory.store;
    memory.store.scan = (ns, options) => {
      if (options.afterSeq === 0) begun++;
      return scan(ns, options);
    };
    await Promise.all(Array.from({ length: 20 }, () => found(view, 'filler')));
    expect(begun).toBe(1);
  });
});

describe('a burst of stores', () => {
  it('a burst of stores does not delay a search, which reads only up to the position at which it began', async () => {
    await store('first', 'xylophone');
    let flooding = false;
    let pages = 0;
    const { parts } = server.memory!;
    const scan: typeof parts.store.scan = async (...args) => {
      const page = await parts.store.scan(...args);
      if (flooding && ++pages < 10) {
        await Promise.all(Array.from({ length: 200 }, (_, n) => store(`flood/${pages}/${n}`, 'water')));
      }
      return page;
    };
    const view = createImageCache({ ...parts, store: { ...parts.store, scan } }, { maxBytes: 1 << 28 });
    await found(view, 'xylophone');
    await storeMany(250);
    flooding = true;
    expect(await found(view, 'filler')).toHaveLength(100);
    expect(pages).toBe(2);
    flooding = false;
    expect(await found(view, 'water')).toHaveLength(100);
  });
});

describe('expiry', () => {
  it('a fact is found one millisecond before its expiry and not at its expiry, without any sweep', async () => {
    const view = node();
    clock.set(Math.ceil(clock.now() / 1000) * 1000);
    await store('brief', 'brief word');
    clock.advance(HOUR_SECONDS * 1000 - 1);
    expect(await found(view, 'brief')).toEqual(['brief']);
    clock.advance(1);
    expect(await found(view, 'brief')).toEqual([]);
    expect(await found(node(), 'brief')).toEqual([]);
  });

  it('an expiry that was moved earlier applies on a node that had read the later one, even after the row is swept', async () => {
    const view = node();
    clock.set(Math.ceil(clock.now() / 1000) * 1000);
    await rememberFact(
      memory,
      { key: 'brief', value: 'brief word', tags: [], category: 'c', ttlSeconds: 100 * HOUR_SECONDS },
      { source: { surface: 'test' } },
    );
    expect(await found(view, 'brief')).toEqual(['brief']);
    await patchFact(memory, 'brief', { ttlSeconds: HOUR_SECONDS });
    clock.advance(HOUR_SECONDS * 1000);
    await memory.store.sweep(clock.now(), 100);
    expect(await found(view, 'brief')).toEqual([]);
  });
});

describe('a snapshot', () => {
  it('an image loaded from a snapshot gives the same results as the rows, and catches up with later changes', async () => {
    const { files, snapshots } = snapshotsInMemory();
    await storeMany(600);
    await store('needle', 'the needle is in eu-west-1', ['on-call'], 'infra');
    const first = node({ snapshots });
    const before = await found(first, 'needle on call');
    await first.close();
    expect(files.size).toBe(1);
    await store('later', 'a later needle');
    await store('many/7', 'changed entirely');
    await forget(memory, parseScope('key:many/8'));
    const second = node({ snapshots });
    expect(await found(second, 'needle on call')).toEqual([...before, 'later'].sort());
    expect(await found(second, 'entirely')).toEqual(['many/7']);
    expect(await found(second, 'filler 8')).not.toContain('many/8');
    const image = await second.current(await keysOf());
    const plain = await node().current(await keysOf());
    const ask = (text: string) => ({ text, limit: 20, explain: true });
    for (const text of ['needle', 'filler number 42', 'eu west', 'needel', 'changed', 'infra']) {
      const answer = (from: Image) =>
        searchImage(from, ask(text), NO_THESAURUS, clock.now()).hits.map((hit) => ({
          ...hit,
          snippet: hit.snippet(),
        }));
      expect(answer(image)).toEqual(answer(plain));
    }
  });

  it('a snapshot is encrypted and contains no word of a fact', async () => {
    const { files, snapshots } = snapshotsInMemory();
    await storeMany(600);
    const view = node({ snapshots });
    await found(view, 'filler');
    await view.close();
    const [bytes] = files.values();
    expect(bytes!.includes('filler')).toBe(false);
    expect(bytes!.includes('many/')).toBe(false); // four letters alone may come about by chance
  });

  it('a snapshot never brings back facts that were forgotten or expired after it was written', async () => {
    const { snapshots } = snapshotsInMemory();
    await storeMany(600);
    await store('gone', 'forgotten word', [], 'travel');
    const view = node({ snapshots });
    await found(view, 'filler');
    await view.close();
    await forget(memory, parseScope('category:travel'));
    expect(await found(node({ snapshots }), 'forgotten')).toEqual([]);
    clock.advance(HOUR_SECONDS * 1000);
    expect(await found(node({ snapshots }), 'filler')).toEqual([]);
  });

  it('a snapshot contains no words of facts that were forgotten before it was written', async () => {
    const { files, snapshots } = snapshotsInMemory();
    await storeMany(600);
    await store('gone', 'xylophone');
    const view = node({ snapshots });
    expect(await found(view, 'xylophone')).toEqual(['gone']);
    await forget(memory, parseScope('key:gone'));
    await found(view, 'filler');
    await view.close();
    expect(files.size).toBe(1);
    const image = await node({ snapshots }).current(await keysOf());
    expect(image.index.lexicon.idOf('xylophon')).toBeUndefined();
  });

  it('a snapshot that is damaged, truncated or of another namespace is ignored', async () => {
    const { files, snapshots } = snapshotsInMemory();
    await storeMany(600);
    const view = node({ snapshots });
    await found(view, 'filler');
    await view.close();
    const [name, whole] = [...files][0]!;
    const flipped = Buffer.from(whole);
    flipped[Math.floor(whole.length / 2)]! ^= 1;
    for (const bytes of [
      flipped,
      whole.subarray(0, whole.length / 2),
      Buffer.from('rubbish'),
      Buffer.alloc(0),
    ]) {
      files.set(name, bytes);
      expect(await found(node({ snapshots }), 'filler 42')).toContain('many/42');
    }
    const other = createMemory(server.memory!.parts, { subject: 'bob' });
    const bobs = await other.directory.findOrCreate(other.caller);
    files.set(bobs.ns.toString('hex'), whole);
    const image = await node({ snapshots }).current(bobs);
    expect(image.documents.length).toBe(0);
  });
});

describe('memory use', () => {
  it('when images exceed the memory limit, the least recently used one is evicted and loads again on its next search', async () => {
    const view = node({ maxBytes: 1 });
    await store('mine', 'my word');
    expect(await found(view, 'word')).toEqual(['mine']);
    const bob = createMemory(server.memory!.parts, { subject: 'bob' });
    await view.current(await bob.directory.findOrCreate(bob.caller));
    expect(view.status().images).toBe(1);
    expect(await found(view, 'word')).toEqual(['mine']);
  });

  it('an image that was not used for 15 minutes is dropped', async () => {
    const view = node();
    await store('mine', 'my word');
    await found(view, 'word');
    clock.advance(15 * 60_000 + 1);
    await view.tidy();
    expect(view.status().images).toBe(0);
  });
});

it('a row that cannot be decrypted is skipped and counted', async () => {
  const view = node();
  await store('good', 'good word');
  await store('bad', 'bad word');
  const keys = await keysOf();
  const [, bad] = await memory.store.scan(keys.ns, { kinds: ['fact'], limit: 10 });
  const body = Buffer.from(bad!.body);
  body[20]! ^= 1;
  await memory.store.apply(keys, [{ type: 'put', row: { ...bad!, body, rev: bad!.rev + 1 } }]);
  expect(await found(view, 'word')).toEqual(['good']);
  expect(view.status().unreadable).toBe(1);
});

it('after a bulk forget, an image catches up with every later store, change and forget', async () => {
  const view = node();
  await storeMany(20);
  await store('trip', 'travel word', [], 'travel');
  await store('bad', 'bad word');
  const keys = await keysOf();
  const rows = await memory.store.scan(keys.ns, { kinds: ['fact'], limit: 100 });
  const bad = rows.at(-1)!;
  const body = Buffer.from(bad.body);
  body[20]! ^= 1;
  await memory.store.apply(keys, [{ type: 'put', row: { ...bad, body, rev: bad.rev + 1 } }]);
  expect(await found(view, 'word')).toEqual(['trip']);
  await forget(memory, parseScope('category:travel'));
  await store('many/3', 'replaced word');
  await store('late', 'late word');
  await forget(memory, parseScope('key:many/5'));
  expect(await found(view, 'word')).toEqual(['late', 'many/3']);
  expect(await found(view, 'filler')).toHaveLength(18);
  expect(view.status().unreadable).toBe(1);
});

it('an image finds nothing of a namespace that another node erased and filled again up to the same seq', async () => {
  const view = node();
  const before = await memory.directory.findOrCreate(memory.caller);
  for (const word of ['alpha', 'beta', 'gamma']) await store(word, `${word} secretword`);
  expect(await found(view, 'secretword')).toHaveLength(3);
  await memory.store.dropNamespace(before.ns);
  const record = await memory.store.createNamespace(before.ns, Buffer.alloc(64));
  const after = namespaceKeys(before.ns, record.generation, Buffer.alloc(32, 7));
  const position = {
    kind: 'fact',
    rev: 1,
    group: null,
    createdMs: 1,
    updatedMs: 1,
    expiresMs: null,
  } as const;
  for (const key of ['delta', 'epsilon', 'zeta']) {
    const row = seal(after, { ...position, id: rowId(after, 'fact', key) }, { key, value: 'another word' });
    await memory.store.apply(after, [{ type: 'put', row }]);
  }
  // Another node has the old key for a moment longer.
  const image = await view.current(before);
  expect(image.index.liveDocuments()).toBe(0);
});

it('an image of a large memory misses nothing when hundreds are forgotten one by one and others in bulk', async () => {
  const view = node();
  await storeMany(2_300);
  await store('trip', 'travel filler', [], 'travel');
  const keys = await keysOf();
  const live = async () => (await view.current(keys)).index.liveDocuments();
  expect(await live()).toBe(2_301);
  const ids = Array.from({ length: 450 }, (_, number) => rowId(keys, 'fact', `many/${number}`));
  await memory.store.apply(
    keys,
    ids.map((id) => ({ type: 'delete', id })),
  );
  expect(await live()).toBe(1_851);
  await storeMany(300);
  await forget(memory, parseScope('category:travel'));
  expect(await live()).toBe(2_150);
  expect(await found(view, 'travel')).toEqual([]);
});

it('a fact that was changed a thousand times takes the space of one', async () => {
  const view = node();
  for (let number = 0; number < 1_400; number++) {
    await store('counter', `word${number}`);
    await found(view, 'word');
  }
  expect(await found(view, 'word1399')).toEqual(['counter']);
  const image = await view.current(await keysOf());
  expect(image.documents.length).toBeLessThan(1_100);
});
