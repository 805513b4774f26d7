import { setTimeout as delay } from 'node:timers/promises';
import { type NamespaceKeys, rowId } from '../../memory/crypto/sealed.ts';
import type { MemoryParts } from '../../memory/memory.ts';
import type { Position } from '../../memory/store.ts';
import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';
import type { Embedding } from '../vectors/embedding.ts';
import { compacted, goneFrom } from './compact.ts';
import type { Image } from './image.ts';
import { type CachedImage, createImageLru } from './image-lru.ts';
import { catchUp, type Loaded, type LoadParts } from './load.ts';
import { readSnapshot, type SnapshotStore, writeSnapshot } from './snapshot.ts';

/** An image and what making it met. */
export type BuiltImage = Loaded & { image: Image };

/** Makes images from rows on another thread. */
export interface ImageLoader {
  /** Nothing where it is not worth it, or did not work out: then whoever asks makes it. */
  load(keys: NamespaceKeys): Promise<BuiltImage | undefined>;
  close(): Promise<void>;
}

export interface ImageCacheOptions {
  /** All images together; one that is larger alone still loads, and goes first. */
  maxBytes: number;
  shelf?: SnapshotStore;
  loader?: ImageLoader;
  embedding?: Embedding;
  onForgotten?: LoadParts['onForgotten'];
  onProblem?: (what: string) => void;
}

/** The images of all namespaces that are being searched. */
export interface ImageCache {
  /** A namespace's image, as new as the store. */
  current(keys: NamespaceKeys): Promise<Image>;
  /** The same if it takes hardly any time; otherwise nothing, while loading goes on in the background. */
  currentSoon(keys: NamespaceKeys): Promise<Image | undefined>;
  /** Brings an image that is there up to date in the background after a fact was written; who asks next need not wait. */
  follow(ns: Uint8Array, factKey: string | undefined): void;
  /** Has all vectors of a namespace made anew: the model began to answer in another dimension. */
  remakeVectors(keys: NamespaceKeys): void;
  /** Takes a namespace's snapshot away, because something in it was forgotten; the next one is without it. */
  dropSnapshot(ns: Uint8Array): Promise<void>;
  /** Drops a namespace's image as well, after it was erased. */
  drop(ns: Uint8Array): Promise<void>;
  /** Writes what the shelf lacks, lets go of what nobody used for a while. Called now and then. */
  tidy(): Promise<void>;
  status(): {
    images: number;
    bytes: number;
    unreadable: number;
    /** How often an image was asked for since the start, and how often it was not there. */
    lookups: number;
    loads: number;
  };
  close(): Promise<void>;
}

const SOON_MS = 50;
/** So many changes take longer to take in than advice is worth. */
const MAX_BEHIND = 500;
const LATER_MS = 1_000;
const IDLE_MS = 15 * 60_000;
/** A snapshot is worth its writing when loading the rows would be felt. */
const SNAPSHOT_DOCUMENTS = 500;
const SNAPSHOT_QUIET_MS = 5_000;
const COMPACT_SHARE = 0.25;
const COMPACT_DOCUMENTS = 1_000;

export function createImageCache(
  parts: Pick<MemoryParts, 'store' | 'now'>,
  options: ImageCacheOptions,
): ImageCache {
  const { store, now } = parts;
  const { shelf, loader, embedding, onForgotten, onProblem = () => {} } = options;
  const loadParts: LoadParts = { store, now, onForgotten };
  const shown = createImageLru(options.maxBytes, now, (entry) => void save(entry));
  /** Images that are far behind, to be looked at later, and where the store stood at the last look. */
  const later = new Map<string, NodeJS.Timeout>();
  const positionsBefore = new Map<string, number>();
  /** Snapshots on their way to the shelf, also of images that are no longer shown. */
  const saving = new Map<string, Promise<void>>();
  let lookups = 0;
  let loads = 0;

  /** Runs one piece of work on an entry at a time. */
  async function alone(entry: CachedImage, work: () => Promise<void>): Promise<void> {
    while (entry.working) await entry.working.catch(() => {});
    entry.working = work().finally(() => {
      entry.working = undefined;
    });
    await entry.working;
  }

  /** Compares an image with the store, which may have been asked just now. */
  async function isCurrent(entry: CachedImage, asked?: Position): Promise<boolean> {
    const position = asked ?? (await store.position(entry.keys.ns));
    return entry.position?.seq === position.seq && entry.position.epoch === position.epoch;
  }

  async function refresh(entry: CachedImage, written?: Uint8Array): Promise<void> {
    const number = ++entry.begun;
    if (entry.position === undefined) await load(entry);
    const before = entry.position;
    const { position, changed, unreadable } = await catchUp(
      loadParts,
      entry.keys,
      entry.image,
      before,
      written,
    );
    entry.unreadable = before?.epoch === position.epoch ? entry.unreadable + unreadable : unreadable;
    entry.position = position;
    if (changed > 0) entry.changedMs = now();
    if (embedding) {
      await embedding.complete(entry.keys, entry.image, entry.embedded);
      entry.embedded = { seq: position.seq, documents: entry.image.documents.length };
    }
    if (isMostly(entry.image.dead, entry)) await compact(entry);
    entry.ended = number;
    shown.grown(entry);
  }

  const isMostly = (gone: number, { image }: CachedImage) =>
    gone > COMPACT_DOCUMENTS && gone > COMPACT_SHARE * image.documents.length;

  async function compact(entry: CachedImage): Promise<void> {
    entry.image = await compacted(entry.image, now());
    entry.embedded.documents = entry.image.documents.length;
  }

  /** Takes what somebody else has made of the rows, if there is such a thing; the rest is catching up. */
  async function load(entry: CachedImage): Promise<void> {
    loads++;
    if (shelf) await loadSnapshot(entry, shelf);
    const made = entry.position === undefined ? await loader?.load(entry.keys) : undefined;
    if (made) ({ image: entry.image, position: entry.position, unreadable: entry.unreadable } = made);
  }

  async function loadSnapshot(entry: CachedImage, from: SnapshotStore): Promise<void> {
    const snapshot = await readSnapshot(from, entry.keys).catch(() => undefined);
    const { seq } = await store.position(entry.keys.ns);
    // One that is ahead of the store belongs to another copy of the database.
    if (!snapshot || snapshot.position.seq > seq) return;
    entry.image = snapshot.image;
    entry.position = snapshot.position;
    entry.snapshotSeq = snapshot.position.seq;
  }

  async function current(keys: NamespaceKeys, written?: Uint8Array, asked?: Position): Promise<Image> {
    const entry = shown.use(keys);
    lookups++;
    // A refresh that begins from here on is new enough, however fast others go on writing.
    const enough = entry.begun + 1;
    if (asked && (await isCurrent(entry, asked))) return entry.image;
    while (entry.ended < enough && !(await isCurrent(entry))) {
      // Also a snapshot that cannot be written: no reason to fail for those who search.
      if (entry.working) await entry.working.catch(() => {});
      else await alone(entry, () => refresh(entry, written));
    }
    return entry.image;
  }

  /** Puts a snapshot on the shelf; what is gone never reaches it. */
  async function save(entry: CachedImage): Promise<void> {
    const { position, image } = entry;
    if (!shelf || !position || entry.snapshotSeq === position.seq) return;
    if (image.documents.length - image.dead < SNAPSHOT_DOCUMENTS) return;
    const name = namespaceMapKey(entry.keys.ns);
    const saved = alone(entry, async () => {
      // What was forgotten since somebody searched is still in the image.
      if (!(await isCurrent(entry))) await refresh(entry);
      if (goneFrom(entry.image, now()) > 0) await compact(entry);
      if (entry.image.documents.length < SNAPSHOT_DOCUMENTS) return;
      await writeSnapshot(shelf, entry.keys, entry.image, entry.position!);
      entry.snapshotSeq = entry.position!.seq;
    }).catch(() =>
      onProblem('A snapshot could not be written; a later start will search more slowly at first.'),
    );
    saving.set(name, saved);
    await saved;
    if (saving.get(name) === saved) saving.delete(name);
  }

  async function dropSnapshot(ns: Uint8Array): Promise<void> {
    // One that is being written goes as soon as it is there.
    await saving.get(namespaceMapKey(ns));
    const entry = shown.find(ns);
    if (entry) entry.snapshotSeq = undefined;
    await shelf?.remove(ns).catch(() => onProblem('A snapshot could not be removed.'));
  }

  /** Catches up when a flood of writes is over; until then it would only be in its way. */
  function followLater(keys: NamespaceKeys): void {
    const name = namespaceMapKey(keys.ns);
    if (later.has(name)) return;
    const look = async () => {
      later.delete(name);
      const { seq } = await store.position(keys.ns);
      const before = positionsBefore.get(name);
      positionsBefore.set(name, seq);
      if (before !== seq) return followLater(keys);
      positionsBefore.delete(name);
      await current(keys);
    };
    later.set(name, setTimeout(() => void look().catch(() => {}), LATER_MS).unref());
  }

  return {
    current: (keys) => current(keys),
    async currentSoon(keys) {
      const { position } = shown.use(keys);
      const asked = position && (await store.position(keys.ns));
      if (position && asked && asked.seq - position.seq > MAX_BEHIND) {
        followLater(keys);
        return undefined;
      }
      const loading = current(keys, undefined, asked);
      if (position !== undefined) return loading;
      loading.catch(() => {});
      return Promise.race([loading, delay(SOON_MS, undefined, { ref: false })]);
    },
    follow(ns, factKey) {
      const entry = shown.find(ns);
      if (!entry?.position) return;
      const written = factKey === undefined ? undefined : rowId(entry.keys, 'fact', factKey);
      void current(entry.keys, written).catch(() => {});
    },
    remakeVectors(keys) {
      const entry = shown.use(keys);
      if (!embedding || !entry.position) return;
      entry.image.dropVectors();
      const { seq } = entry.position;
      void alone(entry, () => embedding.complete(keys, entry.image, { seq, documents: 0 })).catch(() => {});
    },
    dropSnapshot,
    async drop(ns) {
      shown.remove(ns);
      await dropSnapshot(ns);
    },
    async tidy() {
      for (const entry of shown.all()) {
        if (entry.working) continue;
        // What expires is not taken out of an image one by one; without this it would only ever grow.
        if (isMostly(goneFrom(entry.image, now()), entry)) await alone(entry, () => compact(entry));
        const idle = now() - entry.usedMs > IDLE_MS;
        if (idle) shown.remove(entry.keys.ns);
        if (idle || now() - entry.changedMs > SNAPSHOT_QUIET_MS) await save(entry);
      }
    },
    status() {
      const entries = shown.all();
      return {
        images: entries.length,
        bytes: shown.bytes,
        unreadable: entries.reduce((sum, entry) => sum + entry.unreadable, 0),
        lookups,
        loads,
      };
    },
    async close() {
      for (const timer of later.values()) clearTimeout(timer);
      await loader?.close();
      for (const entry of shown.all()) await save(entry);
      shown.clear();
    },
  };
}
