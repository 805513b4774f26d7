import { describe, expect, it } from 'vitest';
import { readMemorySearch } from './memory-search.ts';

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
});
