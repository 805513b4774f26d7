import { describe, expect, it } from 'vitest';
import { unitVector } from './embedder.ts';
import { cosine, inverseLength, packVector, quantise, unpackVector, writeSigns } from './quantised.ts';

/** Pseudorandom vectors, the same in every run. */
function vectors(count: number, dimensions: number, seed = 1): Float32Array[] {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2_147_483_648 - 1;
  };
  return Array.from({ length: count }, () => unitVector(Float32Array.from({ length: dimensions }, next))!);
}

const exactCosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);

describe('quantised vectors', () => {
  it('quantising changes a cosine by less than 0.01', () => {
    const many = vectors(40, 384);
    for (const a of many)
      for (const b of many)
        expect(Math.abs(cosine(quantise(a), quantise(b)) - exactCosine(a, b))).toBeLessThan(0.01);
  });

  it('the cosine of a vector with a scaled copy is one', () => {
    const [vector] = vectors(1, 100);
    const twice = vector!.map((x) => 2 * x);
    expect(cosine(quantise(vector!), quantise(twice))).toBeCloseTo(1, 6);
    expect(cosine(quantise(vector!), quantise(vector!.map((x) => -x)))).toBeCloseTo(-1, 6);
  });

  it('the cosine with a zero vector or one of other dimensions is 0', () => {
    const zeros = quantise(new Float32Array(4));
    expect(inverseLength(zeros)).toBe(0);
    expect(cosine(zeros, zeros)).toBe(0);
    expect(cosine(Int8Array.of(1, 2), Int8Array.of(1, 2, 3))).toBe(0);
  });
});

describe('packed vectors', () => {
  it('a packed vector is unpacked unchanged', () => {
    for (const vector of vectors(5, 384).map(quantise))
      expect(unpackVector(packVector(vector))).toEqual(vector);
    expect(unpackVector(packVector(Int8Array.of(-128, -1, 0, 127)))).toEqual(Int8Array.of(-128, -1, 0, 127));
  });

  it('a view into a larger buffer is packed without the rest of the buffer', () => {
    const inside = Int8Array.of(9, 1, 2, 9).subarray(1, 3);
    expect(unpackVector(packVector(inside))).toEqual(Int8Array.of(1, 2));
  });

  it.each(['', 'AAAA', '!!!!', 'AQI', 'AQ==x', 'not base64 at all'])(
    'unpacking %j gives undefined',
    (text) => {
      expect(unpackVector(text)).toBeUndefined();
    },
  );
});

it('writeSigns sets one bit for each positive component', () => {
  const into = new Uint8Array(16).fill(255);
  writeSigns(Int8Array.of(1, -1, 0, 127, -128, 5, 0, 0, 3), into);
  expect([...into.subarray(0, 2)]).toEqual([0b00101001, 1]);
  expect(into.subarray(2).every((byte) => byte === 0)).toBe(true);
});
