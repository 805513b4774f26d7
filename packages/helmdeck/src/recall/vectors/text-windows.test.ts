import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textWindows } from './text-windows.ts';

describe('windows of a text', () => {
  it('end where words end', () => {
    expect(textWindows('one two three four', 9, 9)).toEqual(['one two', 'three', 'four']);
    expect(textWindows('  short \n', 9, 9)).toEqual(['short']);
    expect(textWindows('one two three four', 9, 2)).toEqual(['one two', 'three']);
  });

  it('cut what has no words, but never a character', () => {
    expect(textWindows('abcdefgh', 3, 9)).toEqual(['abc', 'def', 'gh']);
    expect(textWindows('a😀😀', 2, 9)).toEqual(['a', '😀', '😀']);
    expect(textWindows('\ud800', 5, 9)).toEqual(['\ufffd']);
  });

  it('are at least one, even of nothing', () => {
    expect(textWindows('', 5, 4)).toEqual(['']);
    expect(textWindows(' \t\n ', 2, 4)).toEqual(['']);
  });

  it('lose nothing but white space, and keep their size', () => {
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
