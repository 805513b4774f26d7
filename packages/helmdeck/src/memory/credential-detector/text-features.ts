/** What one pass over the characters of a text says about the credentials that it may hold. */
export interface TextFeatures {
  isAscii: boolean;
  /** Every generated token contains 16 characters of its alphabet in a row; ordinary words do not. */
  hasLongRun: boolean;
  /** Characters of configuration, markup, addresses and code, which prose does not need. */
  hasMark: boolean;
  digits: number;
  /** Twelve words of three to eight lower-case letters in a row, as a seed phrase has them. */
  hasWordRun: boolean;
}

const IN_TOKEN = 1;
const DIGIT = 2;
const MARK = 4;
const LOWER_CASE = 8;
const SEPARATOR = 16;
const WORD_END = 32;
const BEYOND_ASCII = 64;
/** By UTF-16 unit. */
const CLASSES = Uint8Array.from({ length: 65_536 }, (_, code) => {
  if (code > 127) return BEYOND_ASCII | WORD_END;
  const character = String.fromCharCode(code);
  const is = (shape: RegExp, bit: number): number => (shape.test(character) ? bit : 0);
  return (
    is(/[\w.~+=$-]/, IN_TOKEN) |
    is(/[0-9]/, DIGIT) |
    is(/[$%&{}<>|@\\=*`]/, MARK) |
    is(/[a-z]/, LOWER_CASE) |
    is(/[ ,\n]/, SEPARATOR) |
    // Seed phrases may be numbered: "1. legal 2. winner".
    is(/[^a-z ,\n0-9.)]/, WORD_END)
  );
});
const LONG_RUN = 16;
const WORD_RUN = 12;

export function featuresOf(text: string): TextFeatures {
  let all = 0;
  let digits = 0;
  let run = 0;
  let hasLongRun = false;
  let letters = 0;
  let wordRun = 0;
  let hasWordRun = false;
  for (let i = 0; i < text.length; i++) {
    const classes = CLASSES[text.charCodeAt(i)]!;
    all |= classes;
    if (classes & IN_TOKEN) {
      if (++run === LONG_RUN) hasLongRun = true;
      if (classes & LOWER_CASE) {
        // The twelfth word need not be followed by anything.
        if (++letters === 3 && wordRun === WORD_RUN - 1) hasWordRun = true;
        continue;
      }
      if (classes & DIGIT) digits++;
    } else run = 0;
    if (classes & SEPARATOR) {
      if (letters > 0) wordRun = letters > 2 && letters < 9 ? wordRun + 1 : 0;
      letters = 0;
    } else if (classes & WORD_END) {
      wordRun = 0;
      letters = 0;
    }
  }
  return { isAscii: (all & BEYOND_ASCII) === 0, hasLongRun, hasMark: (all & MARK) !== 0, digits, hasWordRun };
}
