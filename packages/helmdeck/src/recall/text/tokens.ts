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
// Scripts that are written without spaces between words.
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー\u3099\u309a\uff9e\uff9f]+/gu;
// Half-width forms of Katakana and Hangul, which only NFKC composes.
const HALF_WIDTH = /[\uff61-\uffdc]/;
/** Characters that may continue a word. */
const JOINERS = "_.'-+#";
const [OTHER, LOWER, UPPER, DIGIT] = [0, 1, 2, 4];
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return LOWER;
  return /[A-Z]/.test(character) ? UPPER : /[0-9]/.test(character) ? DIGIT : OTHER;
});
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
/** Letters that NFKD does not decompose, with their usual ASCII spelling. */
const PLAIN_LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};
const SPECIAL_LETTER = /[ßæœøłđðþı]/g;
// Combining accents, the emoji variation selector and skin tones.
const ACCENTS = /[\u0300-\u036f\ufe0f\u{1f3fb}-\u{1f3ff}]/gu;
const DIGITS = /^[0-9]+$/;

/** Receives each word of a text. */
export type OnWord = (word: string, start: number, end: number, compound: boolean) => void;

/** Calls `onWord` for every word of a text, in the order of `wordsOf`; indexing uses it to avoid an array per text. */
export function eachWord(text: string, onWord: OnWord): void {
  if (NOT_ASCII.test(text)) for (const match of text.matchAll(RUN)) addRun(onWord, match[0], match.index);
  else scanAscii(onWord, text);
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

/** Fast path: most texts are ASCII and most words plain. Scanning them without a regular expression takes a third of the time. */
function scanAscii(onWord: OnWord, text: string): void {
  for (let at = 0; at < text.length; ) {
    if (CLASSES[text.charCodeAt(at)] === OTHER) {
      at++;
      continue;
    }
    const start = at;
    let inner = 0;
    const first = CLASSES[text.charCodeAt(at++)]!;
    for (; at < text.length; at++) {
      const kind = CLASSES[text.charCodeAt(at)]!;
      if (kind === OTHER) break;
      inner |= kind;
    }
    const isPlain = first === DIGIT ? inner === 0 || inner === DIGIT : inner === 0 || inner === LOWER;
    if (isPlain && !JOINERS.includes(text[at] ?? ' ')) push(onWord, text.slice(start, at), start, at);
    else {
      ASCII_RUN.lastIndex = start;
      const run = ASCII_RUN.exec(text)![0];
      addRun(onWord, run, start);
      at = start + run.length;
    }
  }
}

function addRun(onWord: OnWord, run: string, start: number): void {
  if (PLAIN.test(run)) {
    push(onWord, run, start, start + run.length);
    return;
  }
  if (NOT_ASCII.test(run) && run.search(UNSPACED) >= 0) {
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
  NOT_ASCII.test(word) && [...word].length === 1 && word.search(UNSPACED) === 0;

/** Splits a run that mixes scripts with and without spaces. */
function addUnspaced(onWord: OnWord, run: string, start: number): void {
  let rest = 0;
  for (const match of run.matchAll(UNSPACED)) {
    if (match.index > rest) addRun(onWord, run.slice(rest, match.index), start + rest);
    rest = match.index + match[0].length;
    addBigrams(onWord, match[0], start + match.index);
  }
  if (rest < run.length) addRun(onWord, run.slice(rest), start + rest);
}

/** Every two adjacent characters; a single character is a word by itself. */
function addBigrams(onWord: OnWord, written: string, start: number): void {
  const text = written.normalize(HALF_WIDTH.test(written) ? 'NFKC' : 'NFC');
  const characters = [...text];
  // If normalising changed the text, positions in it do not apply to the original: each bigram gets the whole run.
  const isAsWritten = text === written;
  const whole = start + written.length;
  if (characters.length === 1) push(onWord, text, start, whole);
  for (let index = 0, at = start; index + 1 < characters.length; index++) {
    const bigram = characters[index]! + characters[index + 1]!;
    push(onWord, bigram, isAsWritten ? at : start, isAsWritten ? at + bigram.length : whole);
    at += characters[index]!.length;
  }
}

function push(onWord: OnWord, raw: string, start: number, end: number): void {
  let word = raw.toLowerCase();
  if (NOT_ASCII.test(word)) {
    word = word.normalize('NFKD').replace(ACCENTS, '').normalize('NFKC').toLowerCase();
    word = word.replace(SPECIAL_LETTER, (letter) => PLAIN_LETTERS[letter]!);
  }
  if (word.length > MAX_TERM_LENGTH) word = word.slice(0, MAX_TERM_LENGTH);
  if (word.length > 0) onWord(word, start, end, false);
}
