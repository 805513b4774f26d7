import { idStartOf } from '../../memory/store.ts';
import { createHashChains } from './hash-chains.ts';
import { bytes, PAGE_MASK, PAGE_SHIFT, type PagedArray } from './paged-array.ts';

const ID_BYTES = 16;

/** Maps the 16-byte row ids of an image to document numbers and back. */
export interface DocumentIds {
  /** Assigns an id to the next document number. */
  add(id: Uint8Array): void;
  /** The document with this id, unless it was removed. */
  find(id: Uint8Array): number | undefined;
  /** Unlinks a document, so that `find` no longer returns it; a newer document may have the same id. */
  remove(document: number): void;
  idOf(document: number): Buffer;
  /** The first bytes of its id as a number, as in a `RowMark`. */
  startOf(document: number): number;
  /** The arrays behind it, in snapshot order. */
  readonly lists: readonly PagedArray[];
}

export function createDocumentIds(): DocumentIds {
  const ids = bytes();
  const chains = createHashChains();
  // Ids are pseudorandom, so their first four bytes serve as the hash.
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
      // Only a damaged row has an id of another length.
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
