import { FOLDER_AT, TERMS_AT, type TermSheet } from './document-terms.ts';
import { createLexicon, type Lexicon } from './lexicon.ts';
import { bytes, ints, PAGE_MASK, PAGE_SHIFT, type PagedArray } from './paged-array.ts';
import { createPostings, type Postings } from './postings.ts';
import { createNames, type Names } from './string-table.ts';

/** A posting's weight holds two small numbers: occurrences in the value, and half-points from key, tags and category. */
export const MAX_NIBBLE = 15;
/** Values of more terms count as this long. */
export const MAX_LENGTH = 255;
/** By field, in the order of `FIELDS`; 0: each occurrence counts as one, and the length of the value with it. */
const HALF_POINTS = [0, 3, 3, 1, 0];
const WEIGHED_FIELDS = HALF_POINTS.length;

/** The inverted index of one image: which documents have a term, how much it counts there, and each one's sheet. */
export interface TermIndex {
  readonly lexicon: Lexicon;
  readonly labels: Names;
  readonly postings: Postings;
  /** Value lengths in terms by document, 255 for whatever is longer. */
  readonly lengthPages: Uint8Array[];
  /** In which folder of keys a document is: as its sheet says, but all of them side by side. */
  folder(document: number): number;
  /** Adds the next document. */
  add(sheet: TermSheet): void;
  remove(document: number): void;
  sheet(document: number): TermSheet;
  /** Where a document's sheet begins in the pages, for who reads many of them. */
  sheetPlace(document: number): number;
  readonly sheetPages: readonly Uint32Array[];
  liveDocuments(): number;
  averageLength(): number;
  /** Of all live documents together. */
  totalLength(): number;
  /** Everything it is made of, for a snapshot. */
  readonly lists: readonly PagedArray[];
  /** To be called after the lists were filled from a snapshot, which has no dead documents. */
  restore(totalLength: number): void;
}

export function createTermIndex(): TermIndex {
  const lexicon = createLexicon();
  const labels = createNames();
  const sheets = ints();
  const places = ints();
  const sizes = ints();
  const lengths = bytes();
  const folders = ints();
  const postings = createPostings();
  let live = 0;
  let totalLength = 0;
  /** Weights of the document at hand by term, zero between documents, and the terms that have one. */
  let weights = new Uint8Array(1_024);
  let weighed = new Uint32Array(256);
  let weighedCount = 0;

  /** What each term of a sheet counts; to be cleared afterwards. */
  function weigh(sheet: TermSheet): void {
    if (weights.length < lexicon.size) weights = new Uint8Array(2 * lexicon.size);
    if (weighed.length < sheet.length) weighed = new Uint32Array(2 * sheet.length);
    let at: number = TERMS_AT;
    for (let field = 0; field < WEIGHED_FIELDS; field++) {
      const points = HALF_POINTS[field]!;
      for (const end = at + sheet[field]!; at < end; at++) {
        const term = sheet[at]!;
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

  function sheet(document: number): TermSheet {
    const place = places.get(document);
    const start = place & PAGE_MASK;
    return sheets.pages[place >>> PAGE_SHIFT]!.subarray(start, start + sizes.get(document));
  }

  return {
    lexicon,
    labels,
    postings,
    lengthPages: lengths.pages,
    folder: folders.get,
    add(added) {
      const document = places.length;
      const place = sheets.reserve(added.length);
      sheets.pages[place >>> PAGE_SHIFT]!.set(added, place & PAGE_MASK);
      places.push(place);
      sizes.push(added.length);
      lengths.push(Math.min(MAX_LENGTH, added[0]!));
      folders.push(added[FOLDER_AT]!);
      weigh(added);
      for (let at = 0; at < weighedCount; at++) {
        postings.add(weighed[at]!, document, weights[weighed[at]!]!);
      }
      clearWeights();
      live++;
      totalLength += Math.min(MAX_LENGTH, added[0]!);
    },
    remove(document) {
      const gone = sheet(document);
      weigh(gone);
      for (let at = 0; at < weighedCount; at++) postings.forgetOne(weighed[at]!);
      clearWeights();
      live--;
      totalLength -= Math.min(MAX_LENGTH, gone[0]!);
    },
    sheet,
    sheetPlace: places.get,
    sheetPages: sheets.pages,
    liveDocuments: () => live,
    averageLength: () => (live === 0 ? 1 : Math.max(1, totalLength / live)),
    totalLength: () => totalLength,
    restore(restoredLength) {
      live = lengths.length;
      totalLength = restoredLength;
    },
    lists: [sheets, places, sizes, lengths, folders, ...postings.lists, ...lexicon.lists, ...labels.lists],
  };
}
