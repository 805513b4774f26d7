import { describe, expect, it } from 'vitest';
import { type Draft, draftProblems, fieldOfReason, tagsFromText } from './fact-rules.ts';

const GOOD: Draft = { key: 'a/b', value: 'v', category: '', tags: [], ttlDays: 90 };

describe('a draft', () => {
  it('a draft has no problems when the server would accept it', () =>
    expect(draftProblems(GOOD)).toEqual({}));

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
  ])('the draft %j has a problem with %s', (change, field) => {
    expect(Object.keys(draftProblems({ ...GOOD, ...change }))).toEqual([field]);
  });

  it('tags of a draft are separated by commas or spaces, with or without #', () => {
    expect(tagsFromText('#a, b  c,,a')).toEqual(['a', 'b', 'c']);
  });

  it('a rejection by the server is shown at the field it is about', () => {
    expect(fieldOfReason('invalid_input', 'ttl_too_long')).toBe('ttlDays');
    expect(fieldOfReason('secret_detected', undefined)).toBe('value');
    expect(fieldOfReason('rate_limited', undefined)).toBeUndefined();
  });
});
