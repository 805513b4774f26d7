import { describe, expect, it } from 'vitest';
import type { Fact } from '../../api/generated/rest.ts';
import { mergedInput, mergedValue } from './merge-facts.ts';

const fact = (key: string, more: Partial<Fact>): Fact => ({
  key,
  value: key,
  category: 'c',
  tags: [],
  version: 1,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  expires_at: '2026-02-01T00:00:00Z',
  source: { surface: 'rest' },
  trust: 'direct_user',
  confirmed_at: '2026-01-01T00:00:00Z',
  recalled_count: 0,
  ...more,
});

describe('merging two facts', () => {
  it.each([
    ['deploys via Konflux', 'Konflux', 'deploys via Konflux'],
    ['Konflux', ' deploys via Konflux\n', 'deploys via Konflux'],
    ['one', 'two', 'one\n\ntwo'],
  ])('merging two facts states everything once: %j and %j', (mine, theirs, both) => {
    expect(mergedValue(mine, theirs)).toBe(both);
  });

  it('merging two facts keeps the key, the tags of both and the longer lifetime, and never overwrites a newer version', () => {
    const kept = fact('a', { tags: ['x', 'y'], version: 3 });
    const other = fact('b', { tags: ['y', 'z'], category: 'd', expires_at: '2026-03-01T00:00:00Z' });
    expect(mergedInput(kept, other, 'both', Date.parse('2026-01-30T00:00:00Z'))).toEqual({
      key: 'a',
      value: 'both',
      category: 'c',
      tags: ['x', 'y', 'z'],
      ttl_seconds: 30 * 86_400,
      if_version: 3,
    });
  });

  it('merging two facts requests a lifetime the server allows, however short both lifetimes are', () => {
    const ends = { expires_at: '2026-01-01T00:00:10Z' };
    const { ttl_seconds } = mergedInput(fact('a', ends), fact('b', ends), 'v', Date.parse('2026-01-01'));
    expect(ttl_seconds).toBe(3_600);
  });
});
