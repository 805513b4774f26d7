import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bytes,
  doubles,
  ints,
  PAGE_MASK,
  PAGE_SHIFT,
  type PagedArray,
  shorts,
  usedBytes,
} from './paged-array.ts';

const PAGE = 1 << PAGE_SHIFT;
/** Often just before, at and after a page boundary. */
const count = fc.oneof(
  fc.integer({ min: 0, max: 200 }),
  fc.integer({ min: PAGE - 70, max: PAGE }),
  fc.constantFrom(0, 1, 63, 64, 65, 128, PAGE - 1, PAGE),
);
type Step = { push: number } | { reserve: number };
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    count.map((each) => ({ push: each })),
    count.map((each) => ({ reserve: each })),
  ),
  { maxLength: 8 },
);

/** Applies the steps to a paged array and to a plain array as the model. */
function play(list: PagedArray, plan: readonly Step[]): number[] {
  const model: number[] = [];
  for (const step of plan) {
    if ('push' in step) {
      for (let value = 0; value < step.push; value++) {
        list.push(model.length % 251);
        model.push(model.length % 251);
      }
      continue;
    }
    const start = list.reserve(step.reserve);
    expect(start).toBeGreaterThanOrEqual(model.length);
    if (step.reserve > 0) expect((start + step.reserve - 1) >>> PAGE_SHIFT).toBe(start >>> PAGE_SHIFT);
    while (model.length < start + step.reserve) model.push(0);
    for (let at = start; at < start + step.reserve; at += 97) {
      list.set(at, at % 241);
      model[at] = at % 241;
    }
  }
  return model;
}

describe.each([
  ['bytes', bytes],
  ['shorts', shorts],
  ['ints', ints],
  ['doubles', doubles],
] as const)('a paged array of %s', (_name, make) => {
  it('push and reserve give the contents of a plain array, across page boundaries', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const list: PagedArray = make();
        const model = play(list, plan);
        expect(list.length).toBe(model.length);
        const wrong = model.findIndex((value, at) => list.get(at) !== value);
        expect(wrong).toBe(-1);
        const direct = model.findIndex(
          (value, at) => list.pages[at >>> PAGE_SHIFT]![at & PAGE_MASK] !== value,
        );
        expect(direct).toBe(-1);
      }),
      { numRuns: 30 },
    );
  });

  it('an array restored from its bytes has the same contents and can grow', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const list: PagedArray = make();
        const model = play(list, plan);
        const again: PagedArray = make();
        for (const page of usedBytes(list)) again.extend(list.length - again.length).set(page);
        expect(again.length).toBe(list.length);
        again.push(7);
        model.push(7);
        expect(again.length).toBe(model.length);
        expect(model.findIndex((value, at) => again.get(at) !== value)).toBe(-1);
      }),
      { numRuns: 30 },
    );
  });

  it('an array of one number takes at most 512 bytes', () => {
    const list: PagedArray = make();
    expect(list.bytes).toBe(0);
    list.push(1);
    expect(list.bytes).toBeLessThanOrEqual(512);
  });
});
