import type { NamespaceKeys } from '../../memory/crypto/sealed.ts';
import type { Position } from '../../memory/store.ts';
import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';
import { createImage, type Image } from './image.ts';

/** A namespace's image and how new it is. */
export interface CachedImage {
  keys: NamespaceKeys;
  image: Image;
  position: Position | undefined;
  unreadable: number;
  usedMs: number;
  changedMs: number;
  /** The work under way on this image: at most one at a time, everybody waits for the same. */
  working: Promise<void> | undefined;
  /** Refreshes begun so far, and the number of the last one that ended. */
  begun: number;
  ended: number;
  bytes: number;
  /** How far the image's vectors were looked after. */
  embedded: { seq: number; documents: number };
  /** What the snapshot on the shelf holds, if there is one. */
  snapshotSeq: number | undefined;
}

/** The images that are at hand, as many as fit: who was not asked for the longest goes first. */
export interface ShownImages {
  /** A namespace's entry, empty where there was none; it was used just now. */
  use(keys: NamespaceKeys): CachedImage;
  find(ns: Uint8Array): CachedImage | undefined;
  all(): CachedImage[];
  /** An entry's image has another size; others go until all fit. */
  grown(entry: CachedImage): void;
  remove(ns: Uint8Array): void;
  clear(): void;
  readonly bytes: number;
}

export function createImageLru(
  maxBytes: number,
  now: () => number,
  onLetGo: (entry: CachedImage) => void,
): ShownImages {
  /** Least recently used first. */
  const shown = new Map<string, CachedImage>();
  /** Bytes of all of them, kept as a sum: with a hundred thousand callers nobody can count them each time. */
  let heldBytes = 0;

  function unshow(name: string): void {
    heldBytes -= shown.get(name)?.bytes ?? 0;
    shown.delete(name);
  }

  return {
    use(keys) {
      const name = namespaceMapKey(keys.ns);
      let entry = shown.get(name);
      if (entry?.keys.generation !== keys.generation) {
        unshow(name);
        entry = emptyEntry(keys);
      }
      entry.usedMs = now();
      shown.delete(name);
      shown.set(name, entry);
      return entry;
    },
    find: (ns) => shown.get(namespaceMapKey(ns)),
    all: () => [...shown.values()],
    grown(grown) {
      const before = grown.bytes;
      grown.bytes = grown.image.bytes;
      if (shown.get(namespaceMapKey(grown.keys.ns)) === grown) heldBytes += grown.bytes - before;
      for (const [name, entry] of shown) {
        if (heldBytes <= maxBytes) return;
        if (entry === grown || entry.working) continue;
        unshow(name);
        onLetGo(entry);
      }
    },
    remove: (ns) => unshow(namespaceMapKey(ns)),
    clear() {
      shown.clear();
      heldBytes = 0;
    },
    get bytes() {
      return heldBytes;
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
