import { createYielder } from '../../runtime/yield-to-event-loop.ts';
import { alignedBytes, vectorKernel } from '../vectors/vector-kernel.ts';
import type { WordTable } from '../words/word-table.ts';
import { TERMS_OFFSET } from './document-terms.ts';
import type { Documents } from './documents.ts';
import { ints } from './paged-array.ts';
import type { TermIndex } from './term-index.ts';

/**
 * A vector for each document of an image: the mean of its words' vectors, weighted by how much each says. Computed from
 * the terms on first use, so that an image that is only listed or exported never pays for it.
 */
export interface DocumentVectors {
  /** Adds the documents that arrived since the last call; yields to the event loop. Undefined if there are few or none. */
  complete(words: WordTable): Promise<void> | undefined;
  /** The cosine of a vector from `vectorOf` with one document. */
  cosine(words: WordTable, query: Int8Array, document: number): number;
  /** For every document, by number, the highest of its weighted cosines, at least 0; valid until the next call. */
  nearness(words: WordTable, queries: readonly { vector: Int8Array; weight: number }[]): Float32Array;
  readonly bytes: number;
}

/** How a component of a unit vector is stored. Those of a text rarely exceed a half: larger ones are cut. */
const SCALE = 254;
const PAGE_ROWS = 512;
/** The first fields of `FIELDS`, value, key and tags, say what a document is about. */
const DESCRIBING_FIELDS = 3;
/** So many are added within a search: they take less than a millisecond. */
const FEW_DOCUMENTS = 50;
/** The words of a long text beyond these change its mean little. */
const MAX_TERMS = 400;

export function createDocumentVectors(index: TermIndex, documents: Documents): DocumentVectors {
  const pages: Int8Array[] = [];
  let done = 0;
  /** The row of each term in the table of words plus 2; 1 for none, 0 if it was not looked up yet. */
  const rows = ints();
  let sum = new Float32Array(0);
  const dots = new Int32Array(PAGE_ROWS);
  let highest = new Float32Array(0);

  function rowOf(words: WordTable, term: number): number {
    while (rows.length <= term) rows.push(0);
    if (rows.get(term) === 0) rows.set(term, words.rowOf(index.lexicon.term(term)) + 2);
    return rows.get(term) - 2;
  }

  /** Computes the vector of a document, `into` one of `alignedBytes(words.dimensions)`. */
  function compute(words: WordTable, document: number, into: Int8Array): void {
    if (sum.length === 0) sum = new Float32Array(words.dimensions);
    sum.fill(0);
    const terms = index.termsOf(document);
    let end: number = TERMS_OFFSET;
    for (let field = 0; field < DESCRIBING_FIELDS; field++) end += terms[field]!;
    end = Math.min(end, TERMS_OFFSET + MAX_TERMS);
    for (let at = TERMS_OFFSET; at < end; at++) {
      const row = rowOf(words, terms[at]!);
      if (row >= 0) addWord(sum, words, row, words.information(row));
    }
    writeUnit(sum, into);
  }

  function addNext(words: WordTable): void {
    const stride = alignedBytes(words.dimensions);
    const place = done % PAGE_ROWS;
    if (place === 0) pages.push(new Int8Array(PAGE_ROWS * stride));
    compute(words, done, pages.at(-1)!.subarray(place * stride, (place + 1) * stride));
    done++;
  }

  async function addAll(words: WordTable): Promise<void> {
    const yieldIfDue = createYielder();
    // Concurrent calls share the work: each adds the next document.
    while (done < documents.length) {
      addNext(words);
      const pause = yieldIfDue();
      if (pause) await pause;
    }
  }

  return {
    complete: (words) => (documents.length - done > FEW_DOCUMENTS ? addAll(words) : undefined),
    cosine(words, query, document) {
      const page = document < done ? pages[Math.floor(document / PAGE_ROWS)]! : undefined;
      const start = (document % PAGE_ROWS) * query.length;
      const vector = page?.subarray(start, start + query.length) ?? new Int8Array(query.length);
      if (!page) compute(words, document, vector);
      let dot = 0;
      for (let at = 0; at < query.length; at++) dot += query[at]! * vector[at]!;
      return dot / SCALE ** 2;
    },
    nearness(words, queries) {
      while (done < documents.length) addNext(words);
      if (highest.length < done) highest = new Float32Array(pages.length * PAGE_ROWS);
      else highest.fill(0, 0, done);
      for (const { vector, weight } of queries) {
        const factor = weight / SCALE ** 2;
        for (const [number, page] of pages.entries()) {
          const first = number * PAGE_ROWS;
          const count = Math.min(PAGE_ROWS, done - first);
          vectorKernel.dots(vector, page, count, dots);
          for (let row = 0; row < count; row++) {
            const cosine = dots[row]! * factor;
            if (cosine > highest[first + row]!) highest[first + row] = cosine;
          }
        }
      }
      return highest;
    },
    get bytes() {
      return pages.length * (pages[0]?.byteLength ?? 0) + rows.bytes;
    },
  };
}

function addWord(sum: Float32Array, { dimensions, vectors }: WordTable, row: number, weight: number): void {
  const start = row * dimensions;
  for (let at = 0; at < dimensions; at++) sum[at]! += weight * vectors[start + at]!;
}

/** Scales a vector to unit length and stores it; one of zeros stays so, and has a cosine of 0 with everything. */
function writeUnit(vector: Float32Array, into: Int8Array): void {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const factor = squares === 0 ? 0 : SCALE / Math.sqrt(squares);
  for (let at = 0; at < vector.length; at++) {
    into[at] = Math.max(-127, Math.min(127, Math.round(vector[at]! * factor)));
  }
}

/** The vector of some words with a weight for each; undefined if the table has none of them. */
export function vectorOf(
  words: WordTable,
  weighted: Iterable<{ term: string; weight: number }>,
): Int8Array | undefined {
  const sum = new Float32Array(words.dimensions);
  let isKnown = false;
  for (const { term, weight } of weighted) {
    const row = words.rowOf(term);
    if (row < 0) continue;
    addWord(sum, words, row, weight);
    isKnown = true;
  }
  if (!isKnown) return undefined;
  const result = new Int8Array(alignedBytes(words.dimensions));
  writeUnit(sum, result);
  return result;
}
