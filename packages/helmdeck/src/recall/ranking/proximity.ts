import { FIELDS, TERMS_OFFSET } from '../index/document-terms.ts';
import { EXACT_MASK_WORDS, K1 } from './accumulate.ts';
import type { Query, QueryTerm } from './query.ts';

/** Phrase and subject boosts: finds query words that are adjacent in a document or part of its key. One per search. */
export interface ProximityScorer {
  /** Reads the `DocumentTerms` that begin at `start`. */
  read(page: Uint32Array, start: number): void;
  /** The bonus of the document read last. */
  bonus(): number;
  /** An upper bound of the bonus for documents with these exact words, a bit mask as in `Scratch.exact`. */
  maxBonus(exact: number): number;
  /** Adjacent query words that are adjacent in the document read last. */
  pairs(): [number, number][];
  /** Query words in its key: they name what it is about. */
  subjects(): QueryTerm[];
}

/** The bonus for two adjacent query words that are adjacent in the document: a share of the lower idf. */
const PAIR_BONUS = 0.4;
/** The bonus for a query word in the key, in units of idf; not scaled by it: a common name is still the subject of the query. */
const SUBJECT_BONUS = 0.5;
const UNKNOWN = -1;

/** Phrases count in the first fields of `FIELDS`: value, key, tags. */
const PAIR_FIELDS = 3;
const KEY_FIELD = FIELDS.indexOf('key');

export function createProximityScorer(query: Query): ProximityScorer {
  const words = query.terms.length;
  /** The term ids of the query words themselves, without their alternatives. */
  const exact = query.terms.map(
    (term) => term.alternatives.find(({ via }) => via === 'word')?.term ?? UNKNOWN,
  );
  /** A bit for each value of the low five bits of those ids: rejects most other terms at once. */
  const mask = exact.reduce((all, term) => (term === UNKNOWN ? all : all | (1 << (term & 31))), 0);
  const inKey = new Uint8Array(words);
  /** Whether a word is followed by another, as a matrix. */
  const follows = new Uint8Array(words * words);
  let isClear = true;

  const maxBonusByWords = new Map<number, number>();

  const pairBonus = ([first, second]: [number, number]) =>
    PAIR_BONUS * Math.min(query.terms[first]!.idf, query.terms[second]!.idf);
  const isPair = ([first, second]: [number, number]) => follows[first * words + second] === 1;

  function clear(): void {
    inKey.fill(0);
    follows.fill(0);
    isClear = true;
  }

  return {
    read(page, start) {
      if (!isClear) clear();
      let at = start + TERMS_OFFSET;
      for (let field = 0; field < PAIR_FIELDS; field++) {
        let before = UNKNOWN;
        for (const end = at + page[start + field]!; at < end; at++) {
          const term = page[at]!;
          const word = ((mask >>> (term & 31)) & 1) === 0 ? UNKNOWN : exact.indexOf(term);
          if (word >= 0) {
            if (before >= 0) follows[before * words + word] = 1;
            if (field === KEY_FIELD) inKey[word] = 1;
            isClear &&= before < 0 && field !== KEY_FIELD;
          }
          before = word;
        }
      }
    },
    maxBonus(has) {
      let max = maxBonusByWords.get(has);
      if (max === undefined) {
        const mayHave = (word: number) =>
          exact[word] !== UNKNOWN && (word >= EXACT_MASK_WORDS || (has >>> word) % 2 === 1);
        max = 0;
        for (const pair of query.pairs) if (pair.every(mayHave)) max += pairBonus(pair);
        for (let word = 0; word < words; word++) if (mayHave(word)) max += SUBJECT_BONUS * (K1 + 1);
        maxBonusByWords.set(has, max);
      }
      return max;
    },
    bonus() {
      if (isClear) return 0;
      let bonus = 0;
      for (const pair of query.pairs) if (isPair(pair)) bonus += pairBonus(pair);
      for (let word = 0; word < words; word++) if (inKey[word] === 1) bonus += SUBJECT_BONUS * (K1 + 1);
      return bonus;
    },
    pairs: () => query.pairs.filter(isPair),
    subjects: () => query.terms.filter((_, word) => inKey[word] === 1),
  };
}
