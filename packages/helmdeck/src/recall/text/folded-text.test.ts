import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTextDigest, fold } from './folded-text.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string(),
  fc.array(fc.constantFrom('a', 'B', '7', ' ', '\n', '-', 'ż', '.', '👍')).map((signs) => signs.join('')),
);

it('the digest of a text equals the digest of its folded form', () => {
  const digest = createTextDigest();
  fc.assert(
    fc.property(anyText, (text) => {
      const folded = fold(text);
      expect(digest.of(text)).toBe(folded === '' ? undefined : digest.ofFolded(folded));
    }),
    { numRuns: 2_000 },
  );
});

it('a hundred thousand similar texts have different digests', () => {
  const digest = createTextDigest();
  const numbers = new Set(Array.from({ length: 100_000 }, (_, at) => digest.of(`fact number ${at}`)));
  expect(numbers.size).toBe(100_000);
});

it('digests of the same text differ between two seeds', () => {
  expect(createTextDigest().of('uses tabs')).not.toBe(createTextDigest().of('uses tabs'));
});
