import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { forget, parseScope } from '../memory/erase/forget.ts';
import { rememberFact } from '../memory/facts/remember.ts';
import { createMemory, type Memory } from '../memory/memory.ts';
import type { Image } from '../recall/image/image.ts';
import { createImageCache, type ImageLoader } from '../recall/image/image-cache.ts';
import { type TestServer, testServer } from '../testing/test-server.ts';
import { type ImageLoaderOptions, startImageLoader } from './image-loader.ts';

// A worker thread loads a large memory; searches must return exactly what they return without it.

const FACTS = 1_200;
let folder: string;
let db: string;
let server: TestServer;
let memory: Memory;

const store = (key: string, value: string) =>
  rememberFact(
    memory,
    { key, value, tags: ['made'], category: 'c', ttlSeconds: 3_600 },
    { source: { surface: 'test' } },
  );

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-loader-'));
  db = join(folder, 'memory.db');
  server = await testServer({ env: { HELMDECK_DB: db, HELMDECK_WRITES_PER_SECOND: '1000000' } });
  memory = createMemory(server.memory!.parts, { subject: 'ada' });
  await Promise.all(
    Array.from({ length: FACTS }, (_, number) => store(`fact/${number}`, `filler ${number}`)),
  );
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const keysOf = async () => (await memory.directory.findOrCreate(memory.caller))!;
const { now } = Date;

function loaderOf(address = db, options: ImageLoaderOptions = {}): ImageLoader {
  const loader = startImageLoader(address, memory.store, now, options);
  onTestFinished(() => loader.close());
  return loader;
}

/** The contents of an image cache that uses the loader, by key. */
async function held(loader: ImageLoader): Promise<Map<string, string>> {
  const view = createImageCache(server.memory!.parts, { maxBytes: 1 << 28, loader });
  const image = await view.current(await keysOf());
  const facts = new Map<string, string>();
  for (let document = 0; document < image.documents.length; document++) {
    if (!image.documents.isLive(document, now())) continue;
    const { key, value } = image.documents.content(document);
    facts.set(key, value);
  }
  return facts;
}

describe('the image loader', () => {
  it('the image loader builds an image of a large memory at the position of the store', async () => {
    const made = (await loaderOf().load(await keysOf()))!;
    expect(made).toMatchObject({ unreadable: 0, changed: FACTS });
    expect(made.position).toEqual(await memory.store.position((await keysOf()).ns));
    expect(made.image.index.liveDocuments()).toBe(FACTS);
    expect((await held(loaderOf())).get('fact/77')).toBe('filler 77');
  });

  it('several threads build the same image as one, and a second load begins while the first still runs', async () => {
    const keys = await keysOf();
    const loader = loaderOf(db, { threads: 3, minSharedRows: 0 });
    const [made, again] = await Promise.all([loader.load(keys), loader.load(keys)]);
    const alone = (await loaderOf(db, { threads: 1 }).load(keys))!;
    const contents = ({ documents }: Image) =>
      Array.from({ length: documents.length }, (_, number) => documents.content(number).key).sort();
    for (const each of [made!, again!]) {
      expect(each).toMatchObject({ position: alone.position, unreadable: 0, changed: FACTS });
      expect(contents(each.image)).toEqual(contents(alone.image));
      for (const word of ['filler', '77']) {
        const frequency = ({ index }: Image) => index.postings.documentFrequency(index.lexicon.idOf(word)!);
        expect(frequency(each.image)).toBe(frequency(alone.image));
      }
    }
  });

  it('an image from the loader catches up with everything stored, replaced or forgotten before it arrives', async () => {
    const loader = loaderOf();
    const overtaken: ImageLoader = {
      ...loader,
      async load(keys) {
        const made = await loader.load(keys);
        expect(made).toBeDefined();
        await store('fact/1', 'replaced meanwhile');
        await store('late', 'came meanwhile');
        await forget(memory, parseScope('key:fact/2'));
        return made;
      },
    };
    const facts = await held(overtaken);
    expect(facts.get('fact/1')).toBe('replaced meanwhile');
    expect(facts.get('late')).toBe('came meanwhile');
    expect(facts.has('fact/2')).toBe(false);
    expect(facts.size).toBe(FACTS);
  });

  it('the image loader skips and counts a row that cannot be decrypted', async () => {
    const keys = await keysOf();
    const [row] = await memory.store.scan(keys.ns, { kinds: ['fact'], limit: 1 });
    const body = Buffer.from(row!.body);
    body[20]! ^= 1;
    await memory.store.apply(keys, [{ type: 'put', row: { ...row!, body, rev: row!.rev + 1 } }]);
    const view = createImageCache(server.memory!.parts, { maxBytes: 1 << 28, loader: loaderOf() });
    await view.current(keys);
    expect(view.status().unreadable).toBe(1);
    await memory.store.apply(keys, [{ type: 'delete', id: row!.id }]);
  });

  it('a small memory is loaded on the main thread', async () => {
    const bob = createMemory(server.memory!.parts, { subject: 'bob' });
    expect(await loaderOf().load(await bob.directory.findOrCreate(bob.caller))).toBeUndefined();
  });

  it('an unused image loader does not keep a command alive', () => {
    const source = JSON.stringify(new URL('./image-loader.ts', import.meta.url).href);
    const script = `import { startImageLoader } from ${source};
      startImageLoader(${JSON.stringify(db)}, {}, Date.now);
      setTimeout(() => {}, 1_500); // by then the thread runs`;
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
    expect(spawnSync(process.execPath, args, { timeout: 200_000 })).toMatchObject({ status: 0 });
  });

  it('the main thread loads the image if the loader cannot read or is stopped while it works', async () => {
    const blind = loaderOf(join(folder, 'another.db'));
    expect(await blind.load(await keysOf())).toBeUndefined();
    expect((await held(blind)).get('fact/77')).toBe('filler 77');

    const stopped = loaderOf();
    const loading = held(stopped);
    await stopped.close();
    expect((await loading).get('fact/77')).toBe('filler 77');
  });
});
