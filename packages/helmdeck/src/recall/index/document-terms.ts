import type { EntryContent } from '../../memory/entry.ts';
import { FACT_POLICY } from '../../memory/facts/validate-fact.ts';
import {
  createLanguageGuess,
  isFunctionWord,
  type LanguageNumber,
  languageTerm,
  NO_LANGUAGE,
} from '../text/languages/languages.ts';
import { stem } from '../text/stem.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { eachWord, type Word } from '../text/tokens.ts';
import { folderHash } from './folder.ts';
import { ints } from './paged-array.ts';
import { createStringTable, type StringTable } from './string-table.ts';

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

/** Words already stemmed, with the term id of each. */
const emptyWordCache = () => ({ words: createStringTable(), terms: ints() });

/** Turns entries into term ids of one index. Every call reuses the same buffer: use a result before the next call. */
export function createTermExtractor(
  lexicon: StringTable,
  labels: StringTable,
): (content: EntryContent) => DocumentTerms {
  let buffer = new Uint32Array(256);
  let end = 0;
  let cache = emptyWordCache();
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

  /** Word to term id in one lookup; without the cache, stemming and the lexicon would be two more for every word. */
  function termOf(word: string): number {
    // Numbers are their own stem and mostly occur once: not worth a cache entry.
    if (word.charCodeAt(0) < LOWER_A) return lexicon.add(word);
    if (cache.words.size >= MAX_CACHED_WORDS) cache = emptyWordCache();
    const id = cache.words.add(word);
    if (id === cache.terms.length) cache.terms.push(lexicon.add(stem(word)));
    return cache.terms.get(id);
  }

  // Keys, tags and categories are short and may consist of stop words only: no word is dropped.
  const addName = (word: string) => add(termOf(word));

  function addAny(word: string, _start: number, _end: number, compound: boolean): void {
    if (wordCount++ >= MAX_VALUE_TERMS) return;
    const id = termOf(word);
    if (compound) compounds[compoundCount++] = id;
    else add(id);
  }

  function addUnlessStopWord(word: string, start: number, stop: number, compound: boolean): void {
    const isStopWord = STOP_WORDS.has(word);
    guess.add(word, isStopWord);
    if (isStopWord) wordCount++;
    else addAny(word, start, stop, compound);
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
      const term = languageTerm(word, language);
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
