import fc from 'fast-check';
import { expect, it } from 'vitest';
import { boundedEditDistance } from './edit-distance.ts';

/** The reference: restricted Damerau–Levenshtein distance by plain recursion. */
function distance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const same = a[0] === b[0] ? 0 : 1;
  const ways = [
    distance(a.slice(1), b) + 1,
    distance(a, b.slice(1)) + 1,
    distance(a.slice(1), b.slice(1)) + same,
  ];
  if (a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0])
    ways.push(distance(a.slice(2), b.slice(2)) + 1);
  return Math.min(...ways);
}

it.each([
  ['konflux', 'konflux', 0],
  ['konflx', 'konflux', 1],
  ['konnflux', 'konflux', 1],
  ['konflix', 'konflux', 1],
  ['knoflux', 'konflux', 1],
  ['kubernets', 'kubernetes', 1],
  ['postgersql', 'postgresql', 1],
  ['kubrenetse', 'kubernetes', 2],
])('the edit distance of %s and %s is %i', (typed, meant, edits) => {
  expect(boundedEditDistance(typed, meant, 2)).toBe(edits);
});

it('boundedEditDistance equals the reference up to maxEdits and is undefined above', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é'), maxLength: 6 });
  fc.assert(
    fc.property(word, word, fc.integer({ min: 0, max: 3 }), (a, b, maxEdits) => {
      const expected = distance(a, b);
      expect(boundedEditDistance(a, b, maxEdits)).toBe(expected <= maxEdits ? expected : undefined);
      expect(boundedEditDistance(b, a, maxEdits)).toBe(boundedEditDistance(a, b, maxEdits));
    }),
    { numRuns: 300 },
  );
});
