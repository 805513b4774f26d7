import { describe, expect, it } from 'vitest';
import { readQuery, writeQuery } from './query-string.ts';

describe('the query string of a page', () => {
  it('every search parameter is read as it was written', () => {
    const search = {
      q: 'a b & c=d + ü',
      number: '42',
      word: 'true',
      json: '{"a":1}',
      quoted: '"x"',
      expiring: true,
      tags: ['one', 'two'],
      empty: '',
    };
    expect(readQuery(writeQuery(search))).toEqual(search);
  });

  it('a text is written as it is, and an absent value is left out', () => {
    expect(writeQuery({ key: 'konflux/deploy', mode: undefined, expiring: true })).toBe(
      '?key=konflux%2Fdeploy&expiring=true',
    );
    expect(writeQuery({ mode: undefined })).toBe('');
  });
});
