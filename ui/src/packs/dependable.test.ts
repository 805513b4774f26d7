import { describe, expect, it } from 'vitest';
import { dependable } from './dependable.ts';

const learnedFrom = (count: number, of: number) =>
  dependable({
    id: 'a',
    last_used_unix: 1,
    common_inputs: { persona: 'technical' },
    evidence: { persona: { count, of, last_unix: 1 } },
  }).common_inputs;

describe('a learned value', () => {
  it.each([
    [2, 2, false],
    [1, 3, false],
    [3, 6, false],
    [2, 3, true],
    [3, 5, true],
    [229, 268, true],
  ])('a value that %i of %i runs used is filled in: %s', (count, of, filled) => {
    expect(learnedFrom(count, of)).toEqual(filled ? { persona: 'technical' } : {});
  });
});
