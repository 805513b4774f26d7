import { describe, expect, it } from 'vitest';
import { type Draft, draftProblems, fieldOfReason, tagsFromText } from './editor/fact-rules.ts';
import { highlightParts } from './list/highlight-parts.ts';
import { readMemorySearch } from './list/memory-search.ts';
import { renewalSeconds, shortAge, timeLeft } from './list/time-left.ts';

const DAY_MS = 86_400_000;
const at = (ms: number) => new Date(ms).toISOString();
const GOOD: Draft = { key: 'a/b', value: 'v', category: '', tags: [], ttlDays: 90 };

describe('highlights', () => {
  it('cut the text at the matches, whatever their order', () => {
    const parts = highlightParts('deploy via konflux', [
      [11, 18],
      [0, 6],
    ]);
    expect(parts.map(({ text, marked }) => (marked ? `[${text}]` : text)).join('')).toBe(
      '[deploy] via [konflux]',
    );
  });

  it('lose no letter where matches overlap or end beyond the text', () => {
    const parts = highlightParts('abcdef', [
      [1, 4],
      [2, 99],
    ]);
    expect(parts.map(({ text }) => text).join('')).toBe('abcdef');
  });
});

describe('time left', () => {
  it('is told in days, hours or minutes, with its share of the whole life', () => {
    const fact = { updated_at: at(0), expires_at: at(90 * DAY_MS) };
    expect(timeLeft(fact, 19 * DAY_MS)).toMatchObject({
      short: '71 d',
      soon: false,
      daysLeft: 71,
      daysInAll: 90,
    });
    expect(timeLeft(fact, 85 * DAY_MS)).toMatchObject({ short: '5 d', soon: true });
    expect(timeLeft(fact, 90 * DAY_MS - 5 * 3_600_000).short).toBe('5 h');
    expect(timeLeft(fact, 91 * DAY_MS)).toMatchObject({ short: '0 min', share: 0 });
  });

  it('is never shortened by a renewal', () => {
    expect(renewalSeconds({ expires_at: at(5 * DAY_MS) }, 0)).toBe(7_776_000);
    expect(renewalSeconds({ expires_at: at(300 * DAY_MS) }, 0)).toBe(31_536_000);
  });

  it('has short words for ages', () => {
    const ages = [0, 5 * 60_000, 3 * 3_600_000, 1.5 * DAY_MS, 19 * DAY_MS, 30 * DAY_MS, 300 * DAY_MS];
    expect(ages.map((ms) => shortAge(at(0), ms))).toEqual([
      'just now',
      '5 min ago',
      '3 h ago',
      'yesterday',
      '19 d ago',
      '4 w ago',
      '10 mo ago',
    ]);
  });
});

describe('a draft', () => {
  it('is fine when the server would take it', () => expect(draftProblems(GOOD)).toEqual({}));

  it.each([
    [{ key: ' ' }, 'key'],
    [{ key: 'ü'.repeat(257) }, 'key'],
    [{ key: '..' }, 'key'],
    [{ key: 'pack_history/x' }, 'key'],
    [{ value: '' }, 'value'],
    [{ value: 'x'.repeat(65_537) }, 'value'],
    [{ category: 'no spaces' }, 'category'],
    [{ category: 'Cache' }, 'category'],
    [{ tags: Array.from({ length: 33 }, (_, i) => `t${i}`) }, 'tags'],
    [{ ttlDays: 0 }, 'ttlDays'],
    [{ ttlDays: Number.NaN }, 'ttlDays'],
    [{ ttlDays: 366 }, 'ttlDays'],
  ])('%j has a problem with %s', (change, field) => {
    expect(Object.keys(draftProblems({ ...GOOD, ...change }))).toEqual([field]);
  });

  it('reads tags as people write them', () => {
    expect(tagsFromText('#a, b  c,,a')).toEqual(['a', 'b', 'c']);
  });

  it('shows a refusal at the field it is about', () => {
    expect(fieldOfReason('invalid_input', 'ttl_too_long')).toBe('ttlDays');
    expect(fieldOfReason('secret_detected', undefined)).toBe('value');
    expect(fieldOfReason('rate_limited', undefined)).toBeUndefined();
  });
});

describe('the address of the memory page', () => {
  it('keeps what makes sense, and keys that look like numbers', () => {
    expect(readMemorySearch({ q: 42, key: 'a', sort: 'key', expiring: true, mode: 'x', evil: '1' })).toEqual({
      q: '42',
      key: 'a',
      sort: 'key',
      expiring: true,
    });
    expect(readMemorySearch({ q: '', sort: 'x', prefix: { a: 1 } })).toEqual({});
  });
});
