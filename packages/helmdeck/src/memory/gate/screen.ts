// Recognises texts that are written to steer a model rather than to state a fact. Deterministic, without a model: it
// knows patterns, and what it does not find is not thereby harmless.

import { asciiLookAlike, visibleText } from '../facts/hidden-characters.ts';
import { SPEECH_ACTS } from './screen-acts.ts';
import { CUE_WINDOW_CHARACTERS, type Cue, ENOUGH_WEIGHT } from './screen-cues.ts';
import type { Phrase, ScreenRule } from './screen-phrases.ts';
import { SCREEN_RULES } from './screen-rules.ts';
import { WEAK_SIGNS } from './screen-signs.ts';

export interface ScreenFinding {
  /** The name of the rule, sent to clients as `screen:<rule>`. */
  rule: string;
  /** One sentence that a person understands. */
  reason: string;
}

/** The form of a text that patterns are matched against, see `ScreenRule`. */
interface Reading {
  raw: string;
  lines: string;
  flat: string;
  /** Whether there is anything that the patterns for `raw` and `lines` need. */
  hasMarkup: boolean;
  phrases: PhrasesByOwner;
}

/** The phrases that are worth trying, by the rule or cue that has them. */
type PhrasesByOwner = Map<ScreenRule | Cue, Phrase[]>;

/** The heaviest first: it names the finding. */
const SCREEN_CUES: readonly Cue[] = [...SPEECH_ACTS, ...WEAK_SIGNS];
const PRINTABLE_ASCII = /^[\t\n\r\x20-\x7e]*$/;
/** Every pattern for `raw` and `lines` needs one of these; most facts are plain words. */
const MARKUP = /[^\t\n\r\x20-\x7e]|[<>[\]{}"':|#(_=!]|---|[A-Z]{2}/;
const BEFORE_MATCH_CHARACTERS = 120;
const AFTER_MATCH_CHARACTERS = 80;

interface OwnedPhrase {
  phrase: Phrase;
  owner: ScreenRule | Cue;
}

/** The beginning of a word, and the phrases that need such a word. */
interface Opener {
  letters: string;
  phrases: OwnedPhrase[];
}

/** The openers of all phrases, by the codes of their first two letters; the second is 0 for a single letter. */
const OPENERS = new Map<number, Opener[]>();
const PHRASES_WITHOUT_OPENER: OwnedPhrase[] = [];
for (const owner of [...SCREEN_RULES, ...SCREEN_CUES])
  for (const phrase of owner.flat ?? []) file({ owner, phrase });

function file(owned: OwnedPhrase): void {
  const { openers } = owned.phrase;
  if (!openers) PHRASES_WITHOUT_OPENER.push(owned);
  for (const letters of openers ?? []) {
    const start = startCode(letters.charCodeAt(0), letters.charCodeAt(1) || 0);
    const known = OPENERS.get(start) ?? [];
    const opener = known.find((other) => other.letters === letters);
    if (opener) opener.phrases.push(owned);
    else OPENERS.set(start, [...known, { letters, phrases: [owned] }]);
  }
}

/** The first rule that the text meets, in the order of the rules; else that of the heaviest of several cues. */
export function screenText(text: string): ScreenFinding | undefined {
  const readings = readingsOf(text);
  const rule =
    SCREEN_RULES.find((rule) => readings.some((reading) => meets(rule, reading))) ??
    ruleOfCues(readings.map(heaviestOfEnoughCues).find(Boolean));
  return rule && { rule: rule.name, reason: rule.reason };
}

function ruleOfCues(cue: Cue | undefined): ScreenRule | undefined {
  return cue && SCREEN_RULES.find(({ name }) => name === cue.rule);
}

/** The text as it is, and as a model might decipher it. */
function readingsOf(text: string): Reading[] {
  const plain = readingOf(text);
  const deciphered = [
    lookAlikes(plain.lines),
    digitsAsLetters(plain.lines),
    spelledOut(plain.lines),
    unscrambled(plain.lines),
    rotated(plain.lines),
    unescaped(text),
    ...decoded(text),
  ];
  return [plain, ...deciphered.filter((other) => other !== undefined).map(readingOf)];
}

function readingOf(raw: string): Reading {
  const lines = plainLines(raw);
  const flat = flatten(lines);
  return { raw, lines, flat, hasMarkup: MARKUP.test(raw), phrases: phrasesWorthTrying(flat) };
}

/** Lower case; compatibility forms, accents of Latin letters and invisible characters resolved. */
function plainLines(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text.toLowerCase();
  return visibleText(text)
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(/(?<=[\p{Script=Latin}\p{Script=Common}])\p{M}+/gu, '')
    .normalize('NFC')
    .replace(/[\u200b-\u200f\u2060]|\ufe0f/g, '')
    .replace(/[‘’ʼ´]/g, "'");
}

/** One line without emphasis and quotation marks; words that `_` and `-` join stand apart. */
function flatten(lines: string): string {
  return lines
    .replace(/\n[\t\n\r ]*(?=[-*#\d]|\n)/g, '. ')
    .replace(/["*`“”„«»]/g, '')
    .replace(/[\s_-]+/g, ' ');
}

/** Cyrillic, Greek and small capital letters in a text with Latin ones, as the Latin letters that they imitate. */
function lookAlikes(lines: string): string | undefined {
  if (PRINTABLE_ASCII.test(lines)) return undefined;
  const replaced = asciiLookAlike(lines);
  return replaced === lines ? undefined : replaced;
}

const LETTERS_OF_DIGITS: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', $: 's' };

/** Digits inside or before a word, as the letters that they imitate. */
function digitsAsLetters(lines: string): string | undefined {
  const replaced = lines.replace(
    /(?<=[a-z])[013457$]{1,2}(?=[a-z])|(?<!\S)[013457$](?=[a-z]{2})/g,
    (digits) => digits.replace(/./g, (digit) => LETTERS_OF_DIGITS[digit]!),
  );
  return replaced === lines ? undefined : replaced;
}

/** Words whose letters stand apart, put together; wider gaps are between words. */
function spelledOut(lines: string): string | undefined {
  const replaced = lines.replace(/(?:\p{L}[ .*_-]{1,5}){7,}\p{L}/gu, (letters) =>
    letters.replace(/([ .*_-]+)/g, (gap) => (gap.length > 1 ? ' ' : '')),
  );
  return replaced === lines ? undefined : replaced;
}

/** Words that payloads need, by their first letter and their sorted letters. */
const SCRAMBLED_WORDS = new Map(
  [
    'ignore',
    'previous',
    'instructions',
    'system',
    'prompt',
    'disregard',
    'bypass',
    'override',
    'reveal',
    'safety',
  ].map((word) => [scrambleKey(word), word]),
);

function scrambleKey(word: string): string {
  return word[0] + [...word].sort().join('');
}

const SCRAMBLED_STARTS = new Set(Array.from(SCRAMBLED_WORDS.values(), startAndLength));

function startAndLength(word: string): string {
  return `${word[0]}${word.length}`;
}

/** Words whose letters changed places, as people and models still read them. */
function unscrambled(lines: string): string | undefined {
  const replaced = lines.replace(
    /\b[ipsdbor][a-z]{5,11}\b/g,
    (word) => (SCRAMBLED_STARTS.has(startAndLength(word)) && SCRAMBLED_WORDS.get(scrambleKey(word))) || word,
  );
  return replaced === lines ? undefined : replaced;
}

/** ROT13, where the text says so. */
function rotated(lines: string): string | undefined {
  if (!/\brot-?13\b/.test(lines)) return undefined;
  return lines.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97));
}

/** Percent-encoded bytes, character references and `\u` escapes, as characters. */
function unescaped(text: string): string | undefined {
  if (!/%[0-9a-f]{2}|&#|\\u00/i.test(text)) return undefined;
  return text
    .replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())
    .replace(/&#(\d{2,3});|&#x([0-9a-f]{2});|\\u00([0-9a-f]{2})/gi, (_, decimal, ...hex) =>
      String.fromCharCode(decimal ? Number(decimal) : Number.parseInt(hex[0] ?? hex[1], 16)),
    )
    .replace(/(?<=[a-z])\+(?=[a-z])/gi, ' ');
}

/** Base64 and hexadecimal runs that decode to readable text. */
function decoded(text: string): string[] {
  return [...text.matchAll(/[A-Za-z0-9+/_-]{24,}/g)]
    .map(([run]) => Buffer.from(run, /^(?:[0-9a-f]{2})+$/i.test(run) ? 'hex' : 'base64').toString())
    .filter((content) => /^[^\0-\x08\x0e-\x1f\x7f\ufffd]*$/.test(content) && content.includes(' '));
}

function meets(rule: ScreenRule, { raw, lines, flat, hasMarkup, phrases }: Reading): boolean {
  return (
    (hasMarkup && rule.raw?.some((pattern) => isFound(pattern, raw, rule.unless))) ||
    (hasMarkup && rule.lines?.some((pattern) => isFound(pattern, lines, rule.unless))) ||
    phrases.get(rule)?.some(({ pattern }) => isFound(pattern, flat, rule.unless)) ||
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

/** The heaviest cue where cues close together weigh enough. */
function heaviestOfEnoughCues(reading: Reading): Cue | undefined {
  const possible = SCREEN_CUES.filter((cue) => isPossible(cue, reading));
  if (weightOf(possible) < ENOUGH_WEIGHT) return undefined;
  const found = possible.flatMap((cue) => placesOf(cue, reading).map((at) => ({ cue, at })));
  if (weightOf(new Set(found.map(({ cue }) => cue))) < ENOUGH_WEIGHT) return undefined;
  found.sort((a, b) => a.at - b.at);
  let first = 0;
  for (const [last, { at }] of found.entries()) {
    while (at - found[first]!.at > CUE_WINDOW_CHARACTERS) first++;
    const together = new Set(found.slice(first, last + 1).map(({ cue }) => cue));
    if (weightOf(together) >= ENOUGH_WEIGHT) return SCREEN_CUES.filter((cue) => together.has(cue))[0];
  }
  return undefined;
}

function isPossible(cue: Cue, { hasMarkup, phrases }: Reading): boolean {
  return phrases.has(cue) || (hasMarkup && cue.raw.length > 0);
}

function weightOf(cues: Iterable<Cue>): number {
  let sum = 0;
  for (const { weight } of cues) sum += weight;
  return sum;
}

function placesOf(cue: Cue, { raw, flat, hasMarkup, phrases }: Reading): number[] {
  const places: number[] = [];
  if (hasMarkup) for (const pattern of cue.raw) eachMatch(pattern, raw, (at) => places.push(at));
  for (const { pattern } of phrases.get(cue) ?? []) {
    eachMatch(pattern, flat, (at) => {
      if (!isDenied(flat, at)) places.push(at);
    });
  }
  return places;
}

/** Like `matchAll`, which copies the pattern for each call. */
function eachMatch(pattern: RegExp, text: string, visit: (at: number) => void): void {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) visit(match.index);
}

function isDenied(flat: string, at: number): boolean {
  return DENIED.test(flat.slice(Math.max(0, at - BEFORE_CUE_CHARACTERS), at));
}

/** The phrases that need a word of the text: few of all of them. */
function phrasesWorthTrying(flat: string): PhrasesByOwner {
  const isAscii = PRINTABLE_ASCII.test(flat);
  const found: PhrasesByOwner = new Map();
  for (const owned of PHRASES_WITHOUT_OPENER) if (!isAscii || owned.phrase.asciiOnly) add(found, owned);
  let before = 0;
  for (let at = 0; at < flat.length; at++) {
    const code = flat.charCodeAt(at);
    if (isLetter(code) && !isLetter(before)) {
      addOpened(found, OPENERS.get(startCode(code, 0)), flat, at);
      addOpened(found, OPENERS.get(startCode(code, flat.charCodeAt(at + 1))), flat, at);
    }
    before = code;
  }
  return found;
}

function addOpened(
  found: PhrasesByOwner,
  openers: readonly Opener[] | undefined,
  flat: string,
  at: number,
): void {
  for (const { letters, phrases } of openers ?? [])
    if (flat.startsWith(letters, at)) for (const owned of phrases) add(found, owned);
}

function add(found: PhrasesByOwner, { owner, phrase }: OwnedPhrase): void {
  const known = found.get(owner);
  if (!known) found.set(owner, [phrase]);
  else if (!known.includes(phrase)) known.push(phrase);
}

function startCode(first: number, second: number): number {
  return first * 0x1_0000 + second;
}

function isLetter(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

/** The match with what stands before and after it, without earlier sentences. */
function sentenceAround(text: string, start: number, end: number): string {
  const before = text.slice(Math.max(0, start - BEFORE_MATCH_CHARACTERS), start);
  return (
    before.slice(Math.max(...['. ', '! ', '? ', '\n'].map((mark) => before.lastIndexOf(mark))) + 1) +
    text.slice(start, end + AFTER_MATCH_CHARACTERS)
  );
}
