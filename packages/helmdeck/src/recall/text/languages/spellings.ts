// Counts the spellings that are usual in each of some languages, in one pass: a regular expression for each would take
// longer than all the rest of indexing a short note.

export interface SpellingCounter {
  /** How often the spellings of each language occur, in an array that the next call reuses. */
  count(text: string): Int32Array;
}

/** Letters are numbered from 1, and 0 ends a word. */
const LETTER_BITS = 5;
const LETTER_MASK = (1 << LETTER_BITS) - 1;
const A = 'a'.charCodeAt(0) - 1;
const ASCII_END = 0x80;

function letterNumber(code: number): number {
  const number = (code | 0x20) - A;
  return number >= 1 && number <= 26 ? number : 0;
}

/** `spellings` has one to three letters each, `_` at their end for the end of a word; a text for each language. */
export function createSpellingCounter(spellings: readonly string[]): SpellingCounter {
  const accented = new Map<string, number>();
  const one = new Uint16Array(1 << LETTER_BITS);
  const two = new Uint16Array(1 << (2 * LETTER_BITS));
  const three = new Uint16Array(1 << (3 * LETTER_BITS));
  for (const [language, all] of spellings.entries()) {
    for (const spelling of all.split(' ').filter(Boolean)) {
      const numbers = Array.from(spelling, (letter) => letterNumber(letter.charCodeAt(0)));
      const place = numbers.reduce((before, number) => (before << LETTER_BITS) | number, 0);
      const bit = 1 << language;
      if (spelling.charCodeAt(0) >= ASCII_END) accented.set(spelling, (accented.get(spelling) ?? 0) | bit);
      else [one, two, three][spelling.length - 1]![place]! |= bit;
    }
  }
  const counts = new Int32Array(spellings.length);

  function add(bits: number): void {
    for (let language = 0; bits >>> language !== 0; language++) counts[language]! += (bits >>> language) & 1;
  }

  return {
    count(text) {
      counts.fill(0);
      let last = 0;
      for (let at = 0; at <= text.length; at++) {
        const code = at < text.length ? text.charCodeAt(at) : 0;
        if (code >= ASCII_END) {
          add(accented.get(text[at]!.toLowerCase()) ?? 0);
          // Neither the end of a word nor a letter of the table.
          last = LETTER_MASK;
          continue;
        }
        last = ((last << LETTER_BITS) | letterNumber(code)) & (three.length - 1);
        const bits = three[last]! | two[last & (two.length - 1)]! | one[last & LETTER_MASK]!;
        if (bits !== 0) add(bits);
      }
      return counts;
    },
  };
}
