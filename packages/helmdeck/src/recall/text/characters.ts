// What the tokeniser needs to know about a UTF-16 code unit, classified on first use: a table of all of Unicode would
// take longer to build than most texts take to scan.

/** Continues a word: a letter, number or mark. */
export const WORD = 1;
/** A capital; after the first character of a word it may begin a part of `camelCase`. */
export const UPPER = 2;
/** Belongs to a script without spaces between words. */
export const UNSPACED = 4;
/** Equals its folded form, alone and next to any character of this class. */
export const FOLDED = 8;
/** May join two words into an identifier. */
export const JOINER = 16;
/** A surrogate or an emoji: a regular expression decides where the word ends. */
export const COMPLEX = 32;
const CLASSIFIED = 128;

const NOT_ASCII = /[^\0-\x7f]/;
const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;
const CAPITAL = /\p{Lu}/u;
/** Scripts that are written without spaces between words. */
export const UNSPACED_CHARACTER =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー\u3099\u309a\uff9e\uff9f]/u;
const JOINING = /[_.'’+#-]/;
const SURROGATE_OR_EMOJI = /[\p{Cs}\p{Extended_Pictographic}]/u;
// These compose with the character before them. The marks of Thai, Lao and Khmer do not.
const COMBINING =
  /(?![\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}])\p{M}|[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/u;

const classes = new Uint8Array(0x1_0000);

/** The classes of a UTF-16 code unit, as a bit set. */
export function classOf(code: number): number {
  return classes[code]! || classify(code);
}

function classify(code: number): number {
  const character = String.fromCharCode(code);
  let bits = CLASSIFIED;
  if (SURROGATE_OR_EMOJI.test(character)) bits |= COMPLEX;
  else if (JOINING.test(character)) bits |= JOINER;
  else if (WORD_CHARACTER.test(character)) {
    bits |= WORD;
    if (CAPITAL.test(character)) bits |= UPPER;
    if (UNSPACED_CHARACTER.test(character)) bits |= UNSPACED;
    if (!COMBINING.test(character) && folded(character) === character) bits |= FOLDED;
  }
  classes[code] = bits;
  return bits;
}

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
// Japanese writes a word in either, as English in capitals or not: ヒマワリ, ひまわり.
const KATAKANA = /[\u30a1-\u30f6]/g;
const KATAKANA_TO_HIRAGANA = 0x60;
// Combining accents, the emoji variation selector and skin tones.
const ACCENTS = /[\u0300-\u036f\ufe0f\u{1f3fb}-\u{1f3ff}]/gu;

const MAX_CACHED = 65_536;
const MAX_CACHED_LENGTH = 48;
const cache = new Map<string, string>();

/** A word in lower case without accents. Words that need normalising are cached: that takes far longer than scanning them. */
export function foldWord(word: string): string {
  if (!NOT_ASCII.test(word)) return word.toLowerCase();
  const known = cache.get(word);
  if (known !== undefined) return known;
  const result = folded(word);
  if (word.length > MAX_CACHED_LENGTH) return result;
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(word, result);
  return result;
}

function folded(word: string): string {
  const lower = word.toLowerCase();
  if (!NOT_ASCII.test(lower)) return lower;
  const plain = lower.normalize('NFKD').replace(ACCENTS, '').normalize('NFKC').toLowerCase();
  return plain
    .replace(SPECIAL_LETTER, (letter) => PLAIN_LETTERS[letter]!)
    .replace(KATAKANA, (kana) => String.fromCharCode(kana.charCodeAt(0) - KATAKANA_TO_HIRAGANA));
}
