import type { Entry, Kind } from '../memory/entry.ts';
import type { Position } from '../memory/store.ts';
import { BoundedMap } from './bounded-map.ts';
import { namespaceMapKey } from './namespace-map-key.ts';

/** A cache of decrypted entries. An entry is valid only at the position of its namespace at which it was read. */
export interface EntryCache {
  find(ns: Uint8Array, position: Position, kind: Kind, key: string): Entry | undefined;
  put(ns: Uint8Array, position: Position, entry: Entry): void;
  /** Removes a namespace's entries from RAM, because it was erased. */
  drop(ns: Uint8Array): void;
}

const MAX_NAMESPACES = 64;
const MAX_CHARS_PER_NAMESPACE = 262_144;

interface CachedNamespace extends Position {
  entries: Map<string, Entry>;
  chars: number;
}

/** At most 64 namespaces (LRU) with 256 Ki characters each. A change in a namespace invalidates all its entries. */
export function createEntryCache(): EntryCache {
  const namespaces = new BoundedMap<string, CachedNamespace>(MAX_NAMESPACES);

  return {
    find(ns, position, kind, key) {
      const cached = namespaces.get(namespaceMapKey(ns));
      if (cached?.seq !== position.seq || cached.epoch !== position.epoch) return undefined;
      return cached.entries.get(`${kind} ${key}`);
    },
    put(ns, position, entry) {
      const name = namespaceMapKey(ns);
      let cached = namespaces.get(name);
      if (cached?.seq !== position.seq || cached.epoch !== position.epoch) {
        cached = { ...position, entries: new Map(), chars: 0 };
        namespaces.set(name, cached);
      }
      const chars = entry.key.length + entry.value.length;
      if (cached.chars + chars > MAX_CHARS_PER_NAMESPACE) return;
      cached.entries.set(`${entry.kind} ${entry.key}`, entry);
      cached.chars += chars;
    },
    drop: (ns) => void namespaces.delete(namespaceMapKey(ns)),
  };
}
