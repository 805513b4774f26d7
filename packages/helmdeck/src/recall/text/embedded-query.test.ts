import { expect, it } from 'vitest';
import { embeddedQuery } from './embedded-query.ts';

it('a query of one sentence, and one without a question, is embedded as it is', () => {
  for (const query of ['deploy freeze', 'When is the freeze?', 'Write a toast. Keep it short.'])
    expect(embeddedQuery(query)).toEqual([query]);
});

it('a question within more text is embedded by itself and with the end of the text around it', () => {
  const story = 'We moved house and the cat hid under the roof for two days. '.repeat(20);
  const [asked, around, ...more] = embeddedQuery(`${story}Who repairs the boiler? Thanks!`);
  expect(asked).toBe('Who repairs the boiler?');
  expect(around).toMatch(/roof for two days\. Who repairs the boiler\? Thanks!$/);
  expect(around!.length).toBeLessThanOrEqual(320);
  expect(more).toEqual([]);
});
