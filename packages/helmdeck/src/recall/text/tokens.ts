import { stem } from './stem.ts';

/** One searchable word of a text, with its place in it. */
export interface Word {
  /** Lower-case and folded. */
  word: string;
  start: number;
  end: number;
  /** The whole of `on-call` or `camelCase`, written together; comes after its parts. */
  compound: boolean;
}

export interface Token extends Word {
  /** What the index knows the word by: its stem. */
  term: string;
}

const MAX_COMPOUND_PARTS = 4;
const MAX_TERM_LENGTH = 48;

// A run of letters and digits, with joiners inside: identifiers, versions, file names. `c++` and `c#` are words.
const ASCII_RUN = /[A-Za-z0-9]+(?:[_.'-]+[A-Za-z0-9]+)*(?:\+\+|#(?![A-Za-z0-9]))?/g;
const RUN =
  /(?:\p{Extended_Pictographic}|\p{Regional_Indicator}{2})(?:\u200d\p{Extended_Pictographic}|[\ufe0f\u{1f3fb}-\u{1f3ff}])*|[\p{L}\p{N}\p{M}]+(?:[_.'’-]+[\p{L}\p{N}\p{M}]+)*(?:\+\+|#(?![\p{L}\p{N}]))?/gu;
// Scripts that put no space between words.
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー\u3099\u309a\uff9e\uff9f]+/gu;
// Each takes one character where the usual form takes half of one, or the other way round.
const NARROW = /[\uff61-\uffdc]/;
/** What may follow a word and belong to it. */
const JOINERS = "_.'-+#";
const [OTHER, SMALL, CAPITAL, DIGIT] = [0, 1, 2, 4];
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return SMALL;
  return /[A-Z]/.test(character) ? CAPITAL : /[0-9]/.test(character) ? DIGIT : OTHER;
});
const NOT_ASCII = /[^\0-\x7f]/;
/** Most words: nothing in them to split. */
const PLAIN = /^(?:[A-Z]?[a-z]+|[0-9]+)$/;
const PART = /[^_.'’-]+/g;
const POSSESSIVE = /['’]s$/i;
const CONTRACTION = /^[a-z]+['’](?:t|re|ve|ll|d|m)$/i;
const CAMEL = /[a-z0-9][A-Z]|[A-Z][A-Z][a-z]/;
// The same for other alphabets: between a small letter and a capital, before the last of several capitals.
const CAMEL_BORDER = /(?=\p{Lu})(?<=[\p{Ll}\p{N}]\p{M}*)|(?=\p{Lu}\p{M}*\p{Ll})(?<=\p{Lu}\p{M}*)/u;
const CAMEL_PIECE = /[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z0-9]+|[0-9]+/g;
/** Letters that have no accent to take off, as they are typed without them. */
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
// What changes the look of a letter or an emoji, not what it is.
const ACCENTS = /[\u0300-\u036f\ufe0f\u{1f3fb}-\u{1f3ff}]/gu;
const DIGITS = /^[0-9]+$/;

/** Is told of a word. */
export type TakeWord = (word: string, start: number, end: number, compound: boolean) => void;

/** Tells of every word of a text in order, as `wordsOf` has them: indexing many texts, a list for each is much garbage. */
export function eachWord(text: string, take: TakeWord): void {
  if (NOT_ASCII.test(text)) for (const match of text.matchAll(RUN)) addRun(take, match[0], match.index);
  else scanAscii(take, text);
}

/** Every word of a text in order. Splits identifiers and paths, keeps them whole as well, pairs up unspaced scripts. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  eachWord(text, (word, start, end, compound) => words.push({ word, start, end, compound }));
  return words;
}

/** The same with their terms. */
export function tokenise(text: string): Token[] {
  return wordsOf(text).map(({ word, start, end, compound }) => ({
    term: stem(word),
    word,
    start,
    end,
    compound,
  }));
}

/** Most texts are ASCII and most words plain: those are found without a pattern, which takes a third of the time. */
function scanAscii(take: TakeWord, text: string): void {
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
    const isPlain = first === DIGIT ? inner === 0 || inner === DIGIT : inner === 0 || inner === SMALL;
    if (isPlain && !JOINERS.includes(text[at] ?? ' ')) push(take, text.slice(start, at), start, at);
    else {
      ASCII_RUN.lastIndex = start;
      const run = ASCII_RUN.exec(text)![0];
      addRun(take, run, start);
      at = start + run.length;
    }
  }
}

function addRun(take: TakeWord, run: string, start: number): void {
  if (PLAIN.test(run)) {
    push(take, run, start, start + run.length);
    return;
  }
  if (NOT_ASCII.test(run) && run.search(UNSPACED) >= 0) {
    addUnspaced(take, run, start);
    return;
  }
  const possessive = POSSESSIVE.test(run) ? run.slice(0, -2) : run;
  if (CONTRACTION.test(possessive)) {
    push(take, possessive.replace(/['’]/, ''), start, start + run.length);
    return;
  }
  addIdentifier(take, possessive, start);
}

/** The parts of `on-call`, `camelCase` or `1.2.3`, and then all of it. */
function addIdentifier(take: TakeWord, possessive: string, start: number): void {
  let parts = 0;
  let whole = '';
  const takePart: TakeWord = (word, from, end) => {
    take(word, from, end, false);
    whole += word;
    parts++;
  };
  for (const match of possessive.matchAll(PART)) {
    const part = match[0];
    if (NOT_ASCII.test(part)) {
      let at = start + match.index;
      for (const piece of part.split(CAMEL_BORDER)) {
        push(takePart, piece, at, at + piece.length);
        at += piece.length;
      }
    } else if (CAMEL.test(part)) {
      for (const piece of part.matchAll(CAMEL_PIECE)) {
        const at = start + match.index + piece.index;
        push(takePart, piece[0], at, at + piece[0].length);
      }
    } else push(takePart, part, start + match.index, start + match.index + part.length);
  }
  if (parts < 2 || parts > MAX_COMPOUND_PARTS) return;
  // 1.2.3 is not 123.
  if (DIGITS.test(whole)) whole = possessive;
  if (whole.length <= MAX_TERM_LENGTH) take(whole, start, start + possessive.length, true);
}

/** Whether a word is one character of a script that is kept in pairs. */
export const isUnspacedCharacter = (word: string) =>
  NOT_ASCII.test(word) && [...word].length === 1 && word.search(UNSPACED) === 0;

/** Pairs of neighbouring characters: any two of them may be a word. */
function addUnspaced(take: TakeWord, run: string, start: number): void {
  let rest = 0;
  for (const match of run.matchAll(UNSPACED)) {
    if (match.index > rest) addRun(take, run.slice(rest, match.index), start + rest);
    rest = match.index + match[0].length;
    addPairs(take, match[0], start + match.index);
  }
  if (rest < run.length) addRun(take, run.slice(rest), start + rest);
}

function addPairs(take: TakeWord, written: string, start: number): void {
  const text = written.normalize(NARROW.test(written) ? 'NFKC' : 'NFC');
  const characters = [...text];
  // Where characters are written in parts, a place in one form is none in the other: then all of it is the place.
  const isAsWritten = text === written;
  const whole = start + written.length;
  if (characters.length === 1) push(take, text, start, whole);
  for (let index = 0, at = start; index + 1 < characters.length; index++) {
    const pair = characters[index]! + characters[index + 1]!;
    push(take, pair, isAsWritten ? at : start, isAsWritten ? at + pair.length : whole);
    at += characters[index]!.length;
  }
}

function push(take: TakeWord, raw: string, start: number, end: number): void {
  let word = raw.toLowerCase();
  if (NOT_ASCII.test(word)) {
    word = word.normalize('NFKD').replace(ACCENTS, '').normalize('NFKC').toLowerCase();
    word = word.replace(SPECIAL_LETTER, (letter) => PLAIN_LETTERS[letter]!);
  }
  if (word.length > MAX_TERM_LENGTH) word = word.slice(0, MAX_TERM_LENGTH);
  if (word.length > 0) take(word, start, end, false);
}
