import { expect, it } from 'vitest';
import { whySentences } from './why-sentences.ts';

it('a hit is explained in sentences, with the place of each word and what was not found', () => {
  const term = { idf: 1, weight: 1 };
  const sentences = whySentences({
    terms: [
      { ...term, word: 'deploy', matched: 'deploy', via: 'word', fields: ['key', 'tags', 'value'] },
      { ...term, word: 'konflx', matched: 'konflux', via: 'spelling', fields: ['value'] },
    ],
    missing: ['friday'],
    boosts: { pairs: [['deploy', 'konflux']], subjects: [], folder: 'konflux/' },
    lexical: 1,
    sentence: '',
  });
  expect(sentences).toEqual([
    '“deploy konflux” stand side by side.',
    '“deploy” is in the key, the tags and the text.',
    '“konflx” is in the text, spelled “konflux”.',
    'Other facts in konflux/ fit, too.',
    'Not found: friday.',
  ]);
});
