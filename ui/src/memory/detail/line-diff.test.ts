import { describe, expect, it } from 'vitest';
import { lineDiff } from './line-diff.ts';

const told = (before: string, after: string) =>
  lineDiff(before, after).map(
    ({ side, parts }) =>
      `${side} ${parts.map(({ text, changed }) => (changed ? `[${text}]` : text)).join('')}`,
  );

describe('what changed between two values', () => {
  it('is nothing for the same text', () => {
    expect(told('a\nb', 'a\nb')).toEqual([]);
  });

  it('names the words of a line, and leaves the other lines out', () => {
    expect(told('first\nthen production when green', 'first\nthen production after sign-off')).toEqual([
      'del then production [when green]',
      'add then production [after sign-off]',
    ]);
  });

  it('tells added and removed lines', () => {
    expect(told('a\nb\nc', 'a\nc\nd')).toEqual(['del [b]', 'add [d]']);
  });

  it('gives up on words, not on the answer, where texts are huge', () => {
    const huge = (word: string) => Array.from({ length: 2_500 }, (_, i) => `${word} ${i}`).join('\n');
    expect(lineDiff(huge('a'), huge('b'))).toHaveLength(5_000);
  });
});
