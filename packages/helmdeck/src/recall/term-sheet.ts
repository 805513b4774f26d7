import type { EntryContent } from '../memory/entry.ts';
import type { Lexicon } from './lexicon.ts';
import { stem } from './stem.ts';
import { STOP_WORDS } from './stop-words.ts';
import { type Word, wordsOf } from './tokens.ts';

/** The parts of a document that count differently. `compounds` are the value's; `labels` serve filters only. */
export const FIELDS = ['value', 'key', 'tags', 'category', 'compounds', 'labels'] as const;
export type Field = (typeof FIELDS)[number];

/** A document's terms by field, in their order: numbers of the lexicon, after a count for each field and the folder. */
export type TermSheet = Uint32Array;

/** Where a sheet says in which folder its document is: a hash of the key's path. */
export const FOLDER_AT = FIELDS.length;
export const NO_FOLDER = 0;
/** Where the terms begin. */
export const TERMS_AT = FOLDER_AT + 1;

/** Longer texts are found by their beginning. */
const MAX_VALUE_TERMS = 20_000;
const MAX_KNOWN_NAMES = 10_000;
const MAX_KNOWN_WORDS = 65_536;

/** Makes the sheets of one index. Tags and categories repeat: what they are made of is remembered. */
export function createSheetMaker(lexicon: Lexicon, labels: Lexicon): (content: EntryContent) => TermSheet {
  const known = new Map<string, number[]>();
  const knownWords = new Map<string, number>();

  /** From a word to its number in one look: stems and terms are two more, for every word of every fact. */
  function idOf({ word }: Word): number {
    let id = knownWords.get(word);
    if (id === undefined) {
      id = lexicon.add(stem(word));
      if (knownWords.size >= MAX_KNOWN_WORDS) knownWords.clear();
      knownWords.set(word, id);
    }
    return id;
  }

  // Keys, tags and categories are short, and a stop-word in them may be all there is: every word counts.
  const everyTerm = (text: string) => wordsOf(text).map(idOf);

  function termsOfName(name: string): number[] {
    let ids = known.get(name);
    if (!ids) {
      ids = everyTerm(name);
      if (known.size >= MAX_KNOWN_NAMES) known.clear();
      known.set(name, ids);
    }
    return ids;
  }

  return (content) => {
    const { category = '', tags = [] } = content;
    const { parts, compounds } = partsOf(wordsOf(content.value));
    const fields = [
      parts.map(idOf),
      everyTerm(content.key),
      tags.length === 0 ? [] : tags.flatMap(termsOfName),
      termsOfName(category),
      compounds.map(idOf),
      [labels.add(categoryLabel(category)), ...tags.map((tag) => labels.add(tagLabel(tag)))],
    ];
    return sheetOf(folderHash(content.key), fields);
  };
}

function sheetOf(folder: number, fields: readonly number[][]): TermSheet {
  const sheet = new Uint32Array(TERMS_AT + fields.reduce((sum, field) => sum + field.length, 0));
  sheet[FOLDER_AT] = folder;
  let at = TERMS_AT;
  for (const [number, field] of fields.entries()) {
    sheet[number] = field.length;
    sheet.set(field, at);
    at += field.length;
  }
  return sheet;
}

/** The path of a key without its last part; nothing for a key that is no path. */
export const folderOf = (key: string) => key.slice(0, Math.max(0, key.lastIndexOf('/')));

/** FNV-1a. Two folders of the same number would only be taken for one. */
function folderHash(key: string): number {
  const folder = folderOf(key);
  if (folder === '') return NO_FOLDER;
  let hash = 0x811c9dc5;
  for (let at = 0; at < folder.length; at++) hash = Math.imul(hash ^ folder.charCodeAt(at), 0x01000193);
  return hash >>> 0;
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

function partsOf(words: readonly Word[]): { parts: Word[]; compounds: Word[] } {
  const parts: Word[] = [];
  const compounds: Word[] = [];
  for (const word of meaningful(words.length > MAX_VALUE_TERMS ? words.slice(0, MAX_VALUE_TERMS) : words))
    (word.compound ? compounds : parts).push(word);
  return { parts, compounds };
}
