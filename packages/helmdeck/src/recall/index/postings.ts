import { bytes, ints, type PagedArray } from './paged-array.ts';

/**
 * The posting lists: which documents contain a term. Each list is a chain of blocks in two parallel arrays (document
 * number, weight); blocks double up to 1,024 slots, so that appending is cheap and reading walks arrays.
 */
export interface Postings {
  /** Appends a document to a term's posting list; document numbers must ascend. */
  add(term: number, document: number, weight: number): void;
  /** How many live documents have the term. */
  documentFrequency(term: number): number;
  /** Called for each term of a removed document; its posting stays until the image is compacted. */
  decrementFrequency(term: number): void;
  /** Index of the first block of a term's posting list; 0 for none. */
  firstBlock(term: number): number;
  /** A block: index of the next block (0: last), slots used, documents. `weightPages` has the weights at the same indexes. */
  readonly documentPages: readonly Uint32Array[];
  readonly weightPages: readonly Uint8Array[];
  /** The arrays behind it, in snapshot order. */
  readonly lists: readonly PagedArray[];
}

const FIRST_BLOCK_SLOTS = 4;
const MAX_BLOCK_SLOTS = 1_024;
/** Slots at the start of each block: index of the next one, and how many are used. */
export const BLOCK_HEADER_SLOTS = 2;

export function createPostings(): Postings {
  const documents = ints();
  const weights = bytes();
  const counts = ints();
  const heads = ints();
  const tails = ints();
  const tailSizes = ints();

  /** Slot 0 stays unused, so that 0 can mean "no block". */
  function newBlock(size: number): number {
    if (documents.length === 0) {
      documents.reserve(FIRST_BLOCK_SLOTS);
      weights.reserve(FIRST_BLOCK_SLOTS);
    }
    weights.reserve(size);
    return documents.reserve(size);
  }

  function openChain(term: number): void {
    while (counts.length <= term) for (const column of [counts, heads, tails, tailSizes]) column.push(0);
    if (heads.get(term) !== 0) return;
    const block = newBlock(FIRST_BLOCK_SLOTS);
    heads.set(term, block);
    tails.set(term, block);
    tailSizes.set(term, FIRST_BLOCK_SLOTS);
  }

  return {
    add(term, document, weight) {
      openChain(term);
      let block = tails.get(term);
      if (documents.get(block + 1) === tailSizes.get(term) - BLOCK_HEADER_SLOTS) {
        const size = Math.min(tailSizes.get(term) * 2, MAX_BLOCK_SLOTS);
        const next = newBlock(size);
        documents.set(block, next);
        tails.set(term, next);
        tailSizes.set(term, size);
        block = next;
      }
      const used = documents.get(block + 1);
      documents.set(block + BLOCK_HEADER_SLOTS + used, document);
      weights.set(block + BLOCK_HEADER_SLOTS + used, weight);
      documents.set(block + 1, used + 1);
      counts.set(term, counts.get(term) + 1);
    },
    documentFrequency: (term) => (term < counts.length ? counts.get(term) : 0),
    decrementFrequency(term) {
      counts.set(term, counts.get(term) - 1);
    },
    firstBlock: (term) => (term < heads.length ? heads.get(term) : 0),
    documentPages: documents.pages,
    weightPages: weights.pages,
    lists: [documents, weights, counts, heads, tails, tailSizes],
  };
}
