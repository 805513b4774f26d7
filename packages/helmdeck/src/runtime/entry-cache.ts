import type { Entry, Kind } from '../memory/entry.ts';
import type { Position } from '../memory/store.ts';
import { BoundedMap } from './bounded-map.ts';
import { namespaceMapKey } from './namespace-map-key.ts';

/** Opened entries that are asked for again and again, good for as long as nothing in their namespace changes. */
export interface EntryCache {
  find(ns: Uint8Array, position: Position, kind: Kind, key: string): Entry | undefined;
  keep(ns: Uint8Array, position: Position, entry: Entry): void;
  /** Removes a namespace's entries from RAM, because it was erased. */
  drop(ns: Uint8Array): void;
}

const MAX_NAMESPACES = 64;
const MAX_CHARS_PER_NAMESPACE = 262_144;

interface Shelf extends Position {
  entries: Map<string, Entry>;
  chars: number;
}

/** At most 64 namespaces with 256 Ki characters each; a namespace that changed starts with an empty shelf. */
export function createEntryCache(): EntryCache {
  const shelves = new BoundedMap<string, Shelf>(MAX_NAMESPACES);

  return {
    find(ns, position, kind, key) {
      const shelf = shelves.get(namespaceMapKey(ns));
      if (shelf?.seq !== position.seq || shelf.epoch !== position.epoch) return undefined;
      return shelf.entries.get(`${kind} ${key}`);
    },
    keep(ns, position, entry) {
      const name = namespaceMapKey(ns);
      let shelf = shelves.get(name);
      if (shelf?.seq !== position.seq || shelf.epoch !== position.epoch) {
        shelf = { ...position, entries: new Map(), chars: 0 };
        shelves.set(name, shelf);
      }
      const chars = entry.key.length + entry.value.length;
      if (shelf.chars + chars > MAX_CHARS_PER_NAMESPACE) return;
      shelf.entries.set(`${entry.kind} ${entry.key}`, entry);
      shelf.chars += chars;
    },
    drop: (ns) => void shelves.delete(namespaceMapKey(ns)),
  };
}
