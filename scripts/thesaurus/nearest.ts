import type { Row } from './encode-table.ts';
import type { Entry } from './vocabulary.ts';

// Finds the synonyms of each stem: the stems whose vectors have the highest cosine.

const MAX_NEIGHBOURS = 10;
export const MIN_SIMILARITY = 0.5;

/** One sense of a stem as a unit vector. */
export interface Sense {
  stem: string;
  common: boolean;
  vector: Float64Array;
}

/** Each sense is the normalised mean of its texts' vectors, which evens out the differences between inflections. */
export function senseVectors(
  entries: readonly Entry[],
  vectorOf: ReadonlyMap<string, Float32Array>,
): Sense[] {
  return entries.flatMap(({ stem, common, senses }) =>
    senses.map((texts) => {
      const vector = new Float64Array(vectorOf.get(texts[0]!)!.length);
      for (const text of texts) {
        vectorOf.get(text)!.forEach((value, at) => {
          vector[at]! += value;
        });
      }
      const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
      return { stem, common, vector: vector.map((value) => value / length) };
    }),
  );
}

/** The synonyms of each stem that has any; the similarity of two stems is that of their closest senses. */
export function nearestRows(
  senses: readonly Sense[],
  onProgress: (done: number) => void = () => {},
): Map<string, Row> {
  const candidates = senses.filter((sense) => sense.common);
  const found = new Map<string, Map<string, number>>(senses.map(({ stem }) => [stem, new Map()]));
  const products = new Float64Array(4);
  // Four senses at a time, because memory bandwidth is the bottleneck.
  for (let first = 0; first < senses.length; first += 4) {
    const group = senses.slice(first, first + 4);
    const at = (offset: number) => (group[offset] ?? group[0]!).vector;
    const four: Four = [at(0), at(1), at(2), at(3)];
    for (const candidate of candidates) {
      dotProducts(four, candidate.vector, products);
      group.forEach(({ stem }, offset) => {
        const similarity = Math.min(1, products[offset]!);
        if (similarity < MIN_SIMILARITY || candidate.stem === stem) return;
        const near = found.get(stem)!;
        near.set(candidate.stem, Math.max(similarity, near.get(candidate.stem) ?? 0));
      });
    }
    onProgress(first + group.length);
  }
  const rows = new Map<string, Row>();
  for (const [stem, near] of found) if (near.size > 0) rows.set(stem, best(near));
  return rows;
}

function best(near: ReadonlyMap<string, number>): Row {
  return [...near]
    .map(([stem, similarity]) => ({ stem, similarity }))
    .sort((a, b) => b.similarity - a.similarity || (a.stem < b.stem ? -1 : 1))
    .slice(0, MAX_NEIGHBOURS);
}

type Four = readonly [Float64Array, Float64Array, Float64Array, Float64Array];

function dotProducts([a, b, c, d]: Four, other: Float64Array, into: Float64Array): void {
  let toA = 0;
  let toB = 0;
  let toC = 0;
  let toD = 0;
  for (let at = 0; at < other.length; at++) {
    const value = other[at]!;
    toA += a[at]! * value;
    toB += b[at]! * value;
    toC += c[at]! * value;
    toD += d[at]! * value;
  }
  into[0] = toA;
  into[1] = toB;
  into[2] = toC;
  into[3] = toD;
}
