import { expect, it } from 'vitest';
import { createImage } from '../image/image.ts';
import { CONFIDENT_BELIEF, searchImage } from '../search.ts';

const NOW_MS = 10;

/** Searches facts given as key and value. */
function answer(facts: readonly [key: string, value: string][], text: string) {
  const image = createImage();
  for (const [at, [key, value]] of facts.entries()) {
    const head = { kind: 'fact' as const, seq: at + 1, rev: 1, createdMs: 1, updatedMs: 1, expiresMs: 99 };
    const content = Buffer.from(JSON.stringify({ key, value, tags: [], category: 'c' }));
    image.put({ ...head, id: Buffer.from(String(at).padStart(16)) }, content);
  }
  return searchImage(image, { text, limit: 20, explain: true }, { neighbours: () => [] }, NOW_MS);
}

/** The hits, each with the folder that boosted it. */
const search = (...asked: Parameters<typeof answer>) =>
  answer(...asked).hits.map(({ document, why }) => ({ key: document.key, folder: why!.boosts.folder }));
const keysOf = (hits: readonly { key: string }[]) => hits.map(({ key }) => key);

it('of two equally scored facts, the one with matching siblings in its folder comes first', () => {
  const found = search(
    [
      ['chat/a/1', 'the boat was repainted in spring'],
      ['chat/b/1', 'the boat was repainted in spring'],
      ['chat/b/2', 'nobody knows who paid for the boat'],
    ],
    'boat repainted spring',
  );
  expect(found[0]).toMatchObject({ key: 'chat/b/1', folder: 'chat/b' });
  expect(found.find(({ key }) => key === 'chat/a/1')!.folder).toBeUndefined();
});

it('the lower-scored of two siblings gets the larger boost', () => {
  const [higher, lower] = ['the boat was repainted in spring', 'the boat'];
  const scores = (first: string, second: string) => {
    const { hits } = answer(
      [
        [first, higher!],
        [second, lower!],
      ],
      'boat repainted spring',
    );
    return hits.map(({ score }) => score) as [number, number];
  };
  const [higherApart, lowerApart] = scores('a', 'b');
  const [higherBeside, lowerBeside] = scores('x/a', 'x/b');
  expect(higherBeside).toBeGreaterThan(higherApart);
  expect(lowerBeside - lowerApart).toBeGreaterThan(higherBeside - higherApart);
});

it('the boost does not change the order within a folder', () => {
  const found = search(
    [
      ['chat/1', 'the boat'],
      ['chat/2', 'the boat was repainted'],
      ['chat/3', 'the boat was repainted in spring'],
      ['other', 'nothing of the kind'],
    ],
    'boat repainted spring',
  );
  expect(keysOf(found)).toEqual(['chat/3', 'chat/2', 'chat/1']);
});

it('a fact without matching siblings, or without a folder, gets no boost', () => {
  const alone = search([['a/1', 'the boat']], 'boat');
  const beside = search(
    [
      ['a/1', 'the boat'],
      ['a/2', 'a bicycle'],
      ['b', 'the train'],
      ['c', 'the train'],
    ],
    'boat train',
  );
  for (const { folder } of [...alone, ...beside]) expect(folder).toBeUndefined();
});

it('two weak hits in one folder do not make each other confident', () => {
  const { hits, abstained } = answer(
    [
      ['a/1', 'a boat, that boat'],
      ['a/2', 'a boat, that boat'],
      ...Array.from({ length: 400 }, (_, at): [string, string] => [`k${at}`, `something else ${at}`]),
    ],
    'boat captain',
  );
  expect(hits[0]!.score).toBeGreaterThan(CONFIDENT_BELIEF);
  expect(abstained).toBe(true);
});
