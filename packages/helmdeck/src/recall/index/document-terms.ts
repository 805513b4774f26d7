import type { EntryContent } from '../../memory/entry.ts';
import { FACT_POLICY } from '../../memory/facts/validate-fact.ts';
import {
  createLanguageGuess,
  isFunctionWord,
  type LanguageNumber,
  languageTerm,
  looseTerm,
  NO_LANGUAGE,
  saysLanguage,
} from '../text/languages/languages.ts';
import { stem } from '../text/stem.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { eachWord, type Word } from '../text/tokens.ts';
import { folderHash } from './folder.ts';
import type { StringTable } from './string-table.ts';

// Turns an entry into the term ids of its fields, the form in which a document is indexed.

/**
 * The fields of a document. `compounds` are those of the value, and the stems of all its words in its own language, if
 * that is not English; `labels` are used by filters only, never ranked.
 */
export const FIELDS = ['value', 'key', 'tags', 'category', 'compounds', 'labels'] as const;
export type Field = (typeof FIELDS)[number];

/**
 * A document as term ids: the number of terms in each field, the folder hash, then the terms of all fields in text order.
 * Proximity, filters and `explain` read it; searching itself reads the postings.
 */
export type DocumentTerms = Uint32Array;

/** Index of the folder hash. */
export const FOLDER_OFFSET = FIELDS.length;
/** Index of the first term. */
export const TERMS_OFFSET = FOLDER_OFFSET + 1;

/** Of a longer value only the first terms are indexed. */
const MAX_VALUE_TERMS = 20_000;
const MAX_CACHED_CATEGORIES = 1_000;
const MAX_CACHED_WORDS = 65_536;

const LOWER_A = 'a'.charCodeAt(0);
/** Numbers are their own stem and mostly occur once: not worth a cache entry. */
const isNumber = (word: string) => word.charCodeAt(0) < LOWER_A;

/** V8 keeps a longer part of a text as a reference to all of it, which the cache would then keep in memory. */
const MAX_CACHED_WORD_LENGTH = 12;
/** The low bits of a cache entry; the others are the term id. */
const IS_STOP_WORD = 1;
const SAYS_LANGUAGE = 2;
const FLAG_BITS = 2;

/** Turns entries into term ids of one index. Every call reuses the same buffer: use a result before the next call. */
export function createTermExtractor(
  lexicon: StringTable,
  labels: StringTable,
): (content: EntryContent) => DocumentTerms {
  let buffer = new Uint32Array(256);
  let end = 0;
  const cache = new Map<string, number>();
  const categories = new Map<string, Uint32Array>();
  const compounds: number[] = [];
  let compoundCount = 0;
  let wordCount = 0;
  const guess = createLanguageGuess();

  function add(id: number): void {
    if (end === buffer.length) {
      const larger = new Uint32Array(2 * end);
      larger.set(buffer);
      buffer = larger;
    }
    buffer[end++] = id;
  }

  /** The term id of a word and its flags: one lookup instead of four. A stop word has no id here, because few are indexed. */
  function lookUp(word: string): number {
    const cached = cache.get(word);
    if (cached !== undefined) return cached;
    const isStopWord = STOP_WORDS.has(word);
    const id = isStopWord ? 0 : lexicon.add(stem(word));
    const isTelling = isStopWord || saysLanguage(word);
    const known = (id << FLAG_BITS) | (isStopWord ? IS_STOP_WORD : 0) | (isTelling ? SAYS_LANGUAGE : 0);
    if (word.length > MAX_CACHED_WORD_LENGTH) return known;
    if (cache.size >= MAX_CACHED_WORDS) cache.clear();
    cache.set(word, known);
    return known;
  }

  function termOf(word: string): number {
    if (isNumber(word)) return lexicon.add(word);
    const known = lookUp(word);
    return known & IS_STOP_WORD ? lexicon.add(stem(word)) : known >>> FLAG_BITS;
  }

  // Keys, tags and categories are short and may consist of stop words only: no word is dropped.
  const addName = (word: string) => add(termOf(word));

  function addTerm(id: number, compound: boolean): void {
    if (compound) compounds[compoundCount++] = id;
    else add(id);
  }

  function addAny(word: string, _start: number, _end: number, compound: boolean): void {
    if (wordCount++ < MAX_VALUE_TERMS) addTerm(termOf(word), compound);
  }

  function addUnlessStopWord(word: string, _start: number, _end: number, compound: boolean): void {
    if (wordCount++ >= MAX_VALUE_TERMS) return;
    const known = isNumber(word) ? lexicon.add(word) << FLAG_BITS : lookUp(word);
    if (known & SAYS_LANGUAGE) guess.add(word, (known & IS_STOP_WORD) !== 0);
    if ((known & IS_STOP_WORD) === 0) addTerm(known >>> FLAG_BITS, compound);
  }

  function addValue(value: string): void {
    compoundCount = 0;
    wordCount = 0;
    eachWord(value, addUnlessStopWord);
    if (end > TERMS_OFFSET || compoundCount > 0) return;
    // The value has nothing but stop words: index those.
    wordCount = 0;
    eachWord(value, addAny);
  }

  /** Adds the stems of words in a language other than English, next to the terms by which they are indexed anyway. */
  function addStems(text: string, language: LanguageNumber): void {
    eachWord(text, (word, _start, _end, compound) => {
      if (compound || wordCount++ >= MAX_VALUE_TERMS || isFunctionWord(word, language)) return;
      for (const term of [languageTerm(word, language), looseTerm(word, language)])
        if (term !== undefined) compounds[compoundCount++] = lexicon.add(term);
    });
  }

  /** There are few categories, so the terms of each are cached. The default one says nothing about a fact: "user" must not find them all. */
  function addCategory(category: string): void {
    if (category === FACT_POLICY.defaultCategory) return;
    let ids = categories.get(category);
    if (!ids) {
      const start = end;
      eachWord(category, addName);
      ids = buffer.slice(start, end);
      end = start;
      if (categories.size >= MAX_CACHED_CATEGORIES) categories.clear();
      categories.set(category, ids);
    }
    for (const id of ids) add(id);
  }

  return ({ key, value, category = '', tags = [], project }) => {
    buffer[FOLDER_OFFSET] = folderHash(key);
    end = TERMS_OFFSET;
    addValue(value);
    const language = guess.finish(value);
    if (language !== NO_LANGUAGE) addStems(`${value}\n${key}\n${tags.join(' ')}`, language);
    const valueEnd = end;
    eachWord(key, addName);
    const keyEnd = end;
    for (const tag of tags) eachWord(tag, addName);
    const tagsEnd = end;
    addCategory(category);
    const categoryEnd = end;
    for (let at = 0; at < compoundCount; at++) add(compounds[at]!);
    const compoundsEnd = end;
    add(labels.add(categoryLabel(category)));
    for (const tag of tags) add(labels.add(tagLabel(tag)));
    if (project) add(labels.add(projectLabel(project)));
    let start: number = TERMS_OFFSET;
    for (const [field, stop] of [valueEnd, keyEnd, tagsEnd, categoryEnd, compoundsEnd, end].entries()) {
      buffer[field] = stop - start;
      start = stop;
    }
    return buffer.subarray(0, end);
  };
}

/** The labels by which filters match a category, a tag or a project exactly. */
export const categoryLabel = (category: string) => `category ${category}`;
export const tagLabel = (tag: string) => `tag ${tag}`;
export const projectLabel = (project: string) => `project ${project}`;

/** Where a field begins and ends among a document's terms. */
export function fieldRange(terms: DocumentTerms, field: Field): { start: number; end: number } {
  const number = FIELDS.indexOf(field);
  let start = TERMS_OFFSET;
  for (let before = 0; before < number; before++) start += terms[before]!;
  return { start, end: start + terms[number]! };
}

/** Drops stop words, unless a text has nothing else. */
export function withoutStopWords<W extends Word>(words: readonly W[]): readonly W[] {
  const kept = words.filter(({ word }) => !STOP_WORDS.has(word));
  return kept.length > 0 ? kept : words;
}
