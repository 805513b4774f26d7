import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createImage, type Image } from '../image/image.ts';
import { searchImage } from '../search.ts';

// The shortcuts of ranking must not change its results.

const WORDS = 'deploy konflux staging billing oncall rota paris lyon window cluster'.split(' ');
const THESAURUS = {
  neighbours: (stem: string) => (stem === 'paris' ? [{ stem: 'lyon', similarity: 0.9 }] : []),
};
const words = (most: number) => fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: most });
const facts = fc.array(fc.record({ name: words(2), value: words(8), updatedMs: fc.nat(2) }), {
  minLength: 1,
  maxLength: 60,
});

function imageOf(given: readonly { name: string[]; value: string[]; updatedMs: number }[]): Image {
  const image = createImage();
  for (const [at, { name, value, updatedMs }] of given.entries()) {
    const head = { kind: 'fact' as const, seq: at + 1, rev: 1, createdMs: 1, updatedMs, expiresMs: 99 };
    const content = { key: `${name.join('/')}/${at}`, value: value.join(' '), tags: [], category: 'c' };
    image.put({ ...head, id: Buffer.from(String(at).padStart(16)) }, Buffer.from(JSON.stringify(content)));
  }
  return image;
}
const answer = (image: Image, text: string, limit: number) =>
  searchImage(image, { text, limit, explain: true }, THESAURUS, 10).hits.map(({ document, score, why }) => ({
    key: document.key,
    score,
    why,
  }));

it('the first hits are the same whatever the limit', () => {
  fc.assert(
    fc.property(facts, words(12), fc.integer({ min: 1, max: 8 }), (given, asked, limit) => {
      const image = imageOf(given);
      const text = asked.join(' ');
      expect(answer(image, text, limit)).toEqual(answer(image, text, 100).slice(0, limit));
    }),
  );
});

it('scratch state of earlier queries never changes the result of a later one', () => {
  fc.assert(
    fc.property(facts, fc.array(words(12), { minLength: 2, maxLength: 5 }), (given, asked) => {
      const image = imageOf(given);
      const questions = asked.map((each) => each.join(' '));
      const first = questions.map((text) => answer(imageOf(given), text, 5));
      for (let round = 0; round < 60; round++) {
        expect(questions.map((text) => answer(image, text, 5))).toEqual(first);
      }
    }),
    { numRuns: 10 },
  );
});
