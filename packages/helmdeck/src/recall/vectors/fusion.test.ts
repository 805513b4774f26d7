import { expect, it } from 'vitest';
import { createImage, type Image } from '../image/image.ts';
import { searchImage } from '../search.ts';
import { addVectorScores, type FusedCandidate } from './fusion.ts';
import { quantise } from './quantised.ts';

/** A unit vector at an angle to the first axis, by its cosine. */
const at = (cosine: number) => Float32Array.of(cosine, Math.sqrt(1 - cosine ** 2));
const QUERY = at(1);

/** An image whose facts have these texts and cosines with the query. */
function imageOf(facts: readonly [value: string, cosine: number | undefined][]): Image {
  const image = createImage();
  for (const [number, [value, cosine]] of facts.entries()) {
    const times = { createdMs: 1, updatedMs: 1, expiresMs: null };
    const row = { kind: 'fact' as const, seq: number + 1, rev: 1, ...times };
    const content = { key: `k${number}`, value, tags: [], category: 'c' };
    image.put({ ...row, id: Buffer.from(String(number).padStart(16)) }, Buffer.from(JSON.stringify(content)));
    if (cosine !== undefined) image.setVector(number, quantise(at(cosine)));
  }
  return image;
}

function blended(scores: readonly number[], cosines: readonly (number | undefined)[]): FusedCandidate[] {
  const found = scores.map((score, document): FusedCandidate => ({ document, score }));
  addVectorScores(imageOf(cosines.map((cosine) => ['text', cosine])), found, QUERY);
  return found;
}

it('where the best fact by words is also the nearest, a vector counts for less than where they are opposed', () => {
  const [best, other] = blended([0.8, 0.4], [0.6, 0.3]);
  expect(best!.score).toBeCloseTo(0.65 * 0.8 + 0.35 * 0.6, 1);
  expect(other!.score).toBeCloseTo(0.65 * 0.4 + 0.35 * 0.3, 1);
  const [byChance, meant] = blended([0.5, 0.3], [0, 0.6]);
  expect(byChance!.score).toBeCloseTo(0.45 * 0.5, 1);
  expect(meant!.score).toBeCloseTo(0.45 * 0.3 + 0.55 * 0.6, 1);
  expect(meant!.score).toBeGreaterThan(byChance!.score);
});

it('of two best facts by words the nearer one decides, in whatever order they come', () => {
  const scores = [
    [0.5, 0.9],
    [0.5, 0.1],
  ] as const;
  const shareOf = (order: readonly (readonly [number, number])[]) => {
    const found = blended(
      order.map(([score]) => score),
      order.map(([, cosine]) => cosine),
    );
    return found.map(({ score }) => score).sort();
  };
  expect(shareOf(scores)).toEqual(shareOf(scores.toReversed()));
});

it('a fact without a vector keeps its score by words, and does not count as opposed', () => {
  const [fresh, other] = blended([0.8, 0.2], [undefined, 0.6]);
  expect(fresh).toEqual({ document: 0, score: 0.8 });
  expect(other!.score).toBeCloseTo(0.65 * 0.2 + 0.35 * 0.6, 1);
});

it('a fact that has much of the words loses at most three places to facts that only vectors bring up', () => {
  const cosines = [0, ...Array.from({ length: 9 }, () => 0.9)];
  const found = blended([0.5, ...Array.from({ length: 9 }, () => 0.25)], cosines);
  expect(found.toSorted((a, b) => b.score - a.score).indexOf(found[0]!)).toBeLessThanOrEqual(3);
  const [faint, ...others] = blended([0.25, ...Array.from({ length: 9 }, () => 0.2)], cosines);
  expect(others.filter(({ score }) => score > faint!.score)).toHaveLength(9);
});

const FILLER: [string, number][] = Array.from({ length: 30 }, (_, number) => [`filler ${number}`, 0.02]);
const search = (facts: readonly [string, number][]) =>
  searchImage(imageOf(facts), { text: 'vehicle', limit: 5 }, { neighbours: () => [] }, 10, QUERY);

it('a hit is believed by its vector alone, and one that is only the least far is not', () => {
  expect(search([['the car is red', 0.6], ...FILLER]).abstained).toBe(false);
  expect(search([['the car is red', 0.25], ...FILLER]).abstained).toBe(true);
});

it('a model that finds all texts alike is not believed for that', () => {
  const alike = FILLER.map(([value]): [string, number] => [value, 0.7]);
  expect(search([['the car is red', 0.75], ...alike]).abstained).toBe(true);
  expect(search([['the car is red', 0.9], ...alike]).abstained).toBe(false);
});
