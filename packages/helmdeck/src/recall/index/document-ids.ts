import { idStartOf } from '../../memory/store.ts';
import { createHashChains } from './hash-chains.ts';
import { bytes, PAGE_MASK, PAGE_SHIFT, type PagedArray } from './paged-array.ts';

const ID_BYTES = 16;

/** The ids of an image's rows by document, and the document of an id. */
export interface DocumentIds {
  /** Gives the next document its id. */
  add(id: Uint8Array): void;
  /** The document with this id that was not taken out. */
  find(id: Uint8Array): number | undefined;
  /** Takes out a document: its id is that of another one from now on, or of none. */
  remove(document: number): void;
  idOf(document: number): Buffer;
  /** The beginning of its id, as a row's mark has it. */
  startOf(document: number): number;
  /** Everything it is made of, for a snapshot. */
  readonly lists: readonly PagedArray[];
}

export function createDocumentIds(): DocumentIds {
  const ids = bytes();
  const chains = createHashChains();
  // Ids look random: any four bytes of one are a hash of it.
  const hashOf = (id: Uint8Array) => (id[0]! | (id[1]! << 8) | (id[2]! << 16) | (id[3]! << 24)) >>> 0;

  function isIdOf(document: number, id: Uint8Array): boolean {
    const place = document * ID_BYTES;
    const page = ids.pages[place >>> PAGE_SHIFT]!;
    const start = place & PAGE_MASK;
    for (let at = 0; at < ID_BYTES; at++) if (page[start + at] !== id[at]) return false;
    return true;
  }

  return {
    add(id) {
      const place = ids.reserve(ID_BYTES);
      ids.pages[place >>> PAGE_SHIFT]!.set(id, place & PAGE_MASK);
      chains.add(hashOf(id));
    },
    find(id) {
      // A damaged row may have an id of another length; no document has.
      if (id.length !== ID_BYTES) return undefined;
      for (let link = chains.first(hashOf(id)); link !== 0; link = chains.next(link)) {
        if (isIdOf(link - 1, id)) return link - 1;
      }
      return undefined;
    },
    remove: chains.remove,
    idOf(document) {
      const place = document * ID_BYTES;
      const start = place & PAGE_MASK;
      return Buffer.from(ids.pages[place >>> PAGE_SHIFT]!.subarray(start, start + ID_BYTES));
    },
    startOf(document) {
      const place = document * ID_BYTES;
      const start = place & PAGE_MASK;
      return idStartOf(ids.pages[place >>> PAGE_SHIFT]!, start);
    },
    lists: [ids, ...chains.lists],
  };
}
