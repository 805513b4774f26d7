import { inverseLength, type QuantisedVector, quantise, writeSigns } from './quantised.ts';
import { type VectorKernel, vectorKernel } from './vector-kernel.ts';
import { createVectorPages, PAGE_ROWS, type VectorPages } from './vector-pages.ts';

/** The quantised vectors of one image by slot (its document number), and nearest-neighbour search over them. */
export interface VectorTable {
  readonly dimensions: number;
  /** Slots that have a vector. */
  readonly size: number;
  readonly bytes: number;
  has(slot: number): boolean;
  get(slot: number): QuantisedVector | undefined;
  /** Returns false and clears the slot for a vector of other dimensions or of zeros. */
  set(slot: number, vector: QuantisedVector): boolean;
  clear(slot: number): void;
  /** The cosine of each of these slots with the query; 0 for an empty one. */
  score(query: Float32Array, slots: ArrayLike<number>): Float32Array;
  /** The cosine of every slot up to at least the highest one in use; 0 for an empty one. */
  scoreAll(query: Float32Array): Float32Array;
  /** The slots nearest to the query, nearest first, of equals the lower slot; approximate above 20,000 vectors. */
  nearest(query: Float32Array, limit: number): NearestSlots;
}

export interface NearestSlots {
  slots: Uint32Array;
  cosines: Float32Array;
}

/** Above this many vectors, only those whose sign bits are closest to the query's are scored. */
const PREFILTER_ABOVE = 20_000;
/** How many those are: the largest of this number, this many per hit, and this share of the table. */
const MIN_CANDIDATES = 2_048;
const CANDIDATES_PER_HIT = 20;
const CANDIDATE_SHARE = 1 / 100;

/** All vectors have this many dimensions; a query of others finds nothing. Benchmarks pass the kernel to measure. */
export function createVectorTable(dimensions: number, kernel: VectorKernel = vectorKernel): VectorTable {
  const vectors = createVectorPages(dimensions);
  return {
    dimensions,
    get size() {
      return vectors.size;
    },
    get bytes() {
      return vectors.bytes;
    },
    has: (slot) => vectors.inverseAt(slot) !== 0,
    get: (slot) =>
      vectors.inverseAt(slot) === 0 ? undefined : new Int8Array(vectors.rowAt(slot).subarray(0, dimensions)),
    set: vectors.set,
    clear: vectors.clear,
    score(query, slots) {
      const quantised = quantiseQuery(query, vectors);
      return quantised ? scoreSlots(kernel, vectors, quantised, slots) : new Float32Array(slots.length);
    },
    scoreAll(query) {
      const quantised = quantiseQuery(query, vectors);
      return quantised
        ? scoreAll(kernel, vectors, quantised)
        : new Float32Array(vectors.pages.length * PAGE_ROWS);
    },
    nearest(query, limit) {
      const quantised = quantiseQuery(query, vectors);
      if (!quantised || vectors.size === 0)
        return { slots: new Uint32Array(0), cosines: new Float32Array(0) };
      const slots =
        vectors.size > PREFILTER_ABOVE
          ? closestBySigns(kernel, vectors, quantised, candidateCount(vectors.size, limit))
          : undefined;
      if (!slots)
        return highest(scoreAll(kernel, vectors, quantised), limit, (slot) => vectors.inverseAt(slot) !== 0);
      const found = highest(scoreSlots(kernel, vectors, quantised, slots), limit, () => true);
      return { slots: found.slots.map((at) => slots[at]!), cosines: found.cosines };
    },
  };
}

const candidateCount = (size: number, limit: number) =>
  Math.max(MIN_CANDIDATES, limit * CANDIDATES_PER_HIT, Math.ceil(size * CANDIDATE_SHARE));

/** A query in the format of the rows. */
interface QuantisedQuery {
  row: Int8Array;
  signs: Uint8Array;
  inverse: number;
}

function quantiseQuery(
  query: Float32Array,
  { dimensions, stride, signStride }: VectorPages,
): QuantisedQuery | undefined {
  if (query.length !== dimensions) return undefined;
  const vector = quantise(query);
  const inverse = inverseLength(vector);
  if (inverse === 0) return undefined;
  const row = new Int8Array(stride);
  row.set(vector);
  const signs = new Uint8Array(signStride);
  writeSigns(vector, signs);
  return { row, signs, inverse };
}

/** The kernel's output for one page; shared, because no caller awaits while it uses it. */
const output = new Int32Array(PAGE_ROWS);

function scoreAll(kernel: VectorKernel, { pages }: VectorPages, query: QuantisedQuery): Float32Array {
  const cosines = new Float32Array(pages.length * PAGE_ROWS);
  pages.forEach((page, index) => {
    if (!page) return;
    const { inverse, rows } = page;
    kernel.dots(query.row, rows, inverse.length, output);
    const first = index * PAGE_ROWS;
    for (let row = 0; row < inverse.length; row++)
      cosines[first + row] = output[row]! * inverse[row]! * query.inverse;
  });
  return cosines;
}

function scoreSlots(
  kernel: VectorKernel,
  vectors: VectorPages,
  query: QuantisedQuery,
  slots: ArrayLike<number>,
): Float32Array {
  const { stride } = vectors;
  const cosines = new Float32Array(slots.length);
  const rows = new Int8Array(Math.min(PAGE_ROWS, slots.length) * stride);
  for (let first = 0; first < slots.length; first += PAGE_ROWS) {
    const count = Math.min(PAGE_ROWS, slots.length - first);
    for (let i = 0; i < count; i++) {
      const slot = slots[first + i]!;
      // An empty slot leaves the previous row in place; its score is multiplied by 0.
      if (vectors.inverseAt(slot) !== 0) rows.set(vectors.rowAt(slot), i * stride);
    }
    kernel.dots(query.row, rows, count, output);
    for (let i = 0; i < count; i++)
      cosines[first + i] = output[i]! * vectors.inverseAt(slots[first + i]!) * query.inverse;
  }
  return cosines;
}

/** The `wanted` slots with the smallest Hamming distance of sign bits to the query, and those tied with the last. */
function closestBySigns(
  kernel: VectorKernel,
  { pages, dimensions, inverseAt }: VectorPages,
  query: QuantisedQuery,
  wanted: number,
): Uint32Array {
  const distances = new Uint16Array(pages.length * PAGE_ROWS);
  const counts = new Uint32Array(dimensions + 1);
  pages.forEach((page, index) => {
    if (!page) return;
    const { inverse, signs } = page;
    kernel.hammingDistances(query.signs, signs, inverse.length, output);
    distances.set(output.subarray(0, inverse.length), index * PAGE_ROWS);
    for (let row = 0; row < inverse.length; row++) if (inverse[row] !== 0) counts[output[row]!]!++;
  });
  let maxDistance = 0;
  let found = counts[0]!;
  while (found < wanted && maxDistance < dimensions) found += counts[++maxDistance]!;
  const slots = new Uint32Array(found);
  let next = 0;
  for (let slot = 0; slot < distances.length; slot++)
    if (distances[slot]! <= maxDistance && inverseAt(slot) !== 0) slots[next++] = slot;
  return slots;
}

const HISTOGRAM_BUCKETS = 2_048;
const bucketOf = (cosine: number) =>
  Math.min(HISTOGRAM_BUCKETS - 1, Math.max(0, ((cosine + 1) * HISTOGRAM_BUCKETS) >> 1));

/** The positions of the highest cosines, highest first, of equals the lower one. A histogram keeps the sort small. */
function highest(cosines: Float32Array, limit: number, isThere: (at: number) => boolean): NearestSlots {
  const counts = new Uint32Array(HISTOGRAM_BUCKETS);
  for (let at = 0; at < cosines.length; at++) counts[bucketOf(cosines[at]!)]!++;
  let lowest = HISTOGRAM_BUCKETS - 1;
  for (let found = counts[lowest]!; found < limit && lowest > 0; ) found += counts[--lowest]!;
  // Empty slots were counted with a cosine of 0: a limit that reaches their bucket sorts everything.
  if (lowest <= bucketOf(0)) lowest = 0;
  const positions: number[] = [];
  for (let at = 0; at < cosines.length; at++)
    if (bucketOf(cosines[at]!) >= lowest && isThere(at)) positions.push(at);
  positions.sort((a, b) => cosines[b]! - cosines[a]! || a - b);
  const slots = Uint32Array.from(positions.slice(0, Math.max(0, limit)));
  return { slots, cosines: Float32Array.from(slots, (at) => cosines[at]!) };
}
