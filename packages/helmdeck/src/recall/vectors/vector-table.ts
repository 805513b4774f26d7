import { inverseLength, type QuantisedVector, quantise, writeSigns } from './quantised.ts';
import { vectorKernel } from './vector-kernel.ts';
import { createVectorPages, PAGE_ROWS, type VectorPages } from './vector-pages.ts';

/** The vectors of one search image by slot, and what is near to a query. */
export interface VectorTable {
  readonly dimensions: number;
  /** Slots that have a vector. */
  readonly size: number;
  /** What it occupies in memory. */
  readonly bytes: number;
  has(slot: number): boolean;
  get(slot: number): QuantisedVector | undefined;
  /** False, and the slot is empty, for a vector of another dimension or without a direction. */
  set(slot: number, vector: QuantisedVector): boolean;
  clear(slot: number): void;
  /** The cosine of each of these slots with the query; 0 where there is no vector. */
  score(query: Float32Array, slots: ArrayLike<number>): Float32Array;
  /** The cosine of every slot, by slot and at least up to the highest one in use; 0 where there is no vector. */
  scoreAll(query: Float32Array): Float32Array;
  /** The slots nearest to the query, nearest first, of equals the lower slot; above 20,000 vectors nearly always those. */
  nearest(query: Float32Array, limit: number): Neighbours;
}

export interface Neighbours {
  slots: Uint32Array;
  cosines: Float32Array;
}

/** Above this many vectors only those whose signs agree best with the query are looked at. */
const PREFILTER_ABOVE = 20_000;
/** How many those are: at least so many, and so many for each hit, and this share of a very large table. */
const MIN_CANDIDATES = 2_048;
const CANDIDATES_PER_HIT = 20;
const CANDIDATE_SHARE = 1 / 100;

/** Every vector in it has this many dimensions; a query of another has no neighbours. */
export function createVectorTable(dimensions: number): VectorTable {
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
      const asked = questionOf(query, vectors);
      return asked ? scoreSome(vectors, asked, slots) : new Float32Array(slots.length);
    },
    scoreAll(query) {
      const asked = questionOf(query, vectors);
      return asked ? scoreEach(vectors, asked) : new Float32Array(vectors.pages.length * PAGE_ROWS);
    },
    nearest(query, limit) {
      const asked = questionOf(query, vectors);
      if (!asked || vectors.size === 0) return { slots: new Uint32Array(0), cosines: new Float32Array(0) };
      const slots =
        vectors.size > PREFILTER_ABOVE
          ? likelyNear(vectors, asked, candidateCount(vectors.size, limit))
          : undefined;
      if (!slots) return highest(scoreEach(vectors, asked), limit, (slot) => vectors.inverseAt(slot) !== 0);
      const found = highest(scoreSome(vectors, asked, slots), limit, () => true);
      return { slots: found.slots.map((at) => slots[at]!), cosines: found.cosines };
    },
  };
}

const candidateCount = (size: number, limit: number) =>
  Math.max(MIN_CANDIDATES, limit * CANDIDATES_PER_HIT, Math.ceil(size * CANDIDATE_SHARE));

/** A query in the form of the rows. */
interface Question {
  row: Int8Array;
  signs: Uint8Array;
  inverse: number;
}

function questionOf(
  query: Float32Array,
  { dimensions, stride, signStride }: VectorPages,
): Question | undefined {
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

/** What the kernel answers for one page; its users are done with it before anybody else runs. */
const answers = new Int32Array(PAGE_ROWS);

function scoreEach({ pages }: VectorPages, asked: Question): Float32Array {
  const cosines = new Float32Array(pages.length * PAGE_ROWS);
  pages.forEach((page, index) => {
    if (!page) return;
    const { inverse, rows } = page;
    vectorKernel.dots(asked.row, rows, inverse.length, answers);
    const first = index * PAGE_ROWS;
    for (let row = 0; row < inverse.length; row++)
      cosines[first + row] = answers[row]! * inverse[row]! * asked.inverse;
  });
  return cosines;
}

function scoreSome(vectors: VectorPages, asked: Question, slots: ArrayLike<number>): Float32Array {
  const { stride } = vectors;
  const cosines = new Float32Array(slots.length);
  const rows = new Int8Array(Math.min(PAGE_ROWS, slots.length) * stride);
  for (let first = 0; first < slots.length; first += PAGE_ROWS) {
    const count = Math.min(PAGE_ROWS, slots.length - first);
    for (let i = 0; i < count; i++) {
      const slot = slots[first + i]!;
      // Without a vector an old row stays there; its score is multiplied with 0.
      if (vectors.inverseAt(slot) !== 0) rows.set(vectors.rowAt(slot), i * stride);
    }
    vectorKernel.dots(asked.row, rows, count, answers);
    for (let i = 0; i < count; i++)
      cosines[first + i] = answers[i]! * vectors.inverseAt(slots[first + i]!) * asked.inverse;
  }
  return cosines;
}

/** The slots whose signs differ least from those of the query: `wanted` of them, and those that differ as much. */
function likelyNear(
  { pages, dimensions, inverseAt }: VectorPages,
  asked: Question,
  wanted: number,
): Uint32Array {
  const differences = new Uint16Array(pages.length * PAGE_ROWS);
  const counts = new Uint32Array(dimensions + 1);
  pages.forEach((page, index) => {
    if (!page) return;
    const { inverse, signs } = page;
    vectorKernel.differences(asked.signs, signs, inverse.length, answers);
    differences.set(answers.subarray(0, inverse.length), index * PAGE_ROWS);
    for (let row = 0; row < inverse.length; row++) if (inverse[row] !== 0) counts[answers[row]!]!++;
  });
  let most = 0;
  let found = counts[0]!;
  while (found < wanted && most < dimensions) found += counts[++most]!;
  const slots = new Uint32Array(found);
  let next = 0;
  for (let slot = 0; slot < differences.length; slot++)
    if (differences[slot]! <= most && inverseAt(slot) !== 0) slots[next++] = slot;
  return slots;
}

const BUCKETS = 2_048;
const bucketOf = (cosine: number) => Math.min(BUCKETS - 1, Math.max(0, ((cosine + 1) * BUCKETS) >> 1));

/** The positions of the highest values, highest first, of equals the lower position. Counts first, so that it sorts few. */
function highest(cosines: Float32Array, limit: number, isThere: (at: number) => boolean): Neighbours {
  const counts = new Uint32Array(BUCKETS);
  for (let at = 0; at < cosines.length; at++) counts[bucketOf(cosines[at]!)]!++;
  let lowest = BUCKETS - 1;
  for (let found = counts[lowest]!; found < limit && lowest > 0; ) found += counts[--lowest]!;
  // Holes were counted with a cosine of 0: whoever asks for as many as that gets everything sorted.
  if (lowest <= bucketOf(0)) lowest = 0;
  const positions: number[] = [];
  for (let at = 0; at < cosines.length; at++)
    if (bucketOf(cosines[at]!) >= lowest && isThere(at)) positions.push(at);
  positions.sort((a, b) => cosines[b]! - cosines[a]! || a - b);
  const slots = Uint32Array.from(positions.slice(0, Math.max(0, limit)));
  return { slots, cosines: Float32Array.from(slots, (at) => cosines[at]!) };
}
