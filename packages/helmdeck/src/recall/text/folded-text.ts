import { randomInt } from 'node:crypto';

/** Longer texts are compared as they are: folding them would take longer than the search that found them. */
export const MAX_FOLDED_CHARS = 4_096;
const NO_WORD = /[^\p{L}\p{M}\p{N}]+/gu;
const PLAIN_ASCII = /^[\x20-\x7e\n]*$/;
const NO_ASCII_WORD = /[^a-z0-9]+/g;
const SPACE = 0x20;

/** A text without case, white space and punctuation. */
export function fold(text: string): string {
  if (text.length > MAX_FOLDED_CHARS) return text.trim();
  const isPlain = PLAIN_ASCII.test(text);
  const composed = (isPlain ? text : text.normalize('NFKC')).toLowerCase();
  const words = composed.replace(isPlain ? NO_ASCII_WORD : NO_WORD, ' ').trim();
  // A text of signs alone ("👍") has nothing to drop.
  return words === '' ? composed.trim() : words;
}

/** Numbers of 53 bits for texts; another one for the same text in each process, so that none tells anything outside. */
export interface TextDigest {
  ofFolded(folded: string): number;
  /** The same as of the folded text; nothing for a text that is nothing then. */
  of(text: string): number | undefined;
}

const HIGH_BITS = 2 ** 21;
const LOW_BITS = 2 ** 32;

export function createTextDigest(): TextDigest {
  const secret = () => randomInt(2 ** 32) | 1;
  const [startA, startB, factorA, factorB] = [secret(), secret(), secret(), secret()];
  let a = 0;
  let b = 0;

  const begin = () => {
    a = startA;
    b = startB;
  };
  const take = (code: number) => {
    a = Math.imul(((a << 13) | (a >>> 19)) ^ code, factorA);
    b = Math.imul(((b << 17) | (b >>> 15)) ^ code, factorB);
  };
  const end = () => ((a ^ (b >>> 16)) >>> 0) + ((b ^ (a >>> 15)) & (HIGH_BITS - 1)) * LOW_BITS;

  function ofFolded(folded: string): number {
    begin();
    for (let at = 0; at < folded.length; at++) take(folded.charCodeAt(at));
    return end();
  }

  /** Of a plain text, which need not be made anew to be read as if it were folded; nothing where no word is in it. */
  function ofPlain(text: string): number | undefined {
    begin();
    let isGap = false;
    let isEmpty = true;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const letter = code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
      if ((letter >= 0x61 && letter <= 0x7a) || (letter >= 0x30 && letter <= 0x39)) {
        if (isGap) take(SPACE);
        take(letter);
        isGap = false;
        isEmpty = false;
      } else isGap = !isEmpty;
    }
    return isEmpty ? undefined : end();
  }

  return {
    ofFolded,
    of(text) {
      const isPlain = text.length <= MAX_FOLDED_CHARS && PLAIN_ASCII.test(text);
      const known = isPlain ? ofPlain(text) : undefined;
      if (known !== undefined) return known;
      const folded = fold(text);
      return folded === '' ? undefined : ofFolded(folded);
    },
  };
}
