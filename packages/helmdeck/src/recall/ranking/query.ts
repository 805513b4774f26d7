import { vectorOf } from '../index/document-vectors.ts';
import type { Lexicon } from '../index/lexicon.ts';
import type { TermIndex } from '../index/term-index.ts';
import {
  COMPOUNDING_LANGUAGES,
  compoundParts,
  createLanguageGuess,
  isFunctionWord,
  LANGUAGE_NUMBERS,
  languageTag,
  languageTerm,
  looseTerm,
} from '../text/languages/languages.ts';
import { type QuerySentence, querySentences } from '../text/query-sentences.ts';
import { stem } from '../text/stem.ts';
import { GENERIC_WORDS, STOP_WORDS } from '../text/stop-words.ts';
import { daysOf, type TimeRange } from '../text/time-range.ts';
import { isUnspacedCharacter, type Token, tokenise } from '../text/tokens.ts';
import type { WordTable } from '../words/word-table.ts';
import type { Wordbook } from '../words/wordbook.ts';

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

/** What a sentence is about. */
export interface Subject {
  vector: Int8Array;
  /** How much it counts, from 0 to 1. */
  weight: number;
}

/** A query plan: the terms to look up in one index. */
export interface Query {
  terms: QueryTerm[];
  /** Adjacent words, as indexes into `terms`. */
  pairs: [number, number][];
  /** What each sentence of the query is about, to compare with `Image.meanings`. */
  subjects: Subject[];
}

const MAX_TERMS = 32;
/** Comparing a sentence with all facts of a memory takes time. */
const MAX_SUBJECTS = 6;
const MAX_QUERY_CHARS = 4_096;
const MAX_SYNONYMS = 10;
const MAX_PREFIX_MATCHES = 8;
/** How many bigrams a single character of a script without spaces expands to. */
const MAX_BIGRAM_MATCHES = 64;
const MAX_SPELLING_MATCHES = 8;
const MIN_SYNONYM_SIMILARITY = 0.5;
const SYNONYM_WEIGHT = 0.7;
/** The same word with another ending, in a language other than English: a little less than the word as it was written. */
const INFLECTED_WEIGHT = 0.95;
/** A word of the same root. */
const LOOSE_WEIGHT = 0.6;
const PREFIX_WEIGHT = 0.8;
/** A compound of a word, or a part of it: Mahnung, Mahnschreiben. The other part may make it a different thing. */
const COMPOUND_WEIGHT = 0.6;
/** One character of two, in a script whose characters are words: 狗的毛, 狗毛. */
const CHARACTER_WEIGHT = 0.4;
/** By edit distance. */
const SPELLING_WEIGHTS = [1, 0.8, 0.6];
/** The weight of words such as "thing" and "remember". */
const GENERIC_FACTOR = 0.5;
/**
 * "Last week" has been understood as a time. A fact that says so as well means another week, so the words hardly count.
 */
const TIME_WORD_FACTOR = 0.3;
const MIN_PREFIX_LENGTH = 3;
/** Shorter words begin or end too many others by accident. */
const MIN_COMPOUND_PART = 4;
const MIN_FUZZY_LENGTH = 4;
const MIN_TWO_EDITS_LENGTH = 8;

/** A word of the query that is looked up. */
interface Wanted {
  token: Token;
  sentence: QuerySentence;
  /** How much it counts: by its sentence, and by what it says in English. */
  weight: number;
  joined?: number;
  /** Whether the word before it in the query is looked up, too. */
  followsAnother: boolean;
}

/**
 * Tokenises a query, drops stop words and expands each word by synonyms, prefixes and spelling in one index. `during` is
 * the time that the query names.
 */
export function planQuery(text: string, index: TermIndex, wordbook: Wordbook, during?: TimeRange): Query {
  const wanted = mostTelling(
    wantedWords(text.slice(0, MAX_QUERY_CHARS), index, wordbook, during?.spoken),
    index,
  );
  const terms: QueryTerm[] = [];
  const places = new Map<string, number>();
  const pairs: [number, number][] = [];
  let before: number | undefined;
  for (const { token, weight, joined, followsAnother } of wanted) {
    let place = places.get(token.term);
    if (place === undefined) {
      const term = planTerm(token, weight, index, wordbook, joined);
      // A compound can only add to a score: documents that write its parts apart are not penalised.
      if (token.compound && term.alternatives.length === 0) continue;
      place = terms.length;
      places.set(token.term, place);
      terms.push(term);
    }
    if (!token.compound) {
      if (followsAnother && before !== undefined && before !== place) pairs.push([before, place]);
      before = place;
    }
  }
  if (during) terms.push(...daysAsTerm(during, index));
  return { terms, pairs, subjects: wordbook.words ? subjectsOf(wanted, wordbook.words) : [] };
}

/** The days of a range as one more word of the query, if any fact names one of them. It can only add to a score. */
function daysAsTerm(during: TimeRange, { lexicon, postings, liveDocuments }: TermIndex): QueryTerm[] {
  const days = daysOf(during).flatMap((day) => lexicon.idOf(day) ?? []);
  const live = days.filter((id) => postings.documentFrequency(id) > 0);
  if (live.length === 0) return [];
  const alternatives = live.map((term): Alternative => {
    const rarity = idf(liveDocuments(), postings.documentFrequency(term));
    return { term, weight: 1, idf: rarity, via: 'meaning' };
  });
  const [first, last] = [lexicon.term(live[0]!), lexicon.term(live.at(-1)!)];
  return [{ word: first === last ? first : `${first} … ${last}`, idf: 0, alternatives }];
}

/** The words of a query in order, without stop words unless there is nothing else. */
function wantedWords(text: string, index: TermIndex, wordbook: Wordbook, spokenTime = ''): Wanted[] {
  const sentences = querySentences(text).map((sentence) => ({ sentence, tokens: tokenise(sentence.text) }));
  const guess = createLanguageGuess();
  for (const { word } of sentences.flatMap(({ tokens }) => tokens)) guess.add(word, STOP_WORDS.has(word));
  const language = guess.finish(text);
  const isStopWord = (word: string) => STOP_WORDS.has(word) || isFunctionWord(word, language);
  const timeWords = new Set(tokenise(spokenTime).map(({ word }) => word));
  const hasContent = sentences.some(({ tokens }) => tokens.some(({ word }) => !isStopWord(word)));
  return sentences.flatMap(({ sentence, tokens }) => {
    const joined = joinedTerms(tokens, index);
    return tokens
      .filter(({ word }) => !hasContent || !isStopWord(word))
      .map((token, at) => ({
        token,
        sentence,
        weight:
          sentence.weight *
          informationOf(token, wordbook) *
          (timeWords.has(token.word) ? TIME_WORD_FACTOR : 1),
        joined: joined.get(token),
        followsAnother: at > 0,
      }));
  });
}

/** Of a query with very many words those that say most, in their order. */
function mostTelling(wanted: Wanted[], { lexicon, postings, liveDocuments }: TermIndex): Wanted[] {
  const byTerm = new Map<string, number>();
  for (const { token, weight } of wanted) {
    const id = lexicon.idOf(token.term);
    const rarity = idf(liveDocuments(), id === undefined ? 0 : postings.documentFrequency(id));
    byTerm.set(token.term, Math.max(weight * rarity, byTerm.get(token.term) ?? 0));
  }
  if (byTerm.size <= MAX_TERMS) return wanted;
  const [lowest] = [...byTerm.values()].sort((a, b) => b - a).slice(MAX_TERMS - 1);
  let left = MAX_TERMS;
  const kept = new Set<string>();
  for (const [term, says] of byTerm) if (says >= lowest! && left-- > 0) kept.add(term);
  return wanted
    .map((each, at) => ({
      ...each,
      followsAnother: each.followsAnother && kept.has(wanted[at - 1]!.token.term),
    }))
    .filter(({ token }) => kept.has(token.term));
}

/** The vectors of the sentences that count most. */
function subjectsOf(wanted: readonly Wanted[], words: WordTable): Subject[] {
  const bySentence = Map.groupBy(
    wanted.filter(({ token }) => !token.compound),
    ({ sentence }) => sentence,
  );
  const subjects = [...bySentence].flatMap(([{ weight }, parts]) => {
    const vector = vectorOf(
      words,
      parts.map((each) => ({ term: each.token.term, weight: each.weight })),
    );
    return vector ? [{ vector, weight }] : [];
  });
  return subjects.sort((a, b) => b.weight - a.weight).slice(0, MAX_SUBJECTS);
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
  factor: number,
  index: TermIndex,
  wordbook: Wordbook,
  joined: number | undefined,
): QueryTerm {
  const { lexicon, postings } = index;
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
  for (const number of LANGUAGE_NUMBERS) {
    const id = lexicon.idOf(languageTerm(token.word, number) ?? '');
    if (id !== undefined) add(id, INFLECTED_WEIGHT, 'word', ownIdf);
    const loose = lexicon.idOf(looseTerm(token.word, number) ?? '');
    if (loose !== undefined) add(loose, LOOSE_WEIGHT, 'meaning', ownIdf);
  }
  for (const { stem: near, similarity } of wordbook.neighbours(token.term).slice(0, MAX_SYNONYMS)) {
    const id = similarity >= MIN_SYNONYM_SIMILARITY ? lexicon.idOf(near) : undefined;
    if (id !== undefined) add(id, SYNONYM_WEIGHT * similarity, 'meaning', ownIdf);
  }
  if (isUnspacedCharacter(token.word)) {
    const bigrams = lexicon.bigramsWith(token.term, (id) => postings.documentFrequency(id) > 0);
    bigrams.sort((a, b) => postings.documentFrequency(b) - postings.documentFrequency(a));
    for (const id of bigrams.slice(0, MAX_BIGRAM_MATCHES)) add(id, PREFIX_WEIGHT, 'prefix', ownIdf);
  }
  const isLive = (id: number) => postings.documentFrequency(id) > 0;
  const isKnown = alternatives.some(({ via }) => via === 'word');
  for (const id of compoundTerms(token.word, isKnown, lexicon, isLive))
    add(id, COMPOUND_WEIGHT, 'prefix', ownIdf);
  if (!isKnown) expandUnknown(token, index, (id, weight, via) => add(id, weight, via, ownIdf));
  return { word: token.word, idf: ownIdf * factor, alternatives };
}

/**
 * How much a word says about what is wanted, from 0 to 1. Beside how rare it is in this memory (`idf`) counts how rare it
 * is in English: "happy" may occur in one fact of ten thousand, and still say little in a question.
 */
function informationOf({ word, term }: Token, { words }: Wordbook): number {
  const row = words?.rowOf(term) ?? -1;
  const information = row < 0 ? 1 : words!.information(row);
  return GENERIC_WORDS.has(word) ? GENERIC_FACTOR * information : information;
}

/** Expands a word that no document has: as a prefix or, if there is none, as a misspelling. */
function expandUnknown(
  token: Token,
  { lexicon, postings }: TermIndex,
  add: (id: number, weight: number, via: Alternative['via']) => void,
): void {
  if (STOP_WORDS.has(token.word)) return;
  const isLive = (id: number) => postings.documentFrequency(id) > 0;
  if (IDEOGRAMS.test(token.word)) {
    for (const character of token.word) {
      const bigrams = lexicon.bigramsWith(character, isLive);
      // One that stands beside everything, such as 的, says nothing.
      if (bigrams.length > MAX_BIGRAM_MATCHES) continue;
      for (const id of bigrams) add(id, CHARACTER_WEIGHT, 'prefix');
    }
  }
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
  for (const id of otherForms(token.word, lexicon, isLive)) add(id, PREFIX_WEIGHT, 'prefix');
}

const MIN_OTHER_FORM_STEM = 4;

/** Words with the same stem in another language, in facts too short to tell which language they are in. */
function otherForms(word: string, lexicon: Lexicon, isLive: (id: number) => boolean): number[] {
  const forms = LANGUAGE_NUMBERS.flatMap((language) => {
    const stemmed = languageTerm(word, language);
    const plain = stemmed?.slice(0, -languageTag(language).length) ?? word;
    const isShorter = plain.length < word.length && word.startsWith(plain);
    return isShorter && plain.length >= MIN_OTHER_FORM_STEM ? [{ language, stemmed, plain }] : [];
  });
  if (forms.length === 0) return [];
  const [shortest] = forms.map(({ plain }) => plain).sort((a, b) => a.length - b.length);
  const isForm = (id: number) => {
    const other = lexicon.term(id);
    return isLive(id) && forms.some(({ language, stemmed }) => languageTerm(other, language) === stemmed);
  };
  return lexicon.startingWith(shortest!, MAX_PREFIX_MATCHES, isForm);
}

const IDEOGRAMS = /^\p{Script=Han}{2}$/u;

/**
 * Compounds that begin or end with a word. Of a word that no fact has, also the two words that it is a compound of; if only
 * one of them is known, that one with its compounds.
 */
function compoundTerms(
  word: string,
  isKnown: boolean,
  lexicon: Lexicon,
  isLive: (id: number) => boolean,
): number[] {
  if (word.length < MIN_COMPOUND_PART) return [];
  return COMPOUNDING_LANGUAGES.flatMap((language) => {
    const mark = languageTag(language);
    const whole = languageTerm(word, language);
    if (whole === undefined || !lexicon.hasMark(mark)) return [];
    const longer = (term: string) => {
      const part = term.slice(0, -mark.length);
      return part.length < MIN_COMPOUND_PART
        ? []
        : lexicon.compoundsOf(part, mark, MAX_PREFIX_MATCHES, isLive);
    };
    if (isKnown) return longer(whole);
    const known = (term: string) => {
      const id = lexicon.idOf(term);
      return id !== undefined && isLive(id) ? [id, ...longer(term)] : longer(term);
    };
    const pairs = compoundParts(word, language).map((pair) => pair.map(known));
    const both = pairs.find((pair) => pair.every((ids) => ids.length > 0));
    const one =
      both ?? pairs.find(([, tail]) => tail!.length > 0) ?? pairs.findLast(([head]) => head!.length > 0);
    return [...longer(whole), ...(one ?? []).flat()];
  });
}

/** BM25's inverse document frequency. */
export function idf(documents: number, documentFrequency: number): number {
  return Math.log(1 + (documents - documentFrequency + 0.5) / (documentFrequency + 0.5));
}
