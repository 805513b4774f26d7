import type { EntryContent } from '../../memory/entry.ts';
import { stem } from '../text/stem.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { eachWord, type Word } from '../text/tokens.ts';
import { folderNumber } from './folder.ts';
import { ints } from './paged-array.ts';
import { createNames, type Names } from './string-table.ts';

/** The parts of a document that count differently. `compounds` are the value's; `labels` serve filters only. */
export const FIELDS = ['value', 'key', 'tags', 'category', 'compounds', 'labels'] as const;
export type Field = (typeof FIELDS)[number];

/** A document's terms by field, in their order: numbers of the lexicon, after a count for each field and the folder. */
export type TermSheet = Uint32Array;

/** Where a sheet says in which folder of keys its document is. */
export const FOLDER_AT = FIELDS.length;
/** Where the terms begin. */
export const TERMS_AT = FOLDER_AT + 1;

/** Longer texts are found by their beginning. */
const MAX_VALUE_TERMS = 20_000;
const MAX_KNOWN_CATEGORIES = 1_000;
const MAX_KNOWN_WORDS = 65_536;

const SMALL_A = 'a'.charCodeAt(0);

/** Words that were met, and the term of each. */
const knowNothing = () => ({ words: createNames(), terms: ints() });

/** Makes the sheets of one index, each in the same place: one is to be used before the next is made. */
export function createSheetMaker(lexicon: Names, labels: Names): (content: EntryContent) => TermSheet {
  let sheet = new Uint32Array(256);
  let end = 0;
  let known = knowNothing();
  const categories = new Map<string, Uint32Array>();
  const compounds: number[] = [];
  let compoundCount = 0;
  let wordCount = 0;

  function add(id: number): void {
    if (end === sheet.length) {
      const larger = new Uint32Array(2 * end);
      larger.set(sheet);
      sheet = larger;
    }
    sheet[end++] = id;
  }

  /** From a word to its term in one look: its stem and that one's number are two more, for every word of every fact. */
  function termOf(word: string): number {
    // Numbers are their own stems, and most are met once.
    if (word.charCodeAt(0) < SMALL_A) return lexicon.add(word);
    if (known.words.size >= MAX_KNOWN_WORDS) known = knowNothing();
    const id = known.words.add(word);
    if (id === known.terms.length) known.terms.push(lexicon.add(stem(word)));
    return known.terms.get(id);
  }

  // Keys, tags and categories are short, and a stop-word in them may be all there is: every word counts.
  const takeName = (word: string) => add(termOf(word));

  function takeAny(word: string, _start: number, _end: number, compound: boolean): void {
    if (wordCount++ >= MAX_VALUE_TERMS) return;
    const id = termOf(word);
    if (compound) compounds[compoundCount++] = id;
    else add(id);
  }

  function takeMeaningful(word: string, start: number, stop: number, compound: boolean): void {
    if (STOP_WORDS.has(word)) wordCount++;
    else takeAny(word, start, stop, compound);
  }

  function takeValue(value: string): void {
    compoundCount = 0;
    wordCount = 0;
    eachWord(value, takeMeaningful);
    if (end > TERMS_AT || compoundCount > 0) return;
    wordCount = 0;
    eachWord(value, takeAny);
  }

  /** There are few categories: what each is made of is remembered. */
  function takeCategory(category: string): void {
    let ids = categories.get(category);
    if (!ids) {
      const start = end;
      eachWord(category, takeName);
      ids = sheet.slice(start, end);
      end = start;
      if (categories.size >= MAX_KNOWN_CATEGORIES) categories.clear();
      categories.set(category, ids);
    }
    for (const id of ids) add(id);
  }

  return ({ key, value, category = '', tags = [] }) => {
    sheet[FOLDER_AT] = folderNumber(key);
    end = TERMS_AT;
    takeValue(value);
    const valueEnd = end;
    eachWord(key, takeName);
    const keyEnd = end;
    for (const tag of tags) eachWord(tag, takeName);
    const tagsEnd = end;
    takeCategory(category);
    const categoryEnd = end;
    for (let at = 0; at < compoundCount; at++) add(compounds[at]!);
    const compoundsEnd = end;
    add(labels.add(categoryLabel(category)));
    for (const tag of tags) add(labels.add(tagLabel(tag)));
    let start: number = TERMS_AT;
    for (const [field, stop] of [valueEnd, keyEnd, tagsEnd, categoryEnd, compoundsEnd, end].entries()) {
      sheet[field] = stop - start;
      start = stop;
    }
    return sheet.subarray(0, end);
  };
}

/** Category and tags as a filter asks for them. */
export const categoryLabel = (category: string) => `category ${category}`;
export const tagLabel = (tag: string) => `tag ${tag}`;

/** Where a field begins and ends in its sheet. */
export function fieldRange(sheet: TermSheet, field: Field): { start: number; end: number } {
  const number = FIELDS.indexOf(field);
  let start = TERMS_AT;
  for (let before = 0; before < number; before++) start += sheet[before]!;
  return { start, end: start + sheet[number]! };
}

/** Stop-words are left out, unless a text has nothing else. */
export function meaningful<W extends Word>(words: readonly W[]): readonly W[] {
  const kept = words.filter(({ word }) => !STOP_WORDS.has(word));
  return kept.length > 0 ? kept : words;
}
