import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textWindows } from './text-windows.ts';

describe('textWindows', () => {
  it('windows end at word boundaries', () => {
    expect(textWindows('one two three four', 9, 9)).toEqual(['one two', 'three', 'four']);
    expect(textWindows('  short \n', 9, 9)).toEqual(['short']);
    expect(textWindows('one two three four', 9, 2)).toEqual(['one two', 'three']);
  });

  it('a text without white space is cut anywhere but inside a surrogate pair', () => {
    expect(textWindows('abcdefgh', 3, 9)).toEqual(['abc', 'def', 'gh']);
    expect(textWindows('a😀😀', 2, 9)).toEqual(['a', '😀', '😀']);
    expect(textWindows('\ud800', 5, 9)).toEqual(['\ufffd']);
  });

  it('an empty text has one empty window', () => {
    expect(textWindows('', 5, 4)).toEqual(['']);
    expect(textWindows(' \t\n ', 2, 4)).toEqual(['']);
  });

  it('windows contain everything but white space, and none exceeds the size', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 80 }),
        fc.integer({ min: 2, max: 20 }),
        (text, size) => {
          const windows = textWindows(text, size, 1_000);
          expect(windows.join('').replaceAll(/\s/g, '')).toBe(text.toWellFormed().replaceAll(/\s/g, ''));
          expect(windows.every((window) => window.length <= size)).toBe(true);
        },
      ),
    );
  });
});
