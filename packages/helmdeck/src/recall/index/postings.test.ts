import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PAGE_MASK, PAGE_SHIFT } from './paged-array.ts';
import { BLOCK_HEADER_SLOTS, createPostings } from './postings.ts';

const TERMS = 7;
function readAll(postings: ReturnType<typeof createPostings>, term: number): [number, number][] {
  const found: [number, number][] = [];
  for (let block = postings.firstBlock(term); block !== 0; ) {
    const [number, start] = [block >>> PAGE_SHIFT, block & PAGE_MASK];
    const [documents, weights] = [postings.documentPages[number]!, postings.weightPages[number]!];
    const end = start + BLOCK_HEADER_SLOTS + documents[start + 1]!;
    for (let at = start + BLOCK_HEADER_SLOTS; at < end; at++) found.push([documents[at]!, weights[at]!]);
    block = documents[start]!;
  }
  return found;
}

it('a posting list has every document of its term with its weight, in order, however the lists interleave', () => {
  // A run adds consecutive documents to one term: long runs fill blocks of every size and cross pages.
  const run = fc.record({
    term: fc.integer({ min: 0, max: TERMS - 1 }),
    length: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 900, max: 40_000 })),
    step: fc.integer({ min: 1, max: 3 }),
    weight: fc.integer({ min: 1, max: 255 }),
  });
  fc.assert(
    fc.property(fc.array(run, { maxLength: 12 }), (runs) => {
      const postings = createPostings();
      const model: [number, number][][] = Array.from({ length: TERMS }, () => []);
      let document = 0;
      for (const { term, length, step, weight } of runs) {
        for (let added = 0; added < length; added++) {
          document += step;
          postings.add(term, document, weight);
          model[term]!.push([document, weight]);
        }
      }
      for (const [term, expected] of model.entries()) {
        expect(postings.documentFrequency(term)).toBe(expected.length);
        const found = readAll(postings, term);
        expect(found.length).toBe(expected.length);
        expect(
          found.findIndex(([each, weight], at) => each !== expected[at]![0] || weight !== expected[at]![1]),
        ).toBe(-1);
      }
    }),
    { numRuns: 25 },
  );
});

it('document frequency counts live documents, and is 0 for an unknown term', () => {
  const postings = createPostings();
  for (const document of [0, 4, 9]) postings.add(3, document, 1);
  postings.decrementFrequency(3);
  expect(postings.documentFrequency(3)).toBe(2);
  for (const unknown of [0, 2, 4, 1_000]) {
    expect(postings.documentFrequency(unknown)).toBe(0);
    expect(readAll(postings, unknown)).toEqual([]);
  }
});
