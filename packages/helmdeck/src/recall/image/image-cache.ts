import { setTimeout as delay } from 'node:timers/promises';
import { type NamespaceKeys, rowId } from '../../memory/crypto/sealed.ts';
import type { MemoryParts } from '../../memory/memory.ts';
import type { Position } from '../../memory/store.ts';
import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';
import type { Embedding } from '../vectors/embedding.ts';
import { type CatchUpParts, type CatchUpResult, catchUp } from './catch-up.ts';
import { compacted, countExpired } from './compact.ts';
import type { Image } from './image.ts';
import { type CachedImage, createImageLru } from './image-lru.ts';
import { readSnapshot, type SnapshotStore, writeSnapshot } from './snapshot.ts';

/** Caches the images of recently searched namespaces in RAM, and brings them up to date with the store before each use. */
export interface ImageCache {
  /** A namespace's image at the store's current position; loads it if it is not cached. */
  current(keys: NamespaceKeys): Promise<Image>;
  /** Like `current`, but `undefined` if that would take long; loading then continues in the background. */
  currentSoon(keys: NamespaceKeys): Promise<Image | undefined>;
  /** Updates a cached image in the background after a fact was written, so that the next search need not wait. */
  follow(ns: Uint8Array, factKey: string | undefined): void;
  /** Discards all vectors of a namespace and queues its facts for embedding, because the model's dimension changed. */
  remakeVectors(keys: NamespaceKeys): void;
  /** Deletes a namespace's snapshot, because it still contains forgotten facts. */
  dropSnapshot(ns: Uint8Array): Promise<void>;
  /** The same for every cached image. */
  dropSnapshots(): Promise<void>;
  /** Drops the image and the snapshot of an erased namespace. */
  drop(ns: Uint8Array): Promise<void>;
  /** Periodic upkeep: compacts images, writes snapshots, drops idle images. */
  tidy(): Promise<void>;
  status(): {
    images: number;
    bytes: number;
    unreadable: number;
    /** Lookups since the start, and how many of them had to load the image. */
    lookups: number;
    loads: number;
  };
  close(): Promise<void>;
}

/** A freshly built image, with counts of changed and unreadable rows. */
export type BuiltImage = CatchUpResult & { image: Image };

/** Builds images from rows on another thread. */
export interface ImageLoader {
  /** `undefined` for a small namespace or after a failure: then the image is built on this thread. */
  load(keys: NamespaceKeys): Promise<BuiltImage | undefined>;
  close(): Promise<void>;
}

export interface ImageCacheOptions {
  /** Limit for all images together; a single larger one still loads, and is evicted first. */
  maxBytes: number;
  snapshots?: SnapshotStore;
  loader?: ImageLoader;
  embedding?: Embedding;
  onForgotten?: CatchUpParts['onForgotten'];
  onProblem?: (what: string) => void;
}

/** How long advice waits for an image that is still loading. */
const ADVICE_WAIT_MS = 50;
/** More changes than this take longer to apply than advice is worth. */
const MAX_CHANGES_BEHIND = 500;
const RECHECK_MS = 1_000;
const IDLE_MS = 15 * 60_000;
/** Smaller images load from rows fast enough without a snapshot. */
const SNAPSHOT_DOCUMENTS = 500;
const SNAPSHOT_QUIET_MS = 5_000;
const COMPACT_SHARE = 0.25;
const COMPACT_DOCUMENTS = 1_000;

export function createImageCache(
  parts: Pick<MemoryParts, 'store' | 'now'>,
  options: ImageCacheOptions,
): ImageCache {
  const { store, now } = parts;
  const { snapshots, loader, embedding, onForgotten, onProblem = () => {} } = options;
  const loadParts: CatchUpParts = { store, now, onForgotten };
  const cached = createImageLru(options.maxBytes, now, (entry) => void save(entry));
  /** Images that are far behind: the timer that checks them again, and the store's seq at the last check. */
  const recheckTimers = new Map<string, NodeJS.Timeout>();
  const lastSeqs = new Map<string, number>();
  /** Snapshots being written, also of evicted images. */
  const saving = new Map<string, Promise<void>>();
  let lookups = 0;
  let loads = 0;

  /** Serialises work on one entry. */
  async function exclusively(entry: CachedImage, work: () => Promise<void>): Promise<void> {
    while (entry.working) await entry.working.catch(() => {});
    entry.working = work().finally(() => {
      entry.working = undefined;
    });
    await entry.working;
  }

  /** Whether an image is at the store's position; pass that if it was read just now. */
  async function isCurrent(entry: CachedImage, storePosition?: Position): Promise<boolean> {
    const position = storePosition ?? (await store.position(entry.keys.ns));
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
    if (changed > 0 && before?.seq === entry.snapshotSeq) await dropOutdatedSnapshot(entry);
    if (embedding) {
      await embedding.complete(entry.keys, entry.image, entry.embedded);
      entry.embedded = { seq: position.seq, documents: entry.image.documents.length };
    }
    if (isWorthCompacting(entry.image.dead, entry)) await compact(entry);
    entry.ended = number;
    cached.resized(entry);
  }

  /**
   * Deletes the snapshot of a shared database that the image was loaded from, if it is behind: another node may have
   * forgotten a fact in it while this one was down. The next one is written after a few quiet seconds.
   */
  async function dropOutdatedSnapshot(entry: CachedImage): Promise<void> {
    if (!store.sharing || !snapshots) return;
    entry.snapshotSeq = undefined;
    await snapshots.remove(entry.keys.ns).catch(() => onProblem('A snapshot could not be removed.'));
  }

  const isWorthCompacting = (gone: number, { image }: CachedImage) =>
    gone > COMPACT_DOCUMENTS && gone > COMPACT_SHARE * image.documents.length;

  async function compact(entry: CachedImage): Promise<void> {
    entry.image = await compacted(entry.image, now());
    entry.embedded.documents = entry.image.documents.length;
  }

  /** Starts from a snapshot or from the loader thread, if either has an image; catching up does the rest. */
  async function load(entry: CachedImage): Promise<void> {
    loads++;
    if (snapshots) await loadSnapshot(entry, snapshots);
    const made = entry.position === undefined ? await loader?.load(entry.keys) : undefined;
    if (made) ({ image: entry.image, position: entry.position, unreadable: entry.unreadable } = made);
  }

  async function loadSnapshot(entry: CachedImage, from: SnapshotStore): Promise<void> {
    const snapshot = await readSnapshot(from, entry.keys).catch(() => undefined);
    const { seq } = await store.position(entry.keys.ns);
    // A snapshot ahead of the store belongs to another copy of the database.
    if (!snapshot || snapshot.position.seq > seq) return;
    entry.image = snapshot.image;
    entry.position = snapshot.position;
    entry.snapshotSeq = snapshot.position.seq;
  }

  async function current(
    keys: NamespaceKeys,
    written?: Uint8Array,
    storePosition?: Position,
  ): Promise<Image> {
    const entry = cached.use(keys);
    lookups++;
    // A refresh that begins from here on is new enough, however fast other requests write.
    const enough = entry.begun + 1;
    if (storePosition && (await isCurrent(entry, storePosition))) return entry.image;
    while (entry.ended < enough && !(await isCurrent(entry))) {
      // That work may be writing a snapshot: its failure must not fail a search.
      if (entry.working) await entry.working.catch(() => {});
      else await exclusively(entry, () => refresh(entry, written));
    }
    return entry.image;
  }

  /** Writes a snapshot. Forgotten and expired documents are never part of it. */
  async function save(entry: CachedImage): Promise<void> {
    const { position, image } = entry;
    if (!snapshots || !position || entry.snapshotSeq === position.seq) return;
    if (image.documents.length - image.dead < SNAPSHOT_DOCUMENTS) return;
    const name = namespaceMapKey(entry.keys.ns);
    const saved = exclusively(entry, async () => {
      // Facts that were forgotten since the last search are still in the image.
      if (!(await isCurrent(entry))) await refresh(entry);
      if (countExpired(entry.image, now()) > 0) await compact(entry);
      if (entry.image.documents.length < SNAPSHOT_DOCUMENTS) return;
      await writeSnapshot(snapshots, entry.keys, entry.image, entry.position!);
      entry.snapshotSeq = entry.position!.seq;
    }).catch(() =>
      onProblem('A snapshot could not be written; a later start will search more slowly at first.'),
    );
    saving.set(name, saved);
    await saved;
    if (saving.get(name) === saved) saving.delete(name);
  }

  async function dropSnapshot(ns: Uint8Array): Promise<void> {
    // A snapshot that is being written is deleted once it is complete.
    await saving.get(namespaceMapKey(ns));
    const entry = cached.find(ns);
    if (entry) entry.snapshotSeq = undefined;
    await snapshots?.remove(ns).catch(() => onProblem('A snapshot could not be removed.'));
  }

  /** Catches up once a burst of writes is over; before that it would only slow the writes down. */
  function catchUpLater(keys: NamespaceKeys): void {
    const name = namespaceMapKey(keys.ns);
    if (recheckTimers.has(name)) return;
    const check = async () => {
      recheckTimers.delete(name);
      const { seq } = await store.position(keys.ns);
      const before = lastSeqs.get(name);
      lastSeqs.set(name, seq);
      if (before !== seq) return catchUpLater(keys);
      lastSeqs.delete(name);
      await current(keys);
    };
    recheckTimers.set(name, setTimeout(() => void check().catch(() => {}), RECHECK_MS).unref());
  }

  return {
    current: (keys) => current(keys),
    async currentSoon(keys) {
      const { position } = cached.use(keys);
      const storePosition = position && (await store.position(keys.ns));
      if (position && storePosition && storePosition.seq - position.seq > MAX_CHANGES_BEHIND) {
        catchUpLater(keys);
        return undefined;
      }
      const loading = current(keys, undefined, storePosition);
      if (position !== undefined) return loading;
      loading.catch(() => {});
      return Promise.race([loading, delay(ADVICE_WAIT_MS, undefined, { ref: false })]);
    },
    follow(ns, factKey) {
      const entry = cached.find(ns);
      if (!entry?.position) return;
      const written = factKey === undefined ? undefined : rowId(entry.keys, 'fact', factKey);
      void current(entry.keys, written).catch(() => {});
    },
    remakeVectors(keys) {
      const entry = cached.use(keys);
      if (!embedding || !entry.position) return;
      entry.image.dropVectors();
      const { seq } = entry.position;
      void exclusively(entry, () => embedding.complete(keys, entry.image, { seq, documents: 0 })).catch(
        () => {},
      );
    },
    dropSnapshot,
    async dropSnapshots() {
      for (const { keys } of cached.all()) await dropSnapshot(keys.ns);
    },
    async drop(ns) {
      cached.remove(ns);
      await dropSnapshot(ns);
    },
    async tidy() {
      for (const entry of cached.all()) {
        if (entry.working) continue;
        // Expired documents are not removed one by one; without this the image would only grow.
        if (isWorthCompacting(countExpired(entry.image, now()), entry))
          await exclusively(entry, () => compact(entry));
        const idle = now() - entry.usedMs > IDLE_MS;
        if (idle) cached.remove(entry.keys.ns);
        if (idle || now() - entry.changedMs > SNAPSHOT_QUIET_MS) await save(entry);
      }
    },
    status() {
      const entries = cached.all();
      return {
        images: entries.length,
        bytes: cached.bytes,
        unreadable: entries.reduce((sum, entry) => sum + entry.unreadable, 0),
        lookups,
        loads,
      };
    },
    async close() {
      for (const timer of recheckTimers.values()) clearTimeout(timer);
      await loader?.close();
      for (const entry of cached.all()) await save(entry);
      cached.clear();
    },
  };
}
