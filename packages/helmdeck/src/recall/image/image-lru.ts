import type { NamespaceKeys } from '../../memory/crypto/sealed.ts';
import type { Position } from '../../memory/store.ts';
import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';
import { createImage, type Image } from './image.ts';

/** An LRU cache of images, limited by their bytes. */
export interface ImageLru {
  /** A namespace's entry, created empty if absent; counts as use. */
  use(keys: NamespaceKeys): CachedImage;
  find(ns: Uint8Array): CachedImage | undefined;
  all(): CachedImage[];
  /** Updates the size of an entry and evicts others until all fit. */
  resized(entry: CachedImage): void;
  remove(ns: Uint8Array): void;
  clear(): void;
  readonly bytes: number;
}

/** A cached image with the position it is at. */
export interface CachedImage {
  keys: NamespaceKeys;
  image: Image;
  position: Position | undefined;
  unreadable: number;
  usedMs: number;
  changedMs: number;
  /** The work in progress on this image; one at a time, shared by every request that waits for it. */
  working: Promise<void> | undefined;
  /** Refreshes begun so far, and the number of the last one that ended. */
  begun: number;
  ended: number;
  bytes: number;
  /** How far the image's vectors are loaded and queued. */
  embedded: { seq: number; documents: number };
  /** The seq of the stored snapshot, if there is one. */
  snapshotSeq: number | undefined;
}

export function createImageLru(
  maxBytes: number,
  now: () => number,
  onEvict: (entry: CachedImage) => void,
): ImageLru {
  /** Least recently used first. */
  const cached = new Map<string, CachedImage>();
  /** A running sum: with a hundred thousand callers, adding up all sizes each time would be too slow. */
  let totalBytes = 0;

  function evict(name: string): void {
    totalBytes -= cached.get(name)?.bytes ?? 0;
    cached.delete(name);
  }

  return {
    use(keys) {
      const name = namespaceMapKey(keys.ns);
      let entry = cached.get(name);
      if (entry?.keys.generation !== keys.generation) {
        evict(name);
        entry = emptyEntry(keys);
      }
      entry.usedMs = now();
      cached.delete(name);
      cached.set(name, entry);
      return entry;
    },
    find: (ns) => cached.get(namespaceMapKey(ns)),
    all: () => [...cached.values()],
    resized(resized) {
      const before = resized.bytes;
      resized.bytes = resized.image.bytes;
      if (cached.get(namespaceMapKey(resized.keys.ns)) === resized) totalBytes += resized.bytes - before;
      for (const [name, entry] of cached) {
        if (totalBytes <= maxBytes) return;
        if (entry === resized || entry.working) continue;
        evict(name);
        onEvict(entry);
      }
    },
    remove: (ns) => evict(namespaceMapKey(ns)),
    clear() {
      cached.clear();
      totalBytes = 0;
    },
    get bytes() {
      return totalBytes;
    },
  };
}

function emptyEntry(keys: NamespaceKeys): CachedImage {
  return {
    keys,
    image: createImage(),
    position: undefined,
    unreadable: 0,
    usedMs: 0,
    changedMs: 0,
    working: undefined,
    begun: 0,
    ended: 0,
    bytes: 0,
    embedded: { seq: 0, documents: 0 },
    snapshotSeq: undefined,
  };
}
