import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forget, parseScope } from '../../memory/erase/forget.ts';
import { rememberFact } from '../../memory/facts/remember.ts';
import { createMemory, type Memory } from '../../memory/memory.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { searchImage } from '../search.ts';
import { createImageCache, type ImageCache } from './image-cache.ts';
import { readSnapshot, type SnapshotStore } from './snapshot.ts';

const QUIET_MS = 6_000;
const clock = fakeClock();
let server: TestServer;
let memory: Memory;
beforeEach(async () => {
  server = await testServer({ now: clock.now });
  memory = createMemory(server.memory!.parts, { subject: 'ada' });
});
afterEach(() => server.close());

/** A snapshot store whose writes wait until they are let through. */
function slowSnapshots() {
  let file: Buffer | undefined;
  let letThrough = () => {};
  const gate = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  let begun = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const snapshots: SnapshotStore = {
    async *read() {
      if (file) yield file;
    },
    async write(_ns, chunks) {
      const parts: Uint8Array[] = [];
      for await (const chunk of chunks) parts.push(chunk);
      begun();
      await gate;
      file = Buffer.concat(parts);
    },
    async remove() {
      file = undefined;
    },
  };
  return { snapshots, letThrough, hasBegun, file: () => file };
}
function openSnapshots() {
  const slow = slowSnapshots();
  slow.letThrough();
  return slow;
}
const node = (snapshots: SnapshotStore, onProblem?: (what: string) => void) =>
  createImageCache(server.memory!.parts, { maxBytes: 1 << 28, snapshots, onProblem });
const keysOf = async () => (await memory.directory.find(memory.caller))!;
const store = (key: string, value: string, ttlSeconds = 36_000) =>
  rememberFact(memory, { key, value, tags: [], category: 'c', ttlSeconds }, { source: { surface: 'test' } });
async function storeMany(): Promise<void> {
  await Promise.all(Array.from({ length: 600 }, (_, number) => store(`many/${number}`, `filler ${number}`)));
}
async function found(view: ImageCache, text: string): Promise<string[]> {
  const image = await view.current(await keysOf());
  const { hits } = searchImage(image, { text, limit: 5 }, { neighbours: () => [] }, clock.now());
  return hits.map((hit) => hit.document.key);
}
/** The terms in the decrypted snapshot. */
async function termsIn(snapshots: SnapshotStore): Promise<readonly string[]> {
  const snapshot = await readSnapshot(snapshots, await keysOf()).catch(() => undefined);
  const { size = 0, term } = snapshot?.image.index.lexicon ?? {};
  return Array.from({ length: size }, (_, id) => term!(id));
}

describe('a snapshot that is written in the background', () => {
  it('a background snapshot does not contain facts that were forgotten after the last search', async () => {
    const { snapshots } = openSnapshots();
    await storeMany();
    await store('gone', 'xylophone');
    const view = node(snapshots);
    expect(await found(view, 'xylophone')).toEqual(['gone']);
    await forget(memory, parseScope('key:gone'));
    clock.advance(QUIET_MS);
    await view.tidy();
    const terms = await termsIn(snapshots);
    expect(terms).toContain('filler');
    expect(terms).not.toContain('xylophon');
  });

  it('a background snapshot does not contain expired facts', async () => {
    const { snapshots } = openSnapshots();
    await storeMany();
    await store('brief', 'xylophone', 3_600);
    const view = node(snapshots);
    expect(await found(view, 'xylophone')).toEqual(['brief']);
    clock.advance(3_601_000);
    await view.tidy();
    const terms = await termsIn(snapshots);
    expect(terms).toContain('filler');
    expect(terms).not.toContain('xylophon');
  });

  it.each(['drop', 'dropSnapshot'] as const)(
    'a snapshot is deleted by %s, even while it is being written',
    async (how) => {
      const { snapshots, letThrough, hasBegun, file } = slowSnapshots();
      await storeMany();
      const view = node(snapshots);
      await found(view, 'filler');
      clock.advance(QUIET_MS);
      const tidied = view.tidy();
      await hasBegun;
      const dropped = view[how]((await keysOf()).ns);
      letThrough();
      await Promise.all([tidied, dropped]);
      expect(file()).toBeUndefined();
    },
  );

  it('no snapshot is written for an erased memory', async () => {
    const { snapshots, file } = openSnapshots();
    await storeMany();
    const view = node(snapshots);
    await found(view, 'filler');
    await memory.store.dropNamespace((await keysOf()).ns);
    clock.advance(QUIET_MS);
    await view.tidy();
    await view.close();
    expect(file()).toBeUndefined();
  });

  it('a snapshot that cannot be written is reported and fails no concurrent search', async () => {
    const { snapshots, letThrough, hasBegun } = slowSnapshots();
    const problems: string[] = [];
    const { write } = snapshots;
    snapshots.write = async (ns, chunks) => {
      await write(ns, chunks);
      throw new Error('ENOSPC');
    };
    await storeMany();
    const view = node(snapshots, (what) => problems.push(what));
    await found(view, 'filler');
    clock.advance(QUIET_MS);
    const tidied = view.tidy();
    await hasBegun;
    await store('later', 'a later needle');
    const searched = found(view, 'needle');
    letThrough();
    expect(await searched).toEqual(['later']);
    await tidied;
    expect(problems).toHaveLength(1);
  });
});

it('expired facts are removed from an image that stays in use', async () => {
  const { snapshots } = openSnapshots();
  const view = node(snapshots);
  for (let from = 0; from < 1_200; from += 200)
    await Promise.all(
      Array.from({ length: 200 }, (_, at) => store(`brief/${from + at}`, 'brief word', 3_600)),
    );
  expect(await found(view, 'brief')).not.toEqual([]);
  clock.advance(3_600_000);
  await store('new', 'new word');
  expect(await found(view, 'word')).toEqual(['new']);
  await view.tidy();
  const image = await view.current(await keysOf());
  expect(image.documents.length).toBe(1);
});
