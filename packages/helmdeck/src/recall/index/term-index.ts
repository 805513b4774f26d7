import { type DocumentTerms, FOLDER_OFFSET, TERMS_OFFSET } from './document-terms.ts';
import { createLexicon, type Lexicon } from './lexicon.ts';
import { bytes, ints, PAGE_MASK, PAGE_SHIFT, type PagedArray } from './paged-array.ts';
import { createPostings, type Postings } from './postings.ts';
import { createStringTable, type StringTable } from './string-table.ts';

/** The inverted index of one image: lexicon, posting lists, document lengths, and the terms of each document. */
export interface TermIndex {
  readonly lexicon: Lexicon;
  readonly labels: StringTable;
  readonly postings: Postings;
  /** Document lengths: the number of terms in the value, at most `MAX_DOCUMENT_LENGTH`. */
  readonly lengthPages: Uint8Array[];
  /** A document's folder hash, as in its terms, but in a column of its own. */
  folder(document: number): number;
  /** Adds the next document. */
  add(terms: DocumentTerms): void;
  remove(document: number): void;
  termsOf(document: number): DocumentTerms;
  /** Where a document's terms begin in `termPages`, for callers that read many without a view of each. */
  termsOffset(document: number): number;
  readonly termPages: readonly Uint32Array[];
  liveDocuments(): number;
  averageLength(): number;
  /** The summed length of all live documents. */
  totalLength(): number;
  /** The arrays behind it, in snapshot order. */
  readonly lists: readonly PagedArray[];
  /** Call after filling the arrays from a snapshot, which has no dead documents. */
  restore(totalLength: number): void;
}

/**
 * A posting's weight is two nibbles: the term frequency in the value (low), and half-points for occurrences in key, tags
 * and category (high), which are not normalised by length. Both saturate here.
 */
export const MAX_NIBBLE = 15;
/** Longer documents count as this long in BM25's length normalisation. */
export const MAX_DOCUMENT_LENGTH = 255;
/** Half-points of an occurrence by field, in the order of `FIELDS`; 0: counts towards the term frequency of the value. */
const FIELD_HALF_POINTS = [0, 3, 3, 1, 0];
const RANKED_FIELDS = FIELD_HALF_POINTS.length;

export function createTermIndex(): TermIndex {
  const lexicon = createLexicon();
  const labels = createStringTable();
  const documentTerms = ints();
  const offsets = ints();
  const sizes = ints();
  const lengths = bytes();
  const folders = ints();
  const postings = createPostings();
  let live = 0;
  let totalLength = 0;
  /** Scratch: the current document's weight by term, zero between documents, and the terms that have one. */
  let weights = new Uint8Array(1_024);
  let weighed = new Uint32Array(256);
  let weighedCount = 0;

  /** Computes the weight of each term of a document; followed by `clearWeights`. */
  function weigh(terms: DocumentTerms): void {
    if (weights.length < lexicon.size) weights = new Uint8Array(2 * lexicon.size);
    if (weighed.length < terms.length) weighed = new Uint32Array(2 * terms.length);
    let at: number = TERMS_OFFSET;
    for (let field = 0; field < RANKED_FIELDS; field++) {
      const points = FIELD_HALF_POINTS[field]!;
      for (const end = at + terms[field]!; at < end; at++) {
        const term = terms[at]!;
        const before = weights[term]!;
        if (before === 0) weighed[weighedCount++] = term;
        if (points > 0)
          weights[term] = (before & MAX_NIBBLE) | (Math.min(MAX_NIBBLE, (before >>> 4) + points) << 4);
        else if ((before & MAX_NIBBLE) < MAX_NIBBLE) weights[term] = before + 1;
      }
    }
  }

  function clearWeights(): void {
    for (let at = 0; at < weighedCount; at++) weights[weighed[at]!] = 0;
    weighedCount = 0;
  }

  function termsOf(document: number): DocumentTerms {
    const offset = offsets.get(document);
    const start = offset & PAGE_MASK;
    return documentTerms.pages[offset >>> PAGE_SHIFT]!.subarray(start, start + sizes.get(document));
  }

  return {
    lexicon,
    labels,
    postings,
    lengthPages: lengths.pages,
    folder: folders.get,
    add(added) {
      const document = offsets.length;
      const offset = documentTerms.reserve(added.length);
      documentTerms.pages[offset >>> PAGE_SHIFT]!.set(added, offset & PAGE_MASK);
      offsets.push(offset);
      sizes.push(added.length);
      lengths.push(Math.min(MAX_DOCUMENT_LENGTH, added[0]!));
      folders.push(added[FOLDER_OFFSET]!);
      weigh(added);
      for (let at = 0; at < weighedCount; at++) {
        postings.add(weighed[at]!, document, weights[weighed[at]!]!);
      }
      clearWeights();
      live++;
      totalLength += Math.min(MAX_DOCUMENT_LENGTH, added[0]!);
    },
    remove(document) {
      const removed = termsOf(document);
      weigh(removed);
      for (let at = 0; at < weighedCount; at++) postings.decrementFrequency(weighed[at]!);
      clearWeights();
      live--;
      totalLength -= Math.min(MAX_DOCUMENT_LENGTH, removed[0]!);
    },
    termsOf,
    termsOffset: offsets.get,
    termPages: documentTerms.pages,
    liveDocuments: () => live,
    averageLength: () => (live === 0 ? 1 : Math.max(1, totalLength / live)),
    totalLength: () => totalLength,
    restore(restoredLength) {
      live = lengths.length;
      totalLength = restoredLength;
    },
    lists: [
      documentTerms,
      offsets,
      sizes,
      lengths,
      folders,
      ...postings.lists,
      ...lexicon.lists,
      ...labels.lists,
    ],
  };
}
