import { expect, it } from 'vitest';
import { filingChanges } from './filing-changes.ts';

it('the history names a changed category, and the tags that were added and removed', () => {
  const from = { category: 'user_facts', tags: ['a', 'b'] };
  expect(filingChanges(from, { category: 'people', tags: ['b', 'c', 'd'] })).toEqual([
    'Category user_facts became people.',
    'Tags added: c, d.',
    'Tags removed: a.',
  ]);
  expect(filingChanges(from, { ...from, tags: ['b', 'a'] })).toEqual([]);
});
