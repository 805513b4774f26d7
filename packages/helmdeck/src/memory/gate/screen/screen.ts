// Recognises texts that are written to steer a model rather than to state a fact. Deterministic, without a model: it
// knows patterns, and what it does not find is not thereby harmless.

import { createYielder } from '../../../runtime/yield-to-event-loop.ts';
import { announcesRotation, decipheredLines, decodedTexts, plainLines, unscrambled } from './decipher.ts';
import { type MarkupPattern, markupPatternsOf, mayMatch, possibleWeightOfMarkup } from './needed-literals.ts';
import {
  type PhrasesByOwner,
  phrasesWorthTrying,
  possibleWeightOfPhrases,
  SCREEN_CUES,
} from './phrase-index.ts';
import { CUE_WINDOW_CHARACTERS, type Cue, ENOUGH_WEIGHT, LIGHT_WEIGHT } from './screen-cues.ts';
import type { ScreenRule } from './screen-phrases.ts';
import { SCREEN_RULES, WORDING_RULE } from './screen-rules.ts';
import { signsOf, type TextTraits, traitsOf } from './text-traits.ts';
import { readsAsOrder } from './wording.ts';

export interface ScreenFinding {
  /** The name of the rule, sent to clients as `screen:<rule>`. */
  rule: string;
  /** One sentence that a person understands. */
  reason: string;
}

/** The forms of a text that patterns are matched against, see `ScreenRule`. */
interface Reading {
  raw: string;
  lines: string;
  flat: string;
  traits: TextTraits;
  phrases: PhrasesByOwner;
}

const BEFORE_MATCH_CHARACTERS = 120;
const AFTER_MATCH_CHARACTERS = 80;

/** A long text is read in parts: few patterns are worth trying on a short part. */
const PART_CHARACTERS = 2_048;
/** Longer than any match with the text around it that counts. */
const OVERLAP_CHARACTERS = 1_024;
/** A part begins and ends between words, if there is a gap this close. */
const LONGEST_WORD_CHARACTERS = 100;

/** What the text is found to be, if it meets a rule or has several cues close together. */
export function screenText(text: string): ScreenFinding | undefined {
  for (const finding of findings(text)) if (finding) return finding;
  return undefined;
}

/** `screenText` for texts of any length: yields to the event loop between the parts of a long one. */
export async function screenTextInSteps(text: string): Promise<ScreenFinding | undefined> {
  const yieldIfDue = createYielder();
  for (const finding of findings(text)) {
    if (finding) return finding;
    await yieldIfDue();
  }
  return undefined;
}

/** The result of every part. */
function* findings(text: string): Generator<ScreenFinding | undefined> {
  const traits = traitsOf(text);
  if (isOrdinary(text, traits)) return;
  const isRotated = announcesRotation(text);
  let isOrderByWording = false;
  for (const decoded of decodedTexts(text, traits)) {
    for (const part of partsOf(decoded)) {
      const readings = readingsOf(part, isRotated);
      yield findingIn(readings);
      isOrderByWording ||= readings.some(isOrder);
    }
  }
  // The least specific reason: told only if there is no other.
  if (isOrderByWording) yield findingOf(ruleNamed(WORDING_RULE));
}

const MARKUP = markupPatternsOf([...SCREEN_RULES, ...SCREEN_CUES]);
const MARKUP_BY_OWNER = new Map<ScreenRule | Cue, MarkupPattern[]>();
for (const markup of MARKUP)
  MARKUP_BY_OWNER.set(markup.owner, [...(MARKUP_BY_OWNER.get(markup.owner) ?? []), markup]);

/** Signs that `flatten` removes. */
const REMOVED_SIGNS = signsOf('"*`');

/**
 * The common case, told without another form of the text: a short one of ordinary words, which neither a rule nor
 * enough cues can match.
 */
function isOrdinary(raw: string, traits: TextTraits): boolean {
  if (!traits.isPlain || traits.hasEscapes || traits.hasLongRun || raw.length > PART_CHARACTERS) return false;
  if (traits.hasDigitInWord || traits.hasLoneLetters || (traits.signs & REMOVED_SIGNS) !== 0) return false;
  const possible = possibleWeightOfPhrases(raw);
  if (possible >= ENOUGH_WEIGHT) return false;
  const lines = raw.toLowerCase();
  if (possible + possibleWeightOfMarkup(MARKUP, { raw, lines, traits }) >= ENOUGH_WEIGHT) return false;
  return unscrambled(lines) === undefined && !announcesRotation(raw) && !readsAsOrder(raw);
}

function* partsOf(text: string): Generator<string> {
  let start = 0;
  while (text.length - start > PART_CHARACTERS + OVERLAP_CHARACTERS) {
    yield text.slice(start, gapBefore(text, start + PART_CHARACTERS + OVERLAP_CHARACTERS));
    start = gapBefore(text, start + PART_CHARACTERS);
  }
  yield text.slice(start);
}

function gapBefore(text: string, at: number): number {
  const words = text.slice(at - LONGEST_WORD_CHARACTERS, at);
  const gap = Math.max(words.lastIndexOf(' '), words.lastIndexOf('\n'));
  return gap < 0 ? at : at - LONGEST_WORD_CHARACTERS + gap;
}

/** The first rule that a reading meets, in the order of the rules; else that of the heaviest of several cues. */
function findingIn(readings: readonly Reading[]): ScreenFinding | undefined {
  return findingOf(
    SCREEN_RULES.find((rule) => readings.some((reading) => meets(rule, reading))) ??
      ruleNamed(readings.map(heaviestOfEnoughCues).find(Boolean)?.rule),
  );
}

function findingOf(rule: ScreenRule | undefined): ScreenFinding | undefined {
  return rule && { rule: rule.name, reason: rule.reason };
}

function isOrder({ raw, lines, traits }: Reading): boolean {
  return readsAsOrder(traits.isPlain ? raw : lines);
}

function ruleNamed(name: string | undefined): ScreenRule | undefined {
  return name === undefined ? undefined : SCREEN_RULES.find((rule) => rule.name === name);
}

/** The text as it is, and as a model might decipher it. */
function readingsOf(text: string, isRotated: boolean): Reading[] {
  const plain = readingOf(text);
  return [plain, ...decipheredLines(plain.lines, plain.traits, isRotated).map(readingOf)];
}

function readingOf(raw: string): Reading {
  const traits = traitsOf(raw);
  const lines = plainLines(raw, traits);
  const flat = flatten(lines);
  return { raw, lines, flat, traits, phrases: phrasesWorthTrying(flat) };
}

/** One line without emphasis and quotation marks; words that `_` and `-` join stand apart. */
function flatten(lines: string): string {
  return lines
    .replace(/\n[\t\n\r ]*(?=[-*#\d]|\n)/g, '. ')
    .replace(/["*`“”„«»]/g, '')
    .replace(/[\s_-]+/g, ' ');
}

function meets(rule: ScreenRule, reading: Reading): boolean {
  const isMarked = (markup: MarkupPattern) =>
    mayMatch(markup, reading) &&
    isFound(markup.pattern, markup.isForLines ? reading.lines : reading.raw, rule.unless);
  return (
    MARKUP_BY_OWNER.get(rule)?.some(isMarked) ||
    reading.phrases.get(rule)?.some(({ pattern }) => isFound(pattern, reading.flat, rule.unless)) ||
    false
  );
}

function isFound(pattern: RegExp, text: string, unless: RegExp | undefined): boolean {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    if (!unless?.test(sentenceAround(text, match.index, pattern.lastIndex))) return true;
  }
  return false;
}

/** What stands before a cue that a text advises against. */
const DENIED = /\b(?:never|not|n't|dont|cannot|nobody|avoid|refuse to|without)(?: [a-z]+){0,5} $/;
const BEFORE_CUE_CHARACTERS = 60;

/** Where a cue was found. */
interface Place {
  cue: Cue;
  at: number;
  end: number;
}

/** The heaviest cue where cues close together weigh enough. */
function heaviestOfEnoughCues(reading: Reading): Cue | undefined {
  const possible = possibleCues(reading);
  if (weightOf(possible) < ENOUGH_WEIGHT) return undefined;
  const found = withoutRepetition(
    [...possible].flatMap((cue) => placesOf(cue, reading)),
    reading.flat,
  );
  if (weightOf(new Set(found.map(({ cue }) => cue))) < ENOUGH_WEIGHT) return undefined;
  found.sort((a, b) => a.at - b.at);
  let first = 0;
  for (const [last, { at }] of found.entries()) {
    while (at - found[first]!.at > CUE_WINDOW_CHARACTERS) first++;
    const together = new Set(found.slice(first, last + 1).map(({ cue }) => cue));
    const heaviest = SCREEN_CUES.find((cue) => together.has(cue));
    if (heaviest && heaviest.weight > LIGHT_WEIGHT && weightOf(together) >= ENOUGH_WEIGHT) return heaviest;
  }
  return undefined;
}

/** Texts about attacks name what attacks name. */
const ABOUT_ATTACKS =
  /\b(?:research(?:ers?)?|papers?|survey|literature|threat model|red team|prompt injections?|owasp|jailbreak (?:techniques?|attacks?|prompts?)|attackers? (?:may|might|can|could|often)|vulnerabilit(?:y|ies)|untrusted|phishing)\b/;

/** A light cue inside of a heavier one says nothing more, nor does one in a text about attacks. */
function withoutRepetition(found: Place[], flat: string): Place[] {
  const heavier = found.filter(({ cue }) => cue.weight > LIGHT_WEIGHT);
  if (heavier.length < found.length && ABOUT_ATTACKS.test(flat)) return heavier;
  return found.filter(
    ({ cue, at, end }) =>
      cue.weight > LIGHT_WEIGHT || !heavier.some((other) => other.at <= at && end <= other.end),
  );
}

const CUES_IN_MARKUP = SCREEN_CUES.filter(({ raw }) => raw.length > 0);

function possibleCues(reading: Reading): Set<Cue> {
  const isInMarkup = (cue: Cue) => MARKUP_BY_OWNER.get(cue)!.some((markup) => mayMatch(markup, reading));
  const possible = new Set(CUES_IN_MARKUP.filter(isInMarkup));
  for (const owner of reading.phrases.keys()) if ('weight' in owner) possible.add(owner);
  return possible;
}

function weightOf(cues: Iterable<Cue>): number {
  let sum = 0;
  for (const { weight } of cues) sum += weight;
  return sum;
}

function placesOf(cue: Cue, { raw, flat, phrases }: Reading): Place[] {
  const places: Place[] = [];
  for (const pattern of cue.raw) eachMatch(pattern, raw, (at, end) => places.push({ cue, at, end }));
  for (const { pattern } of phrases.get(cue) ?? []) {
    eachMatch(pattern, flat, (at, end) => {
      if (!isDenied(flat, at)) places.push({ cue, at, end });
    });
  }
  return places;
}

/** Like `matchAll`, which copies the pattern for each call. */
function eachMatch(pattern: RegExp, text: string, visit: (at: number, end: number) => void): void {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text))
    visit(match.index, pattern.lastIndex);
}

function isDenied(flat: string, at: number): boolean {
  return DENIED.test(flat.slice(Math.max(0, at - BEFORE_CUE_CHARACTERS), at));
}

/** The match with what stands before and after it, without earlier sentences. */
function sentenceAround(text: string, start: number, end: number): string {
  const before = text.slice(Math.max(0, start - BEFORE_MATCH_CHARACTERS), start);
  return (
    before.slice(Math.max(...['. ', '! ', '? ', '\n'].map((mark) => before.lastIndexOf(mark))) + 1) +
    text.slice(start, end + AFTER_MATCH_CHARACTERS)
  );
}
