import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SearchHit } from '../../../client/generated/rest.ts';
import { createScreen } from '../terminal/screen.ts';
import { renderHit } from './recall-hit.ts';

/** A pipe, or a terminal with colours and this many columns. */
function screen(columns?: number, colourBits = 8) {
  const tty = { isTTY: true, columns, getColorDepth: () => colourBits };
  const out = Object.assign(new PassThrough(), columns === undefined ? {} : tty);
  return createScreen({ in: new PassThrough(), out, err: new PassThrough() }, false);
}

const NOW_MS = Date.parse('2026-01-04T00:00:00Z');

const hit: SearchHit = {
  key: 'deploy/konflux',
  kind: 'fact',
  category: 'ops',
  tags: ['ci', 'release'],
  score: 0.7149,
  confident: true,
  snippet: 'Releases go out through Konflux',
  highlights: [
    [0, 8],
    [24, 31],
  ],
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  expires_at: '2026-04-01T00:00:00Z',
};

const plain = (text: string) => text.replaceAll(/\u001b\[\d+m/g, '');

// The test runner may set NO_COLOR or FORCE_COLOR.
beforeEach(() => void vi.stubEnv('FORCE_COLOR', undefined));
afterEach(() => void vi.unstubAllEnvs());

describe('a recall hit', () => {
  it('a hit has no colours and is not cut when stdout is a pipe', () => {
    const text = 'ops · ci, release · 3 days ago\n  Releases go out through Konflux';
    expect(renderHit(screen(), hit, 'good', NOW_MS)).toBe(`0.71  deploy/konflux  ${text}`);
    expect(renderHit(screen(), hit, 'weak', NOW_MS)).toBe(`0.71  deploy/konflux  weak · ${text}`);
    expect(renderHit(screen(), hit, 'newest', NOW_MS)).toBe(`deploy/konflux  ${text}`);
    expect(renderHit(screen(80, 1), hit, 'good', NOW_MS)).toBe(`0.71  deploy/konflux  ${text}`);
  });

  it('a hit has its matches highlighted on a terminal', () => {
    const marked = '\u001b[1m\u001b[33mKonflux\u001b[39m\u001b[22m';
    expect(renderHit(screen(80), hit, 'good', NOW_MS)).toContain(`go out through ${marked}`);
  });

  it('a hit is wrapped between words, and a match over two lines is highlighted on both', () => {
    const long: SearchHit = { ...hit, snippet: 'one two three four five six seven', highlights: [[8, 23]] };
    const text = renderHit(screen(22), long, 'good', NOW_MS);
    expect(plain(text).split('\n').slice(1)).toEqual(['  one two three four', '  five six seven']);
    expect(text).toContain('\u001b[33mthree four\u001b[39m');
    expect(text).toContain('\u001b[33mfive\u001b[39m');
  });

  it('a hit without blanks is wrapped, never inside a character', () => {
    const text = plain(
      renderHit(screen(22), { ...hit, snippet: `x${'😀'.repeat(30)}`, highlights: [] }, 'good', NOW_MS),
    );
    expect(text.isWellFormed()).toBe(true);
    expect(text.replaceAll(/[^😀]/gu, '')).toBe('😀'.repeat(30));
  });

  it('control characters of a hit are replaced, and its highlights stay in place', () => {
    const nasty: SearchHit = {
      ...hit,
      key: 'a\u001b[2Jb\nc',
      tags: ['\u0007'],
      snippet: 'red \u001b[31malert\r\nnext\tword',
      highlights: [[9, 14]],
    };
    const text = renderHit(screen(80), nasty, 'good', NOW_MS);
    expect(text).toContain('\u001b[33malert\u001b[39m');
    expect(plain(text)).toBe('0.71  a␛[2Jb⏎c  ops · ␇ · 3 days ago\n  red ␛[31malert␍⏎next word');
  });

  it('a hit that is a run record shows the kind of run', () => {
    const run = { ...hit, kind: 'audit.pack', category: '', tags: [] };
    expect(renderHit(screen(), run, 'good', NOW_MS)).toContain('pack run · 3 days ago');
  });

  it('a hit explains why it was found', () => {
    const boosts = { pairs: [], subjects: [] };
    const sentence = 'It has “konflux” in its key.';
    const why = { terms: [], missing: [], boosts, sentence, lexical: 0.6, meaning: 0.4, vector: 0.5 };
    expect(
      renderHit(screen(), { ...hit, why }, 'good', NOW_MS)
        .split('\n')
        .slice(2),
    ).toEqual(['  It has “konflux” in its key.', '  words 0.60 · related words 0.40 · embeddings 0.50']);
  });
});
