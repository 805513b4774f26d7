import { quantise } from '../packages/helmdeck/src/recall/vectors/quantised.ts';
import { plainKernel, vectorKernel } from '../packages/helmdeck/src/recall/vectors/vector-kernel.ts';
import { createVectorTable, type VectorTable } from '../packages/helmdeck/src/recall/vectors/vector-table.ts';
import { createRandom } from './made-up-facts.ts';

// Compares the SIMD kernel of vector search with its JavaScript fallback: npm run bench:recall -- --kernel.

const DIMENSIONS = 384;
const QUERIES = 50;
const WARM_UP_QUERIES = 10;
/** As many neighbours as a search asks for. */
const NEAREST = 200;

const random = createRandom();
const randomVector = () => Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);

const median = (times: number[]) => times.sort((a, b) => a - b)[times.length >> 1]!;
const round = (number: number) => Math.round(number * 100) / 100;

/** Per query, the median time of scoring every vector, and of finding the nearest as a search does. */
export function compareKernels(vectors: number) {
  const tables = [createVectorTable(DIMENSIONS, plainKernel), createVectorTable(DIMENSIONS, vectorKernel)];
  for (let slot = 0; slot < vectors; slot++) {
    const vector = quantise(randomVector());
    for (const table of tables) table.set(slot, vector);
  }
  const compare = (search: (table: VectorTable, query: Float32Array) => unknown) => {
    const times = tables.map((): number[] => []);
    for (let number = 0; number < QUERIES; number++) {
      const query = randomVector();
      for (const [at, table] of tables.entries()) {
        const startMs = performance.now();
        search(table, query);
        if (number >= WARM_UP_QUERIES) times[at]!.push(performance.now() - startMs);
      }
    }
    const [plainMs, simdMs] = times.map(median) as [number, number];
    return { plainMs: round(plainMs), simdMs: round(simdMs), ratio: round(plainMs / simdMs) };
  };
  const all = compare((table, query) => table.scoreAll(query));
  const nearest = compare((table, query) => table.nearest(query, NEAREST));
  return {
    vectors,
    'score all, JavaScript ms': all.plainMs,
    'score all, SIMD ms': all.simdMs,
    'score all, ratio': all.ratio,
    'nearest, JavaScript ms': nearest.plainMs,
    'nearest, SIMD ms': nearest.simdMs,
    'nearest, ratio': nearest.ratio,
  };
}
