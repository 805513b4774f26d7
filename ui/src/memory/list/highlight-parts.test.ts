import { describe, expect, it } from 'vitest';
import { highlightParts } from './highlight-parts.ts';

describe('highlights', () => {
  it('highlights split the text at the matches, whatever their order', () => {
    const parts = highlightParts('deploy via konflux', [
      [11, 18],
      [0, 6],
    ]);
    expect(parts.map(({ text, marked }) => (marked ? `[${text}]` : text)).join('')).toBe(
      '[deploy] via [konflux]',
    );
  });

  it('hidden characters of a text are shown, inside and outside of matches', () => {
    const parts = highlightParts('tea\u{e0041}\u202e cake', [[0, 6]]);
    expect(parts.map(({ text }) => text).join('')).toBe('tea⟨2 hidden⟩ cake');
  });

  it('highlights lose no character when matches overlap or end beyond the text', () => {
    const parts = highlightParts('abcdef', [
      [1, 4],
      [2, 99],
    ]);
    expect(parts.map(({ text }) => text).join('')).toBe('abcdef');
  });
});
