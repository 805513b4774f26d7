import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHashChains, type HashChains } from './hash-chains.ts';

/** Few distinct hashes, so that many collide; some differ in their highest bits only. */
const hash = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.integer({ min: 0, max: 9 }).map((each) => (each << 28) >>> 0),
  fc.integer({ min: 0, max: 0xffffffff }),
);

function withHash(chains: HashChains, wanted: number): number[] {
  const found: number[] = [];
  for (let link = chains.first(wanted); link !== 0; link = chains.next(link)) {
    if (chains.hash(link) === wanted) found.push(link - 1);
  }
  return found.sort((a, b) => a - b);
}

describe('hash chains', () => {
  it('every item that was added and not removed is found by its hash', () => {
    const hashes = fc.array(hash, { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(hashes, fc.array(fc.nat(299), { maxLength: 40 }), (given, gone) => {
        const chains = createHashChains();
        for (const each of given) chains.add(each);
        for (const number of gone) if (number < given.length) chains.remove(number);
        for (const wanted of new Set(given)) {
          const expected = given.flatMap((each, at) => (each === wanted && !gone.includes(at) ? [at] : []));
          expect(withHash(chains, wanted)).toEqual(expected);
        }
      }),
    );
  });

  it('with distinct hashes, chains stay short however many items there are', () => {
    const chains = createHashChains();
    const hashes = Array.from({ length: 5_000 }, (_, each) => Math.imul(each, 2_654_435_761) >>> 0);
    for (const each of hashes) chains.add(each);
    const lengths = hashes.map((each) => {
      let length = 0;
      for (let link = chains.first(each); link !== 0; link = chains.next(link)) length++;
      return length;
    });
    expect(lengths.reduce((sum, length) => sum + length, 0) / hashes.length).toBeLessThan(3);
  });
});
