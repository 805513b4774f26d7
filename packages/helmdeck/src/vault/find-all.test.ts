import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findAll } from './find-all.ts';

it('findAll finds what indexOf finds, for texts and patterns that repeat themselves and others', () => {
  const word = fc
    .array(fc.constantFrom('a', 'b', 'aaaaaaaa', 'abababab'), { maxLength: 30 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(word, word, fc.nat(200), (pattern, rest, length) => {
      const long = `${pattern}${'a'.repeat(length)}b`;
      const text = `${rest}${long}${rest}${long}${long}`;
      const expected: number[] = [];
      for (let at = text.indexOf(long); at >= 0; at = text.indexOf(long, at + long.length)) expected.push(at);
      expect(findAll(text, long)).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});
