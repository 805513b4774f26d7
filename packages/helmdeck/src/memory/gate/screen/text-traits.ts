/** What one pass over the characters of a text says about the ways in which it may hide words from patterns. */
export interface TextTraits {
  /** Nothing but printable ASCII and white space. */
  isPlain: boolean;
  /** The punctuation that occurs in it, see `signsOf`. */
  signs: number;
  /** Two capitals in a row. */
  hasCapitals: boolean;
  /** Signs with which escapes begin. */
  hasEscapes: boolean;
  /** 24 characters of Base64 in a row. */
  hasLongRun: boolean;
  /** A digit that stands for a letter, next to a letter. */
  hasDigitInWord: boolean;
  /** Eight letters in a row that stand apart. */
  hasLoneLetters: boolean;
}

const LETTER = 1;
const CAPITAL = 2;
const LIKE_LETTER = 4;
const IN_RUN = 8;
const ESCAPE = 16;
const GAP = 32;
const NOT_PLAIN = 64;
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  const is = (shape: RegExp, bit: number) => (shape.test(character) ? bit : 0);
  return (
    is(/[A-Za-z]/, LETTER) |
    is(/[A-Z]/, CAPITAL) |
    is(/[013457$]/, LIKE_LETTER) |
    is(/[A-Za-z0-9+/_-]/, IN_RUN) |
    is(/[%&\\]/, ESCAPE) |
    is(/[ .*_-]/, GAP) |
    is(/[^\t\n\r\x20-\x7e]/, NOT_PLAIN)
  );
});
/** A bit for each of the 32 punctuation marks of ASCII. */
const SIGN_BITS = new Int32Array(128);
for (const [bit, sign] of [...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'].entries())
  SIGN_BITS[sign.charCodeAt(0)] = 1 << bit;

/** The punctuation marks in a text, as bits. */
export function signsOf(text: string): number {
  let signs = 0;
  for (let at = 0; at < text.length; at++) signs |= SIGN_BITS[text.charCodeAt(at)] ?? 0;
  return signs;
}

const LONG_RUN = 24;
const LONE_LETTERS = 8;

export function traitsOf(text: string): TextTraits {
  let all = 0;
  let signs = 0;
  let before = 0;
  let run = 0;
  let lone = 0;
  let hasCapitals = false;
  let hasLongRun = false;
  let hasDigitInWord = false;
  let hasLoneLetters = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const classes = code < 128 ? CLASSES[code]! : NOT_PLAIN;
    all |= classes;
    if (code < 128) signs |= SIGN_BITS[code]!;
    if (classes & before & CAPITAL) hasCapitals = true;
    if ((classes | before) & LETTER && (classes | before) & LIKE_LETTER) hasDigitInWord = true;
    run = classes & IN_RUN ? run + 1 : 0;
    if (run === LONG_RUN) hasLongRun = true;
    if (classes & LETTER) lone = before & LETTER ? 0 : lone + 1;
    else if (!(classes & GAP)) lone = 0;
    if (lone === LONE_LETTERS) hasLoneLetters = true;
    before = classes;
  }
  const isPlain = (all & NOT_PLAIN) === 0;
  return {
    isPlain,
    signs,
    hasCapitals,
    hasEscapes: (all & ESCAPE) !== 0,
    hasLongRun,
    hasDigitInWord,
    hasLoneLetters,
  };
}
