import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cosine, type QuantisedVector, quantise } from './quantised.ts';
import { plainKernel, type VectorKernel, vectorKernel } from './vector-kernel.ts';
import { createVectorTable, type VectorTable } from './vector-table.ts';

const numbers = (length: number) =>
  fc.array(fc.integer({ min: -128, max: 127 }), { minLength: length, maxLength: length });

/** Pseudorandom vectors, the same in every run. */
function randomVectors(count: number, dimensions: number): Float32Array[] {
  let state = 7;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2_147_483_648 - 1;
  };
  return Array.from({ length: count }, () => Float32Array.from({ length: dimensions }, next));
}

const fill = (table: VectorTable, vectors: QuantisedVector[]) => {
  for (const [slot, vector] of vectors.entries()) table.set(slot, vector);
};

const bySimilarity = (query: QuantisedVector, vectors: QuantisedVector[]) =>
  vectors
    .map((vector, slot) => ({ slot, cosine: cosine(query, vector) }))
    .sort((a, b) => b.cosine - a.cosine || a.slot - b.slot);

describe('the vector kernel', () => {
  it('the SIMD kernel is available here', () => expect(vectorKernel).not.toBe(plainKernel));

  const run = (kernel: VectorKernel, stride: number, bytes: number[], count: number) => {
    const rows = Int8Array.from(bytes);
    const [query, rest] = [rows.subarray(0, stride), rows.subarray(stride)];
    const [dots, differences] = [new Int32Array(count), new Int32Array(count)];
    kernel.dots(query, rest, count, dots);
    const unsigned = Uint8Array.from(rows);
    kernel.hammingDistances(unsigned.subarray(0, stride), unsigned.subarray(stride), count, differences);
    return { dots, differences };
  };

  it('the SIMD kernel gives the results of the JavaScript kernel', () => {
    const shapes = fc.record({
      blocks: fc.integer({ min: 1, max: 6 }),
      count: fc.integer({ min: 0, max: 9 }),
    });
    fc.assert(
      fc.property(
        shapes.chain((shape) => fc.tuple(fc.constant(shape), numbers(16 * shape.blocks * (shape.count + 1)))),
        ([{ blocks, count }, bytes]) => {
          const stride = 16 * blocks;
          expect(run(vectorKernel, stride, bytes, count)).toEqual(run(plainKernel, stride, bytes, count));
        },
      ),
    );
  });

  it('both kernels agree for extreme values, the widest rows and more rows than fit into its memory', () => {
    for (const [stride, count] of [
      [8_192, 70],
      [16, 20_000],
    ] as const) {
      const bytes = new Array<number>(stride * (count + 1)).fill(-128);
      expect(run(vectorKernel, stride, bytes, count)).toEqual(run(plainKernel, stride, bytes, count));
    }
  });
});

describe('a table of vectors', () => {
  it('scores equal the cosine of two vectors, also for dimensions that are not a multiple of 16', () => {
    for (const dimensions of [1, 7, 16, 100, 384]) {
      const table = createVectorTable(dimensions);
      const [query, ...some] = randomVectors(40, dimensions);
      const vectors = some.map(quantise);
      fill(table, vectors);
      const all = table.scoreAll(query!);
      const expected = vectors.map((vector) => cosine(quantise(query!), vector));
      for (const [slot, value] of expected.entries()) expect(all[slot]).toBeCloseTo(value, 5);
      const slots = [3, 38, 0, 3];
      expect([...table.score(query!, slots)]).toEqual(slots.map((slot) => all[slot]));
    }
  });

  it('a slot keeps the vector set last, whatever happens to other slots', () => {
    const [query] = randomVectors(1, 24);
    const step = fc.record({
      slot: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 2_000 })),
      vector: fc.option(numbers(24)),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const table = createVectorTable(24);
        const model = new Map<number, QuantisedVector>();
        for (const { slot, vector } of steps) {
          model.delete(slot);
          const isVector = vector?.some((byte) => byte !== 0) ?? false;
          if (vector) expect(table.set(slot, Int8Array.from(vector))).toBe(isVector);
          else table.clear(slot);
          if (isVector) model.set(slot, Int8Array.from(vector!));
        }
        expect(table.size).toBe(model.size);
        expect(table.bytes === 0).toBe(model.size === 0);
        for (let slot = 0; slot <= 2_000; slot++) expect(table.has(slot)).toBe(model.has(slot));
        const expected = [...model.keys()].sort((a, b) => a - b);
        const found = table.nearest(query!, 5_000);
        expect([...found.slots].sort((a, b) => a - b)).toEqual(expected);
        const scores = table.score(query!, expected);
        for (const [at, slot] of expected.entries())
          expect(scores[at]).toBeCloseTo(cosine(quantise(query!), model.get(slot)!), 5);
      }),
      { numRuns: 50 },
    );
  });

  it('nearest returns the nearest slots in order, of equals the lower slot first', () => {
    const table = createVectorTable(48);
    const vectors = randomVectors(1_500, 48).map(quantise);
    for (const slot of [3, 700, 701]) vectors[slot] = vectors[1_200]!;
    fill(table, vectors);
    const query = Float32Array.from(vectors[1_200]!);
    const { slots, cosines } = table.nearest(query, 20);
    expect([...slots.subarray(0, 4)]).toEqual([3, 700, 701, 1_200]);
    expect([...slots]).toEqual(
      bySimilarity(vectors[1_200]!, vectors)
        .slice(0, 20)
        .map(({ slot }) => slot),
    );
    expect([...cosines]).toEqual([...cosines].sort((a, b) => b - a));
    expect(table.nearest(query, 0).slots).toHaveLength(0);
  });

  it('a zero query or one of other dimensions finds nothing', () => {
    const table = createVectorTable(8);
    table.set(
      0,
      Int8Array.from({ length: 8 }, () => 1),
    );
    expect(table.set(0, Int8Array.of(1, 2))).toBe(false);
    expect(table.has(0)).toBe(false);
    table.set(
      1,
      Int8Array.from({ length: 8 }, () => 1),
    );
    for (const query of [new Float32Array(8), new Float32Array(9).fill(1), new Float32Array(0)]) {
      expect(table.nearest(query, 3).slots).toHaveLength(0);
      expect([...table.score(query, [0, 1])]).toEqual([0, 0]);
      expect(table.scoreAll(query).every((cosine) => cosine === 0)).toBe(true);
    }
  });

  it('nearest finds the right slot in a large table, where sign bits prefilter', () => {
    const dimensions = 64;
    const table = createVectorTable(dimensions);
    const vectors = randomVectors(21_000, dimensions);
    fill(table, vectors.map(quantise));
    table.clear(20_500);
    const noise = randomVectors(1, dimensions)[0]!;
    for (const slot of [0, 511, 512, 10_000, 20_999]) {
      const query = vectors[slot]!.map((x, i) => x + 0.2 * noise[i]!);
      expect(table.nearest(query, 3).slots[0]).toBe(slot);
    }
    expect(table.nearest(vectors[20_500]!, 50).slots).not.toContain(20_500);
  });
});
