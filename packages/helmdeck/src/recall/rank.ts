import { createBestOf } from './best-of.ts';
import type { Documents } from './documents.ts';
import { PAGE_MASK, PAGE_SHIFT } from './paged.ts';
import type { Query, QueryTerm } from './query.ts';
import { MAX_LENGTH, MAX_NIBBLE, type TermIndex } from './term-index.ts';
import { FIELDS, fieldRange, type TermSheet } from './term-sheet.ts';

const K1 = 0.9;
const B = 0.3;
const PAIR_BONUS = 0.4;
/** In units of idf: a name that half of all facts have is no rare word, but still what the question is about. */
const SUBJECT_BONUS = 0.5;
const UNKNOWN = -1;
const INVERSE_NORMS = new Float32Array(MAX_LENGTH + 1);
const BUCKETS = new Uint32Array(1_024);

export interface Ranked {
  document: number;
  score: number;
}

export interface RankOptions {
  /** How many to find. */
  size: number;
  /** Whether a document may be shown at all: alive, of a wanted kind, category and tag. */
  admits: (document: number) => boolean;
  /** Documents to score as well, however few of the words they have. */
  also?: Iterable<number>;
}

/** Scores of the documents a query touches; one for each image, used by one search at a time. */
export interface Scratch {
  scores: Float32Array;
  /** The last word of the query that was found in a document, from 1, and what its best alternative adds there. */
  lastWord: Uint8Array;
  best: Float32Array;
  touched: Uint32Array;
}

export function createScratch(): Scratch {
  return {
    scores: new Float32Array(0),
    lastWord: new Uint8Array(0),
    best: new Float32Array(0),
    touched: new Uint32Array(0),
  };
}

function makeRoom(scratch: Scratch, documents: number): void {
  if (scratch.scores.length >= documents) return;
  const size = Math.max(64, 2 ** Math.ceil(Math.log2(documents)));
  scratch.scores = new Float32Array(size);
  scratch.lastWord = new Uint8Array(size);
  scratch.best = new Float32Array(size);
  scratch.touched = new Uint32Array(size);
}

/** The best documents for a query, in no order: BM25F, the highest alternative of each word, neighbours rewarded. */
export function shortlist(
  query: Query,
  index: TermIndex,
  documents: Documents,
  scratch: Scratch,
  { size, admits, also = [] }: RankOptions,
): Ranked[] {
  makeRoom(scratch, documents.length);
  const most = query.terms.reduce((sum, term) => sum + term.idf, 0) * (K1 + 1);
  const touched = accumulate(query, index, scratch);
  const found = selectBest(scratch, touched, size, most, documents, admits);
  const known = new Set(found.map(({ document }) => document));
  for (const document of also) {
    if (!known.has(document) && admits(document)) found.push({ document, score: scratch.scores[document]! });
  }
  for (let at = 0; at < touched; at++) {
    const document = scratch.touched[at]!;
    scratch.scores[document] = 0;
    scratch.lastWord[document] = 0;
  }
  const wanted = wantedBy(query);
  for (const ranked of found) {
    const bonus = bonusOf(query, wanted, index.sheet(ranked.document));
    ranked.score = Math.min(1, (ranked.score + bonus) / most);
  }
  return found;
}

function accumulate(query: Query, index: TermIndex, scratch: Scratch): number {
  const { scores, lastWord, best, touched } = scratch;
  const { lengthPages } = index;
  const inverseNorms = inverseNormsFor(index.averageLength());
  let count = 0;
  for (const [number, { alternatives }] of query.terms.entries()) {
    const word = number + 1;
    for (const alternative of alternatives) {
      const gain = alternative.weight * alternative.idf * (K1 + 1);
      index.postings.walk(alternative.term, (found, weights, start, end) => {
        for (let at = start; at < end; at++) {
          const document = found[at]!;
          const weight = weights[at]!;
          const length = lengthPages[document >>> PAGE_SHIFT]![document & PAGE_MASK]!;
          const frequency = (weight & MAX_NIBBLE) * inverseNorms[length]! + (weight >>> 4) * 0.5;
          const score = (gain * frequency) / (frequency + K1);
          const last = lastWord[document]!;
          if (last !== word) {
            if (last === 0) touched[count++] = document;
            lastWord[document] = word;
            best[document] = score;
            scores[document] = scores[document]! + score;
          } else if (score > best[document]!) {
            scores[document] = scores[document]! + score - best[document]!;
            best[document] = score;
          }
        }
      });
    }
  }
  return count;
}

/** What an occurrence counts in a value of each length: less in a long one. */
function inverseNormsFor(averageLength: number): Float32Array {
  for (let length = 0; length <= MAX_LENGTH; length++) {
    INVERSE_NORMS[length] = 1 / (1 - B + (B * length) / averageLength);
  }
  return INVERSE_NORMS;
}

/** The `size` best of the touched documents that are admitted, in no order. */
function selectBest(
  { scores, touched }: Scratch,
  count: number,
  size: number,
  most: number,
  { updatedMs }: Documents,
  admits: (document: number) => boolean,
): Ranked[] {
  // Counted by score first: sorting thousands, or asking whether each is admitted, would take longer than finding them.
  BUCKETS.fill(0);
  const bucketOf = (score: number) => Math.min(BUCKETS.length - 1, ((score / most) * BUCKETS.length) | 0);
  for (let at = 0; at < count; at++) BUCKETS[bucketOf(scores[touched[at]!]!)]!++;
  const isWorse = (a: Ranked, b: Ranked) =>
    a.score < b.score || (a.score === b.score && updatedMs(a.document) < updatedMs(b.document));
  let lowest = BUCKETS.length;
  for (let wanted = size, reached = 0; ; wanted *= 4) {
    while (reached < wanted && lowest > 0) reached += BUCKETS[--lowest]!;
    const best = createBestOf(size, isWorse);
    // From the end, where the newest are: of equals they win, and the first to come in need not be replaced.
    for (let at = count - 1; at >= 0; at--) {
      const document = touched[at]!;
      const score = scores[document]!;
      if (bucketOf(score) >= lowest && admits(document)) best.offer({ document, score });
    }
    if (best.kept.length === size || lowest === 0) return best.kept;
  }
}

/** What standing side by side and being named by the key add, on one way through the document's terms. */
function bonusOf(query: Query, wanted: Wanted, sheet: TermSheet): number {
  let bonus = 0;
  if (wanted.pairs.length > 0) {
    for (const number of pairNumbers(wanted, sheet)) {
      const [first, second] = query.pairs[number]!;
      bonus += PAIR_BONUS * Math.min(query.terms[first]!.idf, query.terms[second]!.idf);
    }
  }
  const { start, end } = fieldRange(sheet, 'key');
  for (const term of wanted.terms) {
    for (let at = start; at < end; at++) {
      if (sheet[at] !== term) continue;
      bonus += SUBJECT_BONUS * (K1 + 1);
      break;
    }
  }
  return bonus;
}

/** The query's words as they are written, by the numbers of the index; those it does not know have none. */
interface Wanted {
  terms: number[];
  pairs: [number, number][];
}

function wantedBy(query: Query): Wanted {
  const exact = query.terms.map(
    (term) => term.alternatives.find(({ via }) => via === 'word')?.term ?? UNKNOWN,
  );
  return {
    terms: exact.filter((term) => term !== UNKNOWN),
    pairs: query.pairs.map(([a, b]) => [exact[a]!, exact[b]!]),
  };
}

function pairNumbers({ pairs }: Wanted, sheet: TermSheet): number[] {
  const numbers: number[] = [];
  for (let number = 0; number < pairs.length; number++) {
    const [first, second] = pairs[number]!;
    if (first !== UNKNOWN && second !== UNKNOWN && sideBySide(sheet, first, second)) numbers.push(number);
  }
  return numbers;
}

function sideBySide(sheet: TermSheet, first: number, second: number): boolean {
  let start: number = FIELDS.length;
  // Value, key and tags are the first fields of a sheet.
  for (let field = 0; field < 3; field++) {
    const end = start + sheet[field]!;
    for (let at = start; at + 1 < end; at++) if (sheet[at] === first && sheet[at + 1] === second) return true;
    start = end;
  }
  return false;
}

/** The query's neighbours that are neighbours in the document too. */
export function pairsIn(query: Query, index: TermIndex, document: number): [number, number][] {
  return pairNumbers(wantedBy(query), index.sheet(document)).map((number) => query.pairs[number]!);
}

/** The query's words that are a part of the key: they name what the document is about. */
export function subjectsIn(query: Query, index: TermIndex, document: number): QueryTerm[] {
  const sheet = index.sheet(document);
  const { start, end } = fieldRange(sheet, 'key');
  const key = sheet.subarray(start, end);
  return query.terms.filter(({ alternatives }) =>
    alternatives.some(({ via, term }) => via === 'word' && key.includes(term)),
  );
}

/** Ties: newest first, then by key; the same on every node, whatever order the rows came in. */
export function byScoreThenAge(documents: Documents): (a: Ranked, b: Ranked) => number {
  const keys = new Map<number, string>();
  const keyOf = ({ document }: Ranked) => {
    const known = keys.get(document) ?? documents.content(document).key;
    keys.set(document, known);
    return known;
  };
  return (a, b) =>
    b.score - a.score ||
    documents.updatedMs(b.document) - documents.updatedMs(a.document) ||
    (keyOf(a) < keyOf(b) ? -1 : 1);
}
