// Undoes what hides a text from patterns and not from a model: look-alike letters, spelled-out words, escapes, encodings.

import { asciiLookAlike, visibleText } from '../../facts/hidden-characters.ts';
import type { TextTraits } from './text-traits.ts';

/** The text, and what its escapes and encoded parts stand for. */
export function decodedTexts(text: string, { hasEscapes, hasLongRun }: TextTraits): string[] {
  const unescapedText = hasEscapes ? unescaped(text) : undefined;
  return [
    text,
    ...(unescapedText === undefined ? [] : [unescapedText]),
    ...(hasLongRun ? decoded(text) : []),
  ];
}

/** Other ways to read a part of a text in lower case, as a model might decipher it. */
export function decipheredLines(lines: string, traits: TextTraits, isRotated: boolean): string[] {
  const { isPlain, hasDigitInWord, hasLoneLetters } = traits;
  const readings = [
    isPlain ? undefined : lookAlikes(lines),
    isPlain && !hasDigitInWord ? undefined : digitsAsLetters(lines),
    isPlain && !hasLoneLetters ? undefined : spelledOut(lines),
    unscrambled(lines),
    isRotated ? rotated(lines) : undefined,
  ];
  return readings.filter((reading) => reading !== undefined);
}

/** Lower case; compatibility forms, accents of Latin letters and invisible characters resolved. */
export function plainLines(text: string, { isPlain }: TextTraits): string {
  if (isPlain) return text.toLowerCase();
  return visibleText(text)
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(/(?<=[\p{Script=Latin}\p{Script=Common}])\p{M}+/gu, '')
    .normalize('NFC')
    .replace(/[\u200b-\u200f\u2060]|\ufe0f/g, '')
    .replace(/[‘’ʼ´]/g, "'");
}

/** Cyrillic, Greek and small capital letters in a text with Latin ones, as the Latin letters that they imitate. */
function lookAlikes(lines: string): string | undefined {
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
  const replaced = lines.replace(/(?<!\p{L})(?:\p{L}[ .*_-]{1,5}){7,}\p{L}/gu, (letters) =>
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

/** The same for words with the same letters, and far cheaper than to sort them. */
function sumOfLetters(word: string): number {
  let sum = word.charCodeAt(0) * 4096;
  for (let at = 0; at < word.length; at++) sum += word.charCodeAt(at);
  return sum;
}

const SCRAMBLED_SUMS = new Set(Array.from(SCRAMBLED_WORDS.values(), sumOfLetters));

/** Words whose letters changed places, as people and models still read them. */
export function unscrambled(lines: string): string | undefined {
  const replaced = lines.replace(
    /\b[ipsdbor][a-z]{5,11}\b/g,
    (word) => (SCRAMBLED_SUMS.has(sumOfLetters(word)) && SCRAMBLED_WORDS.get(scrambleKey(word))) || word,
  );
  return replaced === lines ? undefined : replaced;
}

/** Whether a text says that a part of it is in ROT13. */
export function announcesRotation(text: string): boolean {
  return /\brot-?13\b/i.test(text);
}

function rotated(lines: string): string {
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
  return [...text.matchAll(/(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}/g)]
    .map(([run]) => Buffer.from(run, /^(?:[0-9a-f]{2})+$/i.test(run) ? 'hex' : 'base64').toString())
    .filter((content) => /^[^\0-\x08\x0e-\x1f\x7f\ufffd]*$/.test(content) && content.includes(' '));
}
