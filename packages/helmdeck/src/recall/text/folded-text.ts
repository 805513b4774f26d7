import { randomInt } from 'node:crypto';

// Case-folded texts and digests of them, to recognise a text again without storing it.

/** Longer texts are not folded: that would take longer than the search that found them. */
export const MAX_FOLDED_CHARS = 4_096;
const NON_WORD = /[^\p{L}\p{M}\p{N}]+/gu;
const PLAIN_ASCII = /^[\x20-\x7e\n]*$/;
const NON_ASCII_WORD = /[^a-z0-9]+/g;
const SPACE = 0x20;

/** Lower-cases a text and collapses white space and punctuation, so that texts that differ only there are equal. */
export function fold(text: string): string {
  if (text.length > MAX_FOLDED_CHARS) return text.trim();
  const isPlain = PLAIN_ASCII.test(text);
  const composed = (isPlain ? text : text.normalize('NFKC')).toLowerCase();
  const words = composed.replace(isPlain ? NON_ASCII_WORD : NON_WORD, ' ').trim();
  // A text without letters or digits ("👍") is kept as it is.
  return words === '' ? composed.trim() : words;
}

/** 53-bit digests of texts, seeded per process: a digest reveals nothing outside it. */
export interface TextDigest {
  ofFolded(folded: string): number;
  /** The digest of the folded text, undefined if that is empty. */
  of(text: string): number | undefined;
}

const HIGH_BITS = 2 ** 21;
const LOW_BITS = 2 ** 32;

export function createTextDigest(): TextDigest {
  const seed = () => randomInt(2 ** 32) | 1;
  const [startA, startB, factorA, factorB] = [seed(), seed(), seed(), seed()];
  let a = 0;
  let b = 0;

  const begin = () => {
    a = startA;
    b = startB;
  };
  const update = (code: number) => {
    a = Math.imul(((a << 13) | (a >>> 19)) ^ code, factorA);
    b = Math.imul(((b << 17) | (b >>> 15)) ^ code, factorB);
  };
  const end = () => ((a ^ (b >>> 16)) >>> 0) + ((b ^ (a >>> 15)) & (HIGH_BITS - 1)) * LOW_BITS;

  function ofFolded(folded: string): number {
    begin();
    for (let at = 0; at < folded.length; at++) update(folded.charCodeAt(at));
    return end();
  }

  /** Folds an ASCII text while hashing it, without building the folded string; undefined if it has no word. */
  function ofAscii(text: string): number | undefined {
    begin();
    let isGap = false;
    let isEmpty = true;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const letter = code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
      if ((letter >= 0x61 && letter <= 0x7a) || (letter >= 0x30 && letter <= 0x39)) {
        if (isGap) update(SPACE);
        update(letter);
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
      const digest = isPlain ? ofAscii(text) : undefined;
      if (digest !== undefined) return digest;
      const folded = fold(text);
      return folded === '' ? undefined : ofFolded(folded);
    },
  };
}
