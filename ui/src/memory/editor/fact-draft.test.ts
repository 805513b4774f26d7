import { describe, expect, it } from 'vitest';
import { draftOf, inputOf } from './fact-draft.ts';

const FACT = {
  key: 'theme',
  value: 'dark',
  category: 'preferences',
  tags: ['ui'],
  version: 3,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  expires_at: '2026-01-31T05:00:00Z',
  source: { surface: 'rest' },
  trust: 'direct_user' as const,
  confirmed_at: '2026-01-01T00:00:00Z',
  recalled_count: 0,
};

describe('the request of the fact editor', () => {
  it('an edit of the value alone sends no lifetime, so that the server keeps it to the second', () => {
    const start = draftOf(FACT, {});
    expect(inputOf({ ...start, value: 'light' }, start, 3)).toEqual({
      key: 'theme',
      value: 'light',
      category: 'preferences',
      tags: ['ui'],
      if_version: 3,
    });
  });

  it('an edit sends a changed lifetime, removed tags and an emptied category', () => {
    const start = draftOf(FACT, {});
    const draft = { ...start, ttlDays: 7, tags: [], category: ' ' };
    expect(inputOf(draft, start, 3)).toMatchObject({ ttl_seconds: 604_800, tags: [], category: '' });
  });

  it('a new fact sends its lifetime and must not exist yet', () => {
    const start = draftOf(undefined, { key: 'new', value: 'x' });
    expect(inputOf(start, start, undefined)).toMatchObject({ ttl_seconds: 7_776_000, if_version: 0 });
  });
});
