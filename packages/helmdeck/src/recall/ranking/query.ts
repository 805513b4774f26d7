import { withoutStopWords } from '../index/document-terms.ts';
import type { TermIndex } from '../index/term-index.ts';
import { stem } from '../text/stem.ts';
import { GENERIC_WORDS, STOP_WORDS } from '../text/stop-words.ts';
import type { Thesaurus } from '../text/thesaurus.ts';
import { isUnspacedCharacter, type Token, tokenise } from '../text/tokens.ts';

// Query planning: turns the text of a query into the terms to look up in an index, with their alternatives.

/** A term that a query word may match: the word itself, or one from query expansion. */
export interface Alternative {
  term: number;
  /** 1 for the word itself, less for synonyms, prefixes and misspellings. */
  weight: number;
  idf: number;
  via: 'word' | 'prefix' | 'spelling' | 'meaning' | 'joined';
}

/** A word of the query with its alternatives. */
export interface QueryTerm {
  word: string;
  /** The maximum score of the word divided by (k1 + 1); scores are normalised by the sum over all words. */
  idf: number;
  alternatives: Alternative[];
}

/** A query plan: the terms to look up in one index. */
export interface Query {
  terms: QueryTerm[];
  /** Adjacent words, as indexes into `terms`. */
  pairs: [number, number][];
}

const MAX_TERMS = 32;
const MAX_QUERY_CHARS = 4_096;
const MAX_SYNONYMS = 10;
const MAX_PREFIX_MATCHES = 8;
/** How many bigrams a single character of a script without spaces expands to. */
const MAX_BIGRAM_MATCHES = 64;
const MAX_SPELLING_MATCHES = 8;
const MIN_SYNONYM_SIMILARITY = 0.5;
const SYNONYM_WEIGHT = 0.7;
const PREFIX_WEIGHT = 0.8;
/** By edit distance. */
const SPELLING_WEIGHTS = [1, 0.8, 0.6];
/** The weight of words such as "thing" and "remember". */
const GENERIC_FACTOR = 0.5;
const MIN_PREFIX_LENGTH = 3;
const MIN_FUZZY_LENGTH = 4;
const MIN_TWO_EDITS_LENGTH = 8;

/** Tokenises a query, drops stop words and expands each word by synonyms, prefixes and spelling in one index. */
export function planQuery(text: string, index: TermIndex, thesaurus: Thesaurus): Query {
  const all = tokenise(text.slice(0, MAX_QUERY_CHARS));
  const joined = joinedTerms(all, index);
  const tokens = withoutStopWords(all);
  const terms: QueryTerm[] = [];
  const places = new Map<string, number>();
  const pairs: [number, number][] = [];
  let before: number | undefined;
  for (const token of tokens) {
    if (terms.length === MAX_TERMS && !places.has(token.term)) break;
    let place = places.get(token.term);
    if (place === undefined) {
      const term = planTerm(token, index, thesaurus, joined.get(token));
      // A compound can only add to a score: documents that write its parts apart are not penalised.
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

/** `on call` may be `on-call` or `oncall` in a document: maps two adjacent words to the term they form together. */
function joinedTerms(tokens: readonly Token[], { lexicon }: TermIndex): Map<Token, number> {
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
  const idfOf = (id: number) => idf(index.liveDocuments(), postings.documentFrequency(id));
  const alternatives: Alternative[] = [];
  const add = (id: number, weight: number, via: Alternative['via'], cap = Number.POSITIVE_INFINITY) => {
    if (postings.documentFrequency(id) > 0)
      alternatives.push({ term: id, weight, idf: Math.min(idfOf(id), cap) * factor, via });
  };
  const own = lexicon.idOf(token.term);
  const known = own !== undefined && postings.documentFrequency(own) > 0;
  const ownIdf = known ? idfOf(own) : idf(index.liveDocuments(), 0);
  if (known) add(own, 1, 'word');
  if (joined !== undefined) add(joined, 1, 'joined', ownIdf);
  if (token.compound) return { word: token.word, idf: ownIdf * factor, alternatives };
  for (const { stem: near, similarity } of thesaurus.neighbours(token.term).slice(0, MAX_SYNONYMS)) {
    const id = similarity >= MIN_SYNONYM_SIMILARITY ? lexicon.idOf(near) : undefined;
    if (id !== undefined) add(id, SYNONYM_WEIGHT * similarity, 'meaning', ownIdf);
  }
  if (isUnspacedCharacter(token.word)) {
    const bigrams = lexicon.bigramsWith(token.term, (id) => postings.documentFrequency(id) > 0);
    bigrams.sort((a, b) => postings.documentFrequency(b) - postings.documentFrequency(a));
    for (const id of bigrams.slice(0, MAX_BIGRAM_MATCHES)) add(id, PREFIX_WEIGHT, 'prefix', ownIdf);
  }
  if (!known) expandUnknown(token, index, (id, weight, via) => add(id, weight, via, ownIdf));
  return { word: token.word, idf: ownIdf * factor, alternatives };
}

/** Expands a word that no document has: as a prefix or, if there is none, as a misspelling. */
function expandUnknown(
  token: Token,
  { lexicon, postings }: TermIndex,
  add: (id: number, weight: number, via: Alternative['via']) => void,
): void {
  if (STOP_WORDS.has(token.word)) return;
  const isLive = (id: number) => postings.documentFrequency(id) > 0;
  if (token.term.length >= MIN_PREFIX_LENGTH) {
    const found = lexicon.startingWith(token.term, MAX_PREFIX_MATCHES, isLive);
    for (const id of found) add(id, PREFIX_WEIGHT, 'prefix');
    if (found.length > 0) return;
  }
  if (token.term.length < MIN_FUZZY_LENGTH || /^\d+$/.test(token.term)) return;
  const maxEdits = token.term.length >= MIN_TWO_EDITS_LENGTH ? 2 : 1;
  for (const { id, edits } of lexicon.withinEdits(token.term, maxEdits, MAX_SPELLING_MATCHES, isLive)) {
    add(id, SPELLING_WEIGHTS[edits]!, 'spelling');
  }
}

/** BM25's inverse document frequency. */
export function idf(documents: number, documentFrequency: number): number {
  return Math.log(1 + (documents - documentFrequency + 0.5) / (documentFrequency + 0.5));
}
