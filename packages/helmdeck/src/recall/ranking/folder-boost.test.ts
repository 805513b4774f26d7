import { expect, it } from 'vitest';
import { createImage } from '../image/image.ts';
import { CONFIDENT_SCORE, searchImage } from '../search.ts';

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

/** Its hits, each with the folder that counted. */
const search = (...asked: Parameters<typeof answer>) =>
  answer(...asked).hits.map(({ document, why }) => ({ key: document.key, folder: why!.boosts.folder }));
const keysOf = (hits: readonly { key: string }[]) => hits.map(({ key }) => key);

it('of two facts that answer alike, the one comes first whose neighbours answer, too', () => {
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

it('the worse of two gets more for the company of the better one than the better one for its', () => {
  const [better, worse] = ['the boat was repainted in spring', 'the boat'];
  const scores = (first: string, second: string) => {
    const { hits } = answer(
      [
        [first, better!],
        [second, worse!],
      ],
      'boat repainted spring',
    );
    return hits.map(({ score }) => score) as [number, number];
  };
  const [betterApart, worseApart] = scores('a', 'b');
  const [betterBeside, worseBeside] = scores('x/a', 'x/b');
  expect(betterBeside).toBeGreaterThan(betterApart);
  expect(worseBeside - worseApart).toBeGreaterThan(betterBeside - betterApart);
});

it('within a folder the better answer stays before the worse one', () => {
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

it('a fact whose neighbours answer something else, and one whose key is no path, get nothing for it', () => {
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

it('two that hardly answer do not make each other believable', () => {
  const { hits, abstained } = answer(
    [
      ['a/1', 'the boat'],
      ['a/2', 'the boat'],
      ...Array.from({ length: 400 }, (_, at): [string, string] => [`k${at}`, `something else ${at}`]),
    ],
    'boat captain harbour',
  );
  expect(hits[0]!.score).toBeGreaterThan(CONFIDENT_SCORE);
  expect(abstained).toBe(true);
});
