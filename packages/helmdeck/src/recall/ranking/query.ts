import { meaningful } from '../index/document-terms.ts';
import type { TermIndex } from '../index/term-index.ts';
import { stem } from '../text/stem.ts';
import { GENERIC_WORDS, STOP_WORDS } from '../text/stop-words.ts';
import type { Thesaurus } from '../text/thesaurus.ts';
import { isUnspacedCharacter, type Token, tokenise } from '../text/tokens.ts';

/** One way a query's word may be written in a document. */
export interface Alternative {
  term: number;
  /** 1 for the word itself, less for anything near it. */
  weight: number;
  idf: number;
  via: 'word' | 'prefix' | 'spelling' | 'meaning' | 'joined';
}

/** One word of the query, with everything it may stand for. */
export interface QueryTerm {
  word: string;
  /** What the word can add at most, without its (k1 + 1): the query's score is measured against the sum of these. */
  idf: number;
  alternatives: Alternative[];
}

export interface Query {
  terms: QueryTerm[];
  /** Neighbours in the query, as indexes into `terms`. */
  pairs: [number, number][];
}

const MAX_TERMS = 32;
const MAX_TEXT = 4_096;
const MAX_NEIGHBOURS = 10;
const MAX_PREFIXED = 8;
/** A character of a script that is kept in pairs stands in so many of them at most. */
const MAX_PAIRS = 64;
const MAX_MISSPELLED = 8;
const MIN_SIMILARITY = 0.5;
const NEIGHBOUR_WEIGHT = 0.7;
const PREFIX_WEIGHT = 0.8;
const SPELLING_WEIGHTS = [1, 0.8, 0.6];
const GENERIC_FACTOR = 0.5;
const MIN_PREFIX_LENGTH = 3;
const MIN_FUZZY_LENGTH = 4;
const TWO_EDITS_LENGTH = 8;

/** What a query asks this index for. */
export function planQuery(text: string, index: TermIndex, thesaurus: Thesaurus): Query {
  const all = tokenise(text.slice(0, MAX_TEXT));
  const joined = joinedNeighbours(all, index);
  const tokens = meaningful(all);
  const terms: QueryTerm[] = [];
  const places = new Map<string, number>();
  const pairs: [number, number][] = [];
  let before: number | undefined;
  for (const token of tokens) {
    if (terms.length === MAX_TERMS && !places.has(token.term)) break;
    let place = places.get(token.term);
    if (place === undefined) {
      const term = planTerm(token, index, thesaurus, joined.get(token));
      // A compound only adds: a query is not worse off because a document writes the parts apart.
      if (token.compound && term.alternatives.length === 0) continue;
      place = terms.length;
      places.set(token.term, place);
      terms.push(term);
    }
    if (!token.compound) {
      if (before !== undefined && before !== place) pairs.push([before, place]);
      before = place;
    }
  }
  return { terms, pairs };
}

/** `on call` may be `on-call` or `oncall` in a document: the term two neighbours make together, where there is one. */
function joinedNeighbours(tokens: readonly Token[], { lexicon }: TermIndex): Map<Token, number> {
  const joined = new Map<Token, number>();
  const parts = tokens.filter((token) => !token.compound);
  for (let at = 0; at + 1 < parts.length; at++) {
    const [first, second] = [parts[at]!, parts[at + 1]!];
    const id = lexicon.idOf(stem(first.word + second.word));
    if (id === undefined) continue;
    joined.set(first, id);
    joined.set(second, id);
  }
  return joined;
}

function planTerm(
  token: Token,
  index: TermIndex,
  thesaurus: Thesaurus,
  joined: number | undefined,
): QueryTerm {
  const { lexicon, postings } = index;
  const factor = GENERIC_WORDS.has(token.word) ? GENERIC_FACTOR : 1;
  const idfOf = (id: number) => idf(index.liveDocuments(), postings.count(id));
  const alternatives: Alternative[] = [];
  const add = (id: number, weight: number, via: Alternative['via'], cap = Number.POSITIVE_INFINITY) => {
    if (postings.count(id) > 0)
      alternatives.push({ term: id, weight, idf: Math.min(idfOf(id), cap) * factor, via });
  };
  const own = lexicon.idOf(token.term);
  const known = own !== undefined && postings.count(own) > 0;
  const ownIdf = known ? idfOf(own) : idf(index.liveDocuments(), 0);
  if (known) add(own, 1, 'word');
  if (joined !== undefined) add(joined, 1, 'joined', ownIdf);
  if (token.compound) return { word: token.word, idf: ownIdf * factor, alternatives };
  for (const { stem: near, similarity } of thesaurus.neighbours(token.term).slice(0, MAX_NEIGHBOURS)) {
    const id = similarity >= MIN_SIMILARITY ? lexicon.idOf(near) : undefined;
    if (id !== undefined) add(id, NEIGHBOUR_WEIGHT * similarity, 'meaning', ownIdf);
  }
  if (isUnspacedCharacter(token.word)) {
    const pairs = lexicon.pairsWith(token.term, (id) => postings.count(id) > 0);
    pairs.sort((a, b) => postings.count(b) - postings.count(a));
    for (const id of pairs.slice(0, MAX_PAIRS)) add(id, PREFIX_WEIGHT, 'prefix', ownIdf);
  }
  if (!known) addUnknown(token, index, (id, weight, via) => add(id, weight, via, ownIdf));
  return { word: token.word, idf: ownIdf * factor, alternatives };
}

/** A word no document has: perhaps it is the beginning of one, or misspelled. */
function addUnknown(
  token: Token,
  { lexicon, postings }: TermIndex,
  add: (id: number, weight: number, via: Alternative['via']) => void,
): void {
  if (STOP_WORDS.has(token.word)) return;
  const isThere = (id: number) => postings.count(id) > 0;
  if (token.term.length >= MIN_PREFIX_LENGTH) {
    const found = lexicon.startingWith(token.term, MAX_PREFIXED, isThere);
    for (const id of found) add(id, PREFIX_WEIGHT, 'prefix');
    if (found.length > 0) return;
  }
  if (token.term.length < MIN_FUZZY_LENGTH || /^\d+$/.test(token.term)) return;
  const maxEdits = token.term.length >= TWO_EDITS_LENGTH ? 2 : 1;
  for (const { id, edits } of lexicon.spelledLike(token.term, maxEdits, MAX_MISSPELLED, isThere)) {
    add(id, SPELLING_WEIGHTS[edits]!, 'spelling');
  }
}

export function idf(documents: number, having: number): number {
  return Math.log(1 + (documents - having + 0.5) / (having + 0.5));
}
