import { describe, expect, it } from 'vitest';
import { filterOf, readMemorySearch, sinceMs } from './memory-search.ts';

describe('the search parameters of the memory page', () => {
  it('the search parameters drop invalid values and keep numbers as text', () => {
    expect(readMemorySearch({ q: 42, key: 'a', sort: 'key', expiring: true, mode: 'x', evil: '1' })).toEqual({
      q: '42',
      key: 'a',
      sort: 'key',
      expiring: true,
    });
    expect(readMemorySearch({ q: '', sort: 'x', prefix: { a: 1 } })).toEqual({});
  });

  it('one tag is a text, several are a list, and neither keeps what is no tag', () => {
    expect(readMemorySearch({ tag: 'a' })).toEqual({ tag: 'a' });
    expect(readMemorySearch({ tag: ['a', 7, {}, 'a'] })).toEqual({ tag: ['a', '7'] });
    expect(readMemorySearch({ tag: [] })).toEqual({});
  });

  it('a since is the beginning of a local day, or dropped', () => {
    const noon = new Date(2026, 10, 18, 12).getTime();
    expect(sinceMs('today', noon)).toBe(new Date(2026, 10, 18).getTime());
    expect(sinceMs('week', noon)).toBe(new Date(2026, 10, 11).getTime());
    expect(sinceMs('2026-11-01', noon)).toBe(new Date(2026, 10, 1).getTime());
    expect(readMemorySearch({ since: '2026-13-01' })).toEqual({});
    expect(readMemorySearch({ since: 'constructor' })).toEqual({});
    expect(filterOf({ since: '2026-11-01', expiring: true })).toMatchObject({
      expiring_within: 604_800,
      updated_since: new Date(2026, 10, 1).toISOString(),
    });
  });
});
