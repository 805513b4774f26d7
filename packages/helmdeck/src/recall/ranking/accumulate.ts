import { PAGE_MASK, PAGE_SHIFT } from '../index/paged-array.ts';
import { BLOCK_HEADER_SLOTS } from '../index/postings.ts';
import { MAX_DOCUMENT_LENGTH, MAX_NIBBLE, type TermIndex } from '../index/term-index.ts';
import type { Query } from './query.ts';

// Term-at-a-time scoring: walks the posting lists of a query and sums BM25F scores per document.

/** BM25 k1: how quickly repeated occurrences saturate. */
export const K1 = 0.9;
/** BM25 b: how much a long document is penalised. */
const B = 0.3;
/** The first words of a query, which have a bit each in `Scratch.exact`. */
export const EXACT_MASK_WORDS = 8;
const MAX_STAMP = 255;
const INVERSE_NORMS = new Float32Array(MAX_DOCUMENT_LENGTH + 1);

/** The accumulators of one search, by document number. Each image has one; searches run synchronously, one at a time. */
export interface Scratch {
  scores: Float32Array;
  /** What the best alternative of the current query word added to a document. */
  best: Float32Array;
  /** The query word that last scored a document, counted across queries, so that no array is cleared between them. */
  stamps: Uint8Array;
  stamp: number;
  /** The stamp before this query's first word: documents with a higher one matched this query. */
  before: number;
  /** Bit mask of the query words that a document has literally, not by an alternative; valid for matched documents only. */
  exact: Uint8Array;
  /** The documents that matched this query in the order they were first seen, and how many. */
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

/** Grows the arrays to the number of documents, and resets the stamps before they overflow. */
function prepare(scratch: Scratch, documents: number, words: number): void {
  if (scratch.scores.length < documents) {
    const size = Math.max(64, 2 ** Math.ceil(Math.log2(documents)));
    scratch.scores = new Float32Array(size);
    scratch.best = new Float32Array(size);
    scratch.stamps = new Uint8Array(size);
    scratch.exact = new Uint8Array(size);
    scratch.touched = new Uint32Array(size);
    scratch.stamp = 0;
  } else if (scratch.stamp > MAX_STAMP - words) {
    scratch.stamps.fill(0);
    scratch.stamp = 0;
  }
  scratch.before = scratch.stamp;
  scratch.count = 0;
}

/** Scores every document that has a word of the query by BM25F; of each word only the best alternative counts. */
export function accumulate(query: Query, index: TermIndex, scratch: Scratch, documents: number): void {
  prepare(scratch, documents, query.terms.length);
  const { documentPages, weightPages, firstBlock } = index.postings;
  const inverseNorms = inverseNormsFor(index.averageLength());
  for (const [number, { alternatives }] of query.terms.entries()) {
    scratch.stamp++;
    for (const { term, weight, idf, via } of alternatives) {
      const gain = weight * idf * (K1 + 1);
      const bit = via === 'word' && number < EXACT_MASK_WORDS ? 1 << number : 0;
      for (let block = firstBlock(term); block !== 0; ) {
        const page = documentPages[block >>> PAGE_SHIFT]!;
        const weights = weightPages[block >>> PAGE_SHIFT]!;
        addBlock(scratch, gain, bit, page, weights, block & PAGE_MASK, index.lengthPages, inverseNorms);
        block = page[block & PAGE_MASK]!;
      }
    }
  }
}

// A top-level function with everything passed in: as a closure it takes three times as long.
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
  const end = block + BLOCK_HEADER_SLOTS + documents[block + 1]!;
  for (let at = block + BLOCK_HEADER_SLOTS; at < end; at++) {
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
      // The literal word is the first alternative, so only the first posting of a word can set its bit.
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

/** BM25's document length normalisation, by length. */
function inverseNormsFor(averageLength: number): Float32Array {
  for (let length = 0; length <= MAX_DOCUMENT_LENGTH; length++) {
    INVERSE_NORMS[length] = 1 / (1 - B + (B * length) / averageLength);
  }
  return INVERSE_NORMS;
}
