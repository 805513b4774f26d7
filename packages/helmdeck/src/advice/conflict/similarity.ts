import { openThesaurus } from '../../recall/words/thesaurus.ts';
import type { Token } from './tokens.ts';
import { compareValues, readValue, type Value } from './values.ts';
import { areCounterparts, isSpelling, senseOf } from './words.ts';

// Measures how nearly two statements have the same content words, in whatever order.

/** What a statement says, as a bag of words. */
export interface Terms {
  /** The weight of each content word, by stem. */
  words: ReadonlyMap<string, number>;
  /** The summed weight of words and values. */
  weight: number;
  values: readonly Value[];
  /** Stems written as a proper name, that is with a capital within a sentence or with a digit. */
  names: ReadonlySet<string>;
  /** The first content word: usually what the statement is about. */
  first: string;
  /** An odd number of negations. */
  negative: boolean;
}

/** A value of fewer words means little without its key. */
const MIN_OWN_WORDS = 3;
/** A word replaced by another one may change the meaning, so it costs more than a word that one side adds. */
const SUBSTITUTION_COST = 1.5;
/** From this cosine on, words of the thesaurus are synonyms rather than related things: "begin" and "start". */
const MIN_SYNONYM_SIMILARITY = 0.72;
/** More different words than this on a side: not worth a search for synonyms. */
const MAX_DIFFERENT_WORDS = 8;
/** Nor if more than this share of both statements differs. */
const MAX_DIFFERENT_SHARE = 0.5;
/** A bound for texts such as tables of numbers. */
const MAX_VALUES = 16;
/** Statements that differ in a value, a name or a negation say different things, whatever else they share. */
const MAX_OF_DIFFERENT = 0.7;
const MIN_COMPARED_WORDS = 5;
const MIN_SHARED_SHARE = 0.3;
const HAS_DIGIT = /\d/;

/** Whether a value has enough words to be compared without its key. */
export const isSelfContained = (tokens: readonly Token[]) => tokens.length >= MIN_OWN_WORDS;

/** The terms of a text, and of its key if the text has hardly any. */
export function termsOf(tokens: readonly Token[], keyWords: readonly string[], text: string): Terms {
  const words = new Map<string, number>();
  const names = new Set<string>();
  const values: Value[] = [];
  let negative = false;
  for (const word of keyWords) words.set(word, 1);
  for (let at = 0; at < tokens.length; at++) {
    const reading = readValue(tokens, at);
    if (reading) {
      if (values.length < MAX_VALUES) values.push(reading.value);
      at += reading.used - 1;
      continue;
    }
    const token = tokens[at]!;
    const { stem, role, weight, negative: negates } = senseOf(token.lower);
    if (role === 'negator' || negates) negative = !negative;
    if (weight === 0) continue;
    words.set(stem, weight);
    if ((token.capital && at > 0 && !/[.!?:\n]/.test(token.gap)) || HAS_DIGIT.test(stem)) names.add(stem);
  }
  if (words.size + values.length === 0) for (const { lower } of tokens) words.set(lower, 1);
  // A text without words ("👍") is one term.
  if (tokens.length === 0) words.set(text.trim(), 1);
  let weight = values.length;
  for (const one of words.values()) weight += one;
  const first = words.entries().find(([, one]) => one === 1)?.[0] ?? '';
  return { words, weight, values, names, first, negative };
}

/** Words that only one side has. */
interface Rest {
  words: string[];
  weight: number;
}

/** The Sørensen–Dice coefficient of two bags of words, in which synonyms match and substitutions cost more. */
export function overlapOf(a: Terms, b: Terms): number {
  const [mine, theirs] = [restOf(a, b), restOf(b, a)];
  const total = a.weight + b.weight;
  const valuesDiffer = a.values.length + b.values.length > 0 && compareBags(a, b, mine, theirs);
  if (mine.weight + theirs.weight > MAX_DIFFERENT_SHARE * total) return scoreOf(mine, theirs, total);
  matchSynonyms(mine, theirs, a, b);
  const score = scoreOf(mine, theirs, total);
  const isDifferent =
    valuesDiffer ||
    a.negative !== b.negative ||
    namesDiffer(a, mine, b, theirs) ||
    subjectsDiffer(a, mine, b, theirs);
  return isDifferent ? Math.min(score, MAX_OF_DIFFERENT) : score;
}

/** Whether two statements of more than a few words share hardly any: then they are not about the same thing. */
export function haveLittleInCommon(a: Terms, b: Terms): boolean {
  const [fewer, more] = a.words.size < b.words.size ? [a.words, b.words] : [b.words, a.words];
  if (fewer.size < MIN_COMPARED_WORDS) return false;
  let shared = 0;
  for (const word of fewer.keys()) if (more.has(word)) shared++;
  return shared < MIN_SHARED_SHARE * fewer.size;
}

function scoreOf(mine: Rest, theirs: Rest, total: number): number {
  const replaced = Math.min(mine.weight, theirs.weight);
  const added = Math.max(mine.weight, theirs.weight) - replaced;
  return Math.max(0, 1 - (added + 2 * SUBSTITUTION_COST * replaced) / total);
}

function restOf(one: Terms, other: Terms): Rest {
  const rest: Rest = { words: [], weight: 0 };
  for (const [word, weight] of one.words) {
    if (other.words.has(word)) continue;
    rest.words.push(word);
    rest.weight += weight;
  }
  return rest;
}

/** Adds the values that only one side has to the rest; true if a value of one side contradicts one of the other. */
function compareBags(a: Terms, b: Terms, mine: Rest, theirs: Rest): boolean {
  const lacks = (values: readonly Value[]) => (value: Value) =>
    values.every((other) => compareValues(value, other) !== 'same');
  const onlyMine = a.values.filter(lacks(b.values));
  const onlyTheirs = b.values.filter(lacks(a.values));
  mine.weight += onlyMine.length;
  theirs.weight += onlyTheirs.length;
  return onlyMine.some((value) => onlyTheirs.some((other) => compareValues(value, other) === 'different'));
}

/** Takes spellings, inflections and synonyms of each other out of both rests, the closest first. */
function matchSynonyms(mine: Rest, theirs: Rest, a: Terms, b: Terms): void {
  if (mine.words.length > MAX_DIFFERENT_WORDS || theirs.words.length > MAX_DIFFERENT_WORDS) return;
  const matches: { word: string; other: string; alike: number; order: string }[] = [];
  for (const word of mine.words) {
    for (const other of theirs.words) {
      const alike = likenessOf(word, other, a.names.has(word) || b.names.has(other));
      // The order must not depend on which statement is the incoming one.
      const order = word < other ? `${word} ${other}` : `${other} ${word}`;
      if (alike > 0) matches.push({ word, other, alike, order });
    }
  }
  matches.sort((one, two) => two.alike - one.alike || (one.order < two.order ? -1 : 1));
  for (const { word, other, alike } of matches) {
    const [at, twin] = [mine.words.indexOf(word), theirs.words.indexOf(other)];
    if (at < 0 || twin < 0) continue;
    mine.words.splice(at, 1);
    theirs.words.splice(twin, 1);
    mine.weight -= alike * a.words.get(word)!;
    theirs.weight -= alike * b.words.get(other)!;
  }
}

/** Names have spellings, not synonyms. */
function likenessOf(a: string, b: string, isName: boolean): number {
  if (areCounterparts(a, b)) return 0;
  if (isSpelling(a, b)) return 1;
  if (isName) return 0;
  const thesaurus = openThesaurus();
  const found =
    thesaurus.neighbours(a).find(({ stem }) => stem === b) ??
    thesaurus.neighbours(b).find(({ stem }) => stem === a);
  return found && found.similarity >= MIN_SYNONYM_SIMILARITY ? found.similarity : 0;
}

const namesDiffer = (a: Terms, mine: Rest, b: Terms, theirs: Rest) =>
  mine.words.some((word) => a.names.has(word)) && theirs.words.some((word) => b.names.has(word));

/** "Nora mentors two juniors", "Omar mentors two juniors". */
const subjectsDiffer = (a: Terms, mine: Rest, b: Terms, theirs: Rest) =>
  mine.words.includes(a.first) && theirs.words.includes(b.first);
