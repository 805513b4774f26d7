import { describe, expect, it } from 'vitest';
import type { Row } from '../fact-queries.ts';
import { steadyRows } from './steady-rows.ts';

const rowsOf = (keys: string, text = ''): Row[] =>
  [...keys].map((key) => ({
    key,
    text,
    category: 'c',
    tags: [],
    created_at: '',
    updated_at: '',
    expires_at: '',
  }));
const shownAfter = (before: string, latest: string) => {
  const { rows, waiting } = steadyRows(rowsOf(before), rowsOf(latest));
  return [rows.map(({ key }) => key).join(''), waiting];
};

describe('rows while the list is scrolled', () => {
  it('new rows above wait, and the rows that they push out of the loaded pages stay', () => {
    expect(shownAfter('abcde', 'xyabc')).toEqual(['abcde', 2]);
  });

  it('a row that moved to the top keeps its place and gets its new text', () => {
    expect(shownAfter('abcde', 'cabde')).toEqual(['abcde', 0]);
    const { rows } = steadyRows(rowsOf('ab', 'old'), rowsOf('ba', 'new'));
    expect(rows.map(({ text }) => text)).toEqual(['new', 'new']);
  });

  it('a row that was forgotten elsewhere is removed', () => {
    expect(shownAfter('abcde', 'xacde')).toEqual(['acde', 1]);
  });

  it('a further page is appended', () => {
    expect(shownAfter('abc', 'xabcdef')).toEqual(['abcdef', 1]);
  });
});
