import { FIELDS, TERMS_AT } from '../index/document-terms.ts';
import { EXACT_WORDS, K1 } from './accumulate.ts';
import type { Query, QueryTerm } from './query.ts';

const PAIR_BONUS = 0.4;
/** In units of idf: a name that half of all facts have is no rare word, but still what the question is about. */
const SUBJECT_BONUS = 0.5;
const UNKNOWN = -1;

/** The fields in which neighbours count, the first of a sheet: value, key, tags. */
const PAIR_FIELDS = 3;
const KEY_FIELD = FIELDS.indexOf('key');

/** Looks up what a document has of a query: words in its key, and words side by side. One for each search. */
export interface Neighbourhood {
  /** Reads the sheet that begins there. */
  read(page: Uint32Array, start: number): void;
  /** What the document that was read gets for it. */
  bonus(): number;
  /** No document with these of the words as they are written, a bit for each, gets more. */
  mostBonus(exact: number): number;
  /** The query's neighbours that are neighbours in it too. */
  pairs(): [number, number][];
  /** The query's words that are a part of its key: they name what it is about. */
  subjects(): QueryTerm[];
}

export function neighbourhoodOf(query: Query): Neighbourhood {
  const words = query.terms.length;
  /** The query's words as they are written, by the numbers of the index. */
  const exact = query.terms.map(
    (term) => term.alternatives.find(({ via }) => via === 'word')?.term ?? UNKNOWN,
  );
  /** Which last five bits the wanted numbers have: most others are told by theirs. */
  const bits = exact.reduce((all, term) => (term === UNKNOWN ? all : all | (1 << (term & 31))), 0);
  const inKey = new Uint8Array(words);
  const follows = new Uint8Array(words * words);
  let isClear = true;

  const mostByWords = new Map<number, number>();

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
      let at = start + TERMS_AT;
      for (let field = 0; field < PAIR_FIELDS; field++) {
        let before = UNKNOWN;
        for (const end = at + page[start + field]!; at < end; at++) {
          const term = page[at]!;
          const word = ((bits >>> (term & 31)) & 1) === 0 ? UNKNOWN : exact.indexOf(term);
          if (word >= 0) {
            if (before >= 0) follows[before * words + word] = 1;
            if (field === KEY_FIELD) inKey[word] = 1;
            isClear &&= before < 0 && field !== KEY_FIELD;
          }
          before = word;
        }
      }
    },
    mostBonus(has) {
      let most = mostByWords.get(has);
      if (most === undefined) {
        const mayHave = (word: number) =>
          exact[word] !== UNKNOWN && (word >= EXACT_WORDS || (has >>> word) % 2 === 1);
        most = 0;
        for (const pair of query.pairs) if (pair.every(mayHave)) most += pairBonus(pair);
        for (let word = 0; word < words; word++) if (mayHave(word)) most += SUBJECT_BONUS * (K1 + 1);
        mostByWords.set(has, most);
      }
      return most;
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
