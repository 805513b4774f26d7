import { describe, expect, it } from 'vitest';
import { lineDiff } from './line-diff.ts';

const rendered = (before: string, after: string) =>
  lineDiff(before, after).map(
    ({ side, parts }) =>
      `${side} ${parts.map(({ text, changed }) => (changed ? `[${text}]` : text)).join('')}`,
  );

describe('a line diff', () => {
  it('the line diff of equal texts is empty', () => {
    expect(rendered('a\nb', 'a\nb')).toEqual([]);
  });

  it('a line diff marks the changed words of a line and omits unchanged lines', () => {
    expect(rendered('first\nthen production when green', 'first\nthen production after sign-off')).toEqual([
      'del then production [when green]',
      'add then production [after sign-off]',
    ]);
  });

  it('a line diff lists added and removed lines', () => {
    expect(rendered('a\nb\nc', 'a\nc\nd')).toEqual(['del [b]', 'add [d]']);
  });

  it('a line diff of huge texts shows whole lines without marking words', () => {
    const huge = (word: string) => Array.from({ length: 2_500 }, (_, i) => `${word} ${i}`).join('\n');
    expect(lineDiff(huge('a'), huge('b'))).toHaveLength(5_000);
  });
});
