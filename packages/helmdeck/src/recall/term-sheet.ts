import type { EntryContent } from '../memory/entry.ts';
import type { Lexicon } from './lexicon.ts';
import { STOP_WORDS } from './stop-words.ts';
import { type Token, tokenise } from './tokens.ts';

/** The parts of a document that count differently. `compounds` are the value's; `labels` serve filters only. */
export const FIELDS = ['value', 'key', 'tags', 'category', 'compounds', 'labels'] as const;
export type Field = (typeof FIELDS)[number];

/** A document's terms by field, in their order: numbers of the lexicon, after one count for each field. */
export type TermSheet = Uint32Array;

/** Longer texts are found by their beginning. */
const MAX_VALUE_TERMS = 20_000;
const MAX_KNOWN_NAMES = 10_000;

/** Makes the sheets of one index. Tags and categories repeat: what they are made of is remembered. */
export function createSheetMaker(lexicon: Lexicon, labels: Lexicon): (content: EntryContent) => TermSheet {
  const known = new Map<string, number[]>();
  const idOf = (term: string) => lexicon.add(term);

  function termsOfName(name: string): number[] {
    let ids = known.get(name);
    if (!ids) {
      ids = everyTerm(name).map(idOf);
      if (known.size >= MAX_KNOWN_NAMES) known.clear();
      known.set(name, ids);
    }
    return ids;
  }

  return (content) => {
    const { category = '', tags = [] } = content;
    const { parts, compounds } = partsOf(tokenise(content.value));
    const fields = [
      parts.map(idOf),
      everyTerm(content.key).map(idOf),
      tags.length === 0 ? [] : tags.flatMap(termsOfName),
      termsOfName(category),
      compounds.map(idOf),
      [labels.add(categoryLabel(category)), ...tags.map((tag) => labels.add(tagLabel(tag)))],
    ];
    return sheetOf(fields);
  };
}

function sheetOf(fields: readonly number[][]): TermSheet {
  const sheet = new Uint32Array(FIELDS.length + fields.reduce((sum, field) => sum + field.length, 0));
  let at = FIELDS.length;
  for (const [number, field] of fields.entries()) {
    sheet[number] = field.length;
    sheet.set(field, at);
    at += field.length;
  }
  return sheet;
}

/** Category and tags as a filter asks for them. */
export const categoryLabel = (category: string) => `category ${category}`;
export const tagLabel = (tag: string) => `tag ${tag}`;

/** Where a field begins and ends in its sheet. */
export function fieldRange(sheet: TermSheet, field: Field): { start: number; end: number } {
  const number = FIELDS.indexOf(field);
  let start = FIELDS.length;
  for (let before = 0; before < number; before++) start += sheet[before]!;
  return { start, end: start + sheet[number]! };
}

/** Stop-words are left out, unless a text has nothing else. */
export function meaningful(tokens: readonly Token[]): readonly Token[] {
  const kept = tokens.filter((token) => !STOP_WORDS.has(token.word));
  return kept.length > 0 ? kept : tokens;
}

function partsOf(tokens: readonly Token[]): { parts: string[]; compounds: string[] } {
  const parts: string[] = [];
  const compounds: string[] = [];
  for (const token of meaningful(tokens.length > MAX_VALUE_TERMS ? tokens.slice(0, MAX_VALUE_TERMS) : tokens))
    (token.compound ? compounds : parts).push(token.term);
  return { parts, compounds };
}

/** Keys, tags and categories are short, and a stop-word in them may be all there is: every word counts. */
const everyTerm = (text: string) => tokenise(text).map((token) => token.term);
