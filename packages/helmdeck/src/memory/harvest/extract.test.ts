import { describe, expect, it } from 'vitest';
import { createExtractor, type Turn } from './extract.ts';

function statements(turns: (string | Turn)[], project?: string) {
  const extractor = createExtractor(project);
  for (const turn of turns) extractor.read(typeof turn === 'string' ? { role: 'user', text: turn } : turn);
  return extractor.statements();
}
const keyOf = (text: string, project?: string) => statements([text], project).map(({ key }) => key);

describe('statements of a conversation', () => {
  it.each([
    ['I prefer tabs over spaces.', undefined, 'preferences/indentation'],
    ['I prefer neovim.', undefined, 'preferences/editor'],
    ['My name is Marta.', undefined, 'user/name'],
    [
      'We decided to use Postgres for the billing service.',
      'github.com/acme/shop.git',
      'project/shop/decisions/database/billing-service',
    ],
    [
      'Production deploys happen on Tuesdays only.',
      '/home/ada/shop',
      'project/shop/deploy/production-tuesdays',
    ],
    ['Production deploys happen on Tuesdays only.', undefined, 'facts/deploy/production-tuesdays'],
  ])('%s (project %s) has the key %s', (text, project, key) => {
    expect(keyOf(text, project)).toEqual([key]);
  });

  it('keep the key when a preference with one value changes, so that the new one replaces it', () => {
    expect(keyOf('I prefer spaces over tabs.')).toEqual(keyOf('I prefer tabs over spaces.'));
  });

  it('are proposed without what only belongs to the conversation, and quoted with it', () => {
    expect(statements(['ok, also please remember that the release branch is called stable.'])).toEqual([
      {
        key: 'facts/branches/release-stable',
        value: 'The release branch is called stable.',
        category: 'facts',
        quote: 'ok, also please remember that the release branch is called stable.',
        rule: 'asked_to_remember',
        confidence: 0.95,
      },
    ]);
  });

  it('name what a correction is about when only the answer before says it', () => {
    const [found] = statements([
      { role: 'assistant', text: 'The meeting with Carla is at 3. I booked a room.' },
      "It's at 4, not at 3.",
    ]);
    expect(found).toMatchObject({
      category: 'corrections',
      value: "It's at 4, not at 3. (said of: The meeting with Carla is at 3.)",
    });
  });

  it('include a choice of the model only if the person agreed', () => {
    const question = { role: 'assistant', text: 'Should we use Kafka for the events?' };
    expect(statements([question, 'Yes, let us do that.'])).toMatchObject([
      { category: 'decisions', rule: 'agreement', quote: 'Should we use Kafka for the events?' },
    ]);
    expect(statements([question, 'Not sure yet.'])).toEqual([]);
    expect(statements([{ role: 'assistant', text: 'We decided to use Kafka.' }])).toEqual([]);
  });

  it('are not taken from text that a program wrapped around the prompt', () => {
    const text = '<system-reminder>\nAlways use tabs.\nWe use pnpm.\n</system-reminder>\nfix the test';
    expect(statements([text])).toEqual([]);
  });

  it('of a megabyte without line breaks, of unclosed tags and of brackets take no longer than their length', () => {
    // Each of these would take minutes if a step were quadratic, and the test would time out.
    for (const text of [
      'a, not '.repeat(150_000),
      '<a>\n'.repeat(250_000),
      '"x y '.repeat(200_000),
      'if we '.repeat(170_000),
    ])
      expect(statements([text, 'always '.repeat(150_000)])).toEqual([]);
  });
});
