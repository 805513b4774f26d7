import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classOf, FOLDED, foldWord, UNSPACED, UPPER, WORD } from './characters.ts';

const classOfCharacter = (character: string) => classOf(character.charCodeAt(0));

describe('classOf', () => {
  it.each([
    ['a', WORD | FOLDED],
    ['A', WORD | UPPER],
    ['ж', WORD | FOLDED],
    ['Ж', WORD | UPPER],
    ['é', WORD],
    ['東', WORD | UNSPACED | FOLDED],
    ['가', WORD | UNSPACED | FOLDED],
    ['\u0301', WORD],
    [' ', 0],
  ])('%s has the classes %i', (character, expected) =>
    expect(classOfCharacter(character) & (WORD | UPPER | UNSPACED | FOLDED)).toBe(expected),
  );
});

it('a word of characters that equal their folded form is folded to itself, whatever stands next to what', () => {
  const units = Array.from({ length: 0x1_0000 }, (_, code) => code).filter((code) => classOf(code) & FOLDED);
  expect(units.length).toBeGreaterThan(40_000);
  const word = fc
    .array(fc.constantFrom(...units), { minLength: 1, maxLength: 6 })
    .map((codes) => String.fromCharCode(...codes));
  fc.assert(
    fc.property(word, (text) => {
      // The marks of Thai, Lao and Khmer may be reordered; the tokeniser composes before it folds.
      const composed = text.normalize('NFC');
      expect(foldWord(composed)).toBe(composed);
    }),
    { numRuns: 5_000 },
  );
});
