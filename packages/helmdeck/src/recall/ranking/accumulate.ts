import { PAGE_MASK, PAGE_SHIFT } from '../index/paged-array.ts';
import { HEADER } from '../index/postings.ts';
import { MAX_LENGTH, MAX_NIBBLE, type TermIndex } from '../index/term-index.ts';
import type { Query } from './query.ts';

/** How soon more occurrences of a word in one document stop to count. */
export const K1 = 0.9;
const B = 0.3;
/** Of so many of a query's words it is noted which documents have them as they are written. */
export const EXACT_WORDS = 8;
const LAST_STAMP = 255;
const INVERSE_NORMS = new Float32Array(MAX_LENGTH + 1);

/** Scores of the documents a query touches; one for each image, used by one search at a time. */
export interface Scratch {
  scores: Float32Array;
  /** What the best alternative of the word at hand adds to a document. */
  best: Float32Array;
  /** Which word of which query last met a document, in one number that only grows: nothing need be cleared. */
  stamps: Uint8Array;
  stamp: number;
  /** The stamp before this query's first word: documents above it are touched. */
  before: number;
  /** Which of the query's first words a document has as they are written, a bit for each; of touched ones only. */
  exact: Uint8Array;
  /** The documents of this query in the order they were met, and how many. */
  touched: Uint32Array;
  count: number;
}

export function createScratch(): Scratch {
  return {
    scores: new Float32Array(0),
    best: new Float32Array(0),
    stamps: new Uint8Array(0),
    stamp: 0,
    before: 0,
    exact: new Uint8Array(0),
    touched: new Uint32Array(0),
    count: 0,
  };
}

function makeRoom(scratch: Scratch, documents: number, words: number): void {
  if (scratch.scores.length < documents) {
    const size = Math.max(64, 2 ** Math.ceil(Math.log2(documents)));
    scratch.scores = new Float32Array(size);
    scratch.best = new Float32Array(size);
    scratch.stamps = new Uint8Array(size);
    scratch.exact = new Uint8Array(size);
    scratch.touched = new Uint32Array(size);
    scratch.stamp = 0;
  } else if (scratch.stamp > LAST_STAMP - words) {
    scratch.stamps.fill(0);

    scratch.stamp = 0;
  }
  scratch.before = scratch.stamp;
  scratch.count = 0;
}

/** Scores every document that has a word of the query, by BM25F with the highest alternative of each word. */
export function accumulate(query: Query, index: TermIndex, scratch: Scratch, documents: number): void {
  makeRoom(scratch, documents, query.terms.length);
  const { documentPages, weightPages, firstBlock } = index.postings;
  const inverseNorms = inverseNormsFor(index.averageLength());
  for (const [number, { alternatives }] of query.terms.entries()) {
    scratch.stamp++;
    for (const { term, weight, idf, via } of alternatives) {
      const gain = weight * idf * (K1 + 1);
      const bit = via === 'word' && number < EXACT_WORDS ? 1 << number : 0;
      for (let block = firstBlock(term); block !== 0; ) {
        const page = documentPages[block >>> PAGE_SHIFT]!;
        const weights = weightPages[block >>> PAGE_SHIFT]!;
        addBlock(scratch, gain, bit, page, weights, block & PAGE_MASK, index.lengthPages, inverseNorms);
        block = page[block & PAGE_MASK]!;
      }
    }
  }
}

// A function of its own with all it needs at hand: as a closure it takes three times as long.
function addBlock(
  scratch: Scratch,
  gain: number,
  bit: number,
  documents: Uint32Array,
  weights: Uint8Array,
  block: number,
  lengthPages: readonly Uint8Array[],
  inverseNorms: Float32Array,
): void {
  const { scores, best, stamps, stamp, before, exact, touched } = scratch;
  let { count } = scratch;
  const end = block + HEADER + documents[block + 1]!;
  for (let at = block + HEADER; at < end; at++) {
    const document = documents[at]!;
    const weight = weights[at]!;
    const length = lengthPages[document >>> PAGE_SHIFT]![document & PAGE_MASK]!;
    const frequency = (weight & MAX_NIBBLE) * inverseNorms[length]! + (weight >>> 4) * 0.5;
    const score = (gain * frequency) / (frequency + K1);
    const last = stamps[document]!;
    if (last <= before) {
      touched[count++] = document;
      exact[document] = bit;
      stamps[document] = stamp;
      best[document] = score;
      scores[document] = score;
    } else if (last !== stamp) {
      // A word as it is written is the first of its alternatives.
      exact[document]! |= bit;
      stamps[document] = stamp;
      best[document] = score;
      scores[document] = scores[document]! + score;
    } else if (score > best[document]!) {
      scores[document] = scores[document]! + score - best[document]!;
      best[document] = score;
    }
  }
  scratch.count = count;
}

/** What an occurrence counts in a value of each length: less in a long one. */
function inverseNormsFor(averageLength: number): Float32Array {
  for (let length = 0; length <= MAX_LENGTH; length++) {
    INVERSE_NORMS[length] = 1 / (1 - B + (B * length) / averageLength);
  }
  return INVERSE_NORMS;
}
