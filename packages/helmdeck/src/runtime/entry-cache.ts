import type { Entry, Kind } from '../memory/entry.ts';
import type { Head } from '../memory/store.ts';
import { namespaceMapKey } from './namespace-map-key.ts';

/** Opened entries that are asked for again and again, good for as long as nothing in their namespace changes. */
export interface HotEntries {
  find(ns: Uint8Array, head: Head, kind: Kind, key: string): Entry | undefined;
  keep(ns: Uint8Array, head: Head, entry: Entry): void;
}

const MAX_NAMESPACES = 64;
const MAX_CHARS_PER_NAMESPACE = 262_144;

interface Shelf extends Head {
  entries: Map<string, Entry>;
  chars: number;
}

/** At most 64 namespaces with 256 Ki characters each; a namespace that changed starts with an empty shelf. */
export function createHotEntries(): HotEntries {
  const shelves = new Map<string, Shelf>();

  return {
    find(ns, head, kind, key) {
      const shelf = shelves.get(namespaceMapKey(ns));
      if (shelf?.seq !== head.seq || shelf.epoch !== head.epoch) return undefined;
      return shelf.entries.get(`${kind} ${key}`);
    },
    keep(ns, head, entry) {
      const name = namespaceMapKey(ns);
      let shelf = shelves.get(name);
      if (shelf?.seq !== head.seq || shelf.epoch !== head.epoch) {
        if (!shelf && shelves.size >= MAX_NAMESPACES) shelves.delete(shelves.keys().next().value!);
        shelf = { ...head, entries: new Map(), chars: 0 };
        shelves.set(name, shelf);
      }
      const chars = entry.key.length + entry.value.length;
      if (shelf.chars + chars > MAX_CHARS_PER_NAMESPACE) return;
      shelf.entries.set(`${entry.kind} ${entry.key}`, entry);
      shelf.chars += chars;
    },
  };
}
