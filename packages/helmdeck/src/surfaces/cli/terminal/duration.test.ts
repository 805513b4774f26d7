import { expect, it } from 'vitest';
import { counted } from './duration.ts';

it('a count has its noun in the singular for one and in the plural otherwise', () => {
  expect([0, 1, 2].map((count) => counted(count, 'row'))).toEqual(['0 rows', '1 row', '2 rows']);
  expect([0, 1, 2].map((count) => counted(count, 'entry', 'entries'))).toEqual([
    '0 entries',
    '1 entry',
    '2 entries',
  ]);
});
