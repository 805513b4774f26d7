import {
  COMPLEX,
  classOf,
  FOLDED,
  foldWord,
  JOINER,
  UNSPACED,
  UNSPACED_CHARACTER,
  UPPER,
  WORD,
} from './characters.ts';
import { stem } from './stem.ts';

// The tokeniser: splits texts into lower-case words without accents, identifiers into their parts, and scripts without
// spaces into bigrams.

/** One word of a text with its position. */
export interface Word {
  /** Lower-case, without accents. */
  word: string;
  start: number;
  end: number;
  /** The joined form of `on-call` or `camelCase`; follows its parts. */
  compound: boolean;
}

export interface Token extends Word {
  /** The stem, by which the word is indexed. */
  term: string;
}

const MAX_COMPOUND_PARTS = 4;
const MAX_TERM_LENGTH = 48;

// Letters and digits with joiners inside: identifiers, versions, file names. `c++` and `c#` are words.
const ASCII_RUN = /[A-Za-z0-9]+(?:[_.'-]+[A-Za-z0-9]+)*(?:\+\+|#(?![A-Za-z0-9]))?/g;
const RUN =
  /(?:\p{Extended_Pictographic}|\p{Regional_Indicator}{2})(?:\u200d\p{Extended_Pictographic}|[\ufe0f\u{1f3fb}-\u{1f3ff}])*|[\p{L}\p{N}\p{M}]+(?:[_.'’-]+[\p{L}\p{N}\p{M}]+)*(?:\+\+|#(?![\p{L}\p{N}]))?/gu;
const UNSPACED_RUN = new RegExp(`${UNSPACED_CHARACTER.source}+`, 'gu');
// Half-width forms of Katakana and Hangul, which only NFKC composes.
const HALF_WIDTH = /[\uff61-\uffdc]/;
const NOT_ASCII = /[^\0-\x7f]/;
/** Words with nothing to split: the common case. */
const PLAIN = /^(?:[A-Z]?[a-z]+|[0-9]+)$/;
const PART = /[^_.'’-]+/g;
const POSSESSIVE = /['’]s$/i;
const CONTRACTION = /^[a-z]+['’](?:t|re|ve|ll|d|m)$/i;
const CAMEL = /[a-z0-9][A-Z]|[A-Z][A-Z][a-z]/;
// The same for other alphabets: between a lower-case letter and a capital, and before the last of several capitals.
const CAMEL_BORDER = /(?=\p{Lu})(?<=[\p{Ll}\p{N}]\p{M}*)|(?=\p{Lu}\p{M}*\p{Ll})(?<=\p{Lu}\p{M}*)/u;
const CAMEL_PIECE = /[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z0-9]+|[0-9]+/g;
const DIGITS = /^[0-9]+$/;

/** Receives each word of a text. */
export type OnWord = (word: string, start: number, end: number, compound: boolean) => void;

/**
 * Calls `onWord` for every word of a text, in the order of `wordsOf`; indexing uses it to avoid an array per text. Most
 * words are plain: scanning by class of character is several times faster than a regular expression.
 */
export function eachWord(text: string, onWord: OnWord): void {
  const pattern = NOT_ASCII.test(text) ? RUN : ASCII_RUN;
  for (let at = 0; at < text.length; ) {
    const first = classOf(text.charCodeAt(at));
    if ((first & (WORD | COMPLEX)) === 0) {
      at++;
      continue;
    }
    const start = at;
    let [every, inner, next] = [first, 0, first];
    if (first & WORD) {
      for (at++; at < text.length; at++) {
        next = classOf(text.charCodeAt(at));
        if ((next & WORD) === 0) break;
        every &= next;
        inner |= next;
      }
    }
    const isWhole = at === text.length ? (first & WORD) !== 0 : (next & (JOINER | COMPLEX)) === 0;
    if (isWhole && every & UNSPACED) addBigrams(onWord, text.slice(start, at), start);
    else if (!isWhole || inner & UPPER || (inner | first) & UNSPACED) {
      at = addNextRun(onWord, text, start, pattern);
    } else {
      const run = text.slice(start, at);
      emit(onWord, every & FOLDED ? run : foldWord(run), start, at);
    }
  }
}

/** Adds the first run at or after `start`; returns where it ends. */
function addNextRun(onWord: OnWord, text: string, start: number, pattern: RegExp): number {
  pattern.lastIndex = start;
  const match = pattern.exec(text);
  if (!match) return text.length;
  addRun(onWord, match[0], match.index);
  return match.index + match[0].length;
}

/** Every word of a text in order: identifiers and paths in parts and whole, scripts without spaces as bigrams. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  eachWord(text, (word, start, end, compound) => words.push({ word, start, end, compound }));
  return words;
}

/** The words of a text with their terms. */
export function tokenise(text: string): Token[] {
  return wordsOf(text).map(({ word, start, end, compound }) => ({
    term: stem(word),
    word,
    start,
    end,
    compound,
  }));
}

function addRun(onWord: OnWord, run: string, start: number): void {
  if (PLAIN.test(run)) {
    push(onWord, run, start, start + run.length);
    return;
  }
  if (NOT_ASCII.test(run) && run.search(UNSPACED_RUN) >= 0) {
    addUnspaced(onWord, run, start);
    return;
  }
  const possessive = POSSESSIVE.test(run) ? run.slice(0, -2) : run;
  if (CONTRACTION.test(possessive)) {
    push(onWord, possessive.replace(/['’]/, ''), start, start + run.length);
    return;
  }
  addIdentifier(onWord, possessive, start);
}

/** The parts of `on-call`, `camelCase` or `1.2.3`, then the compound. */
function addIdentifier(onWord: OnWord, possessive: string, start: number): void {
  let parts = 0;
  let whole = '';
  const onPart: OnWord = (word, from, end) => {
    onWord(word, from, end, false);
    whole += word;
    parts++;
  };
  for (const match of possessive.matchAll(PART)) {
    const part = match[0];
    if (NOT_ASCII.test(part)) {
      let at = start + match.index;
      for (const piece of part.split(CAMEL_BORDER)) {
        push(onPart, piece, at, at + piece.length);
        at += piece.length;
      }
    } else if (CAMEL.test(part)) {
      for (const piece of part.matchAll(CAMEL_PIECE)) {
        const at = start + match.index + piece.index;
        push(onPart, piece[0], at, at + piece[0].length);
      }
    } else push(onPart, part, start + match.index, start + match.index + part.length);
  }
  if (parts < 2 || parts > MAX_COMPOUND_PARTS) return;
  // Joined, 1.2.3 would be the number 123.
  if (DIGITS.test(whole)) whole = possessive;
  if (whole.length <= MAX_TERM_LENGTH) onWord(whole, start, start + possessive.length, true);
}

/** Whether a word is a single character of a script that is indexed as bigrams. */
export const isUnspacedCharacter = (word: string) =>
  NOT_ASCII.test(word) && [...word].length === 1 && word.search(UNSPACED_RUN) === 0;

/** Splits a run that mixes scripts with and without spaces. */
function addUnspaced(onWord: OnWord, run: string, start: number): void {
  let rest = 0;
  for (const match of run.matchAll(UNSPACED_RUN)) {
    if (match.index > rest) addRun(onWord, run.slice(rest, match.index), start + rest);
    rest = match.index + match[0].length;
    addBigrams(onWord, match[0], start + match.index);
  }
  if (rest < run.length) addRun(onWord, run.slice(rest), start + rest);
}

/** Every two adjacent characters; a single character is a word by itself. */
function addBigrams(onWord: OnWord, written: string, start: number): void {
  const text = written.normalize(HALF_WIDTH.test(written) ? 'NFKC' : 'NFC');
  // If normalising changed the text, positions in it do not apply to the original: each bigram gets the whole run.
  const isAsWritten = text === written;
  const whole = start + written.length;
  let at = 0;
  let middle = lengthAt(text, at);
  if (middle === text.length) push(onWord, text, start, whole);
  while (middle < text.length) {
    const end = middle + lengthAt(text, middle);
    const bigram = text.slice(at, end);
    const isFolded =
      end - at === 2 && classOf(text.charCodeAt(at)) & classOf(text.charCodeAt(middle)) & FOLDED;
    const word = isFolded ? bigram : foldWord(bigram);
    emit(onWord, word, isAsWritten ? start + at : start, isAsWritten ? start + end : whole);
    [at, middle] = [middle, end];
  }
}

/** The length of the character at an index: 2 if it is a surrogate pair. */
const lengthAt = (text: string, at: number) => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

function push(onWord: OnWord, raw: string, start: number, end: number): void {
  emit(onWord, foldWord(raw), start, end);
}

function emit(onWord: OnWord, word: string, start: number, end: number): void {
  if (word.length === 0) return;
  onWord(word.length > MAX_TERM_LENGTH ? word.slice(0, MAX_TERM_LENGTH) : word, start, end, false);
}
