import { bytes, ints, type PagedArray } from './paged-array.ts';

/**
 * Which documents a term occurs in. Each term has a chain of blocks in two parallel lists (document number, weight);
 * blocks double up to 1,024 slots, so that adding is cheap and reading is a walk over arrays.
 */
export interface Postings {
  /** Adds a document to a term; documents come in growing order. */
  add(term: number, document: number, weight: number): void;
  /** Live documents with the term. */
  count(term: number): number;
  forgetOne(term: number): void;
  /** Where the term's chain of blocks begins in the pages; 0 for none. */
  firstBlock(term: number): number;
  /** A block's slots: where the next one begins (0: nowhere), how many are used, documents. Beside them their weights. */
  readonly documentPages: readonly Uint32Array[];
  readonly weightPages: readonly Uint8Array[];
  /** Everything it is made of, for a snapshot. */
  readonly lists: readonly PagedArray[];
}

const FIRST_BLOCK = 4;
const LARGEST_BLOCK = 1_024;
/** Slots at the start of each block: where the next one begins, and how many are used. */
export const HEADER = 2;

export function createPostings(): Postings {
  const documents = ints();
  const weights = bytes();
  const counts = ints();
  const heads = ints();
  const tails = ints();
  const tailSizes = ints();

  /** Slot 0 is no block, so that 0 can mean "none". */
  function newBlock(size: number): number {
    if (documents.length === 0) {
      documents.reserve(FIRST_BLOCK);
      weights.reserve(FIRST_BLOCK);
    }
    weights.reserve(size);
    return documents.reserve(size);
  }

  function openChain(term: number): void {
    while (counts.length <= term) for (const column of [counts, heads, tails, tailSizes]) column.push(0);
    if (heads.get(term) !== 0) return;
    const block = newBlock(FIRST_BLOCK);
    heads.set(term, block);
    tails.set(term, block);
    tailSizes.set(term, FIRST_BLOCK);
  }

  return {
    add(term, document, weight) {
      openChain(term);
      let block = tails.get(term);
      if (documents.get(block + 1) === tailSizes.get(term) - HEADER) {
        const size = Math.min(tailSizes.get(term) * 2, LARGEST_BLOCK);
        const next = newBlock(size);
        documents.set(block, next);
        tails.set(term, next);
        tailSizes.set(term, size);
        block = next;
      }
      const used = documents.get(block + 1);
      documents.set(block + HEADER + used, document);
      weights.set(block + HEADER + used, weight);
      documents.set(block + 1, used + 1);
      counts.set(term, counts.get(term) + 1);
    },
    count: (term) => (term < counts.length ? counts.get(term) : 0),
    forgetOne(term) {
      counts.set(term, counts.get(term) - 1);
    },
    firstBlock: (term) => (term < heads.length ? heads.get(term) : 0),
    documentPages: documents.pages,
    weightPages: weights.pages,
    lists: [documents, weights, counts, heads, tails, tailSizes],
  };
}
