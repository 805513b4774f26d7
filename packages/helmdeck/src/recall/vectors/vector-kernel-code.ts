import {
  ADD,
  ADD_32,
  assemble,
  type Code,
  countDown,
  DOT_16,
  get,
  IS_ZERO,
  i32,
  increase,
  load,
  loadWidened,
  NOT_EQUAL,
  PAIRS_OF_16,
  PAIRS_OF_BYTES,
  POP_COUNT,
  RETURN,
  repeat,
  set,
  store,
  sumOf,
  when,
  XOR,
  ZERO,
} from './wasm-assembler.ts';

// The WebAssembly of the vector kernel, about sixty instructions.

/** The parameters of both functions, then their locals. */
const [QUERY, ROW, STRIDE, COUNT, OUT, QUERY_AT, ROW_END, SUM] = [0, 1, 2, 3, 4, 5, 6, 7];
const ROW_STEP = 16;

/** For each row: sums the result of `step` over its blocks of sixteen bytes, and stores the sum. */
function overRows(step: Code, queryStep: number): Code {
  const oneStep: Code = [
    ...get(SUM),
    ...step,
    ...ADD_32,
    ...set(SUM),
    ...increase(QUERY_AT, i32(queryStep)),
    ...increase(ROW, i32(ROW_STEP)),
    ...get(ROW),
    ...get(ROW_END),
    ...NOT_EQUAL,
  ];
  const oneRow: Code = [
    ...get(QUERY),
    ...set(QUERY_AT),
    ...get(ROW),
    ...get(STRIDE),
    ...ADD,
    ...set(ROW_END),
    ...ZERO,
    ...set(SUM),
    ...repeat(oneStep),
    ...get(OUT),
    ...sumOf(SUM),
    ...store(),
    ...increase(OUT, i32(4)),
    ...countDown(COUNT),
  ];
  return [...get(COUNT), ...IS_ZERO, ...when(RETURN), ...repeat(oneRow)];
}

const DOTS = overRows(
  [
    ...get(ROW),
    ...loadWidened(),
    ...get(QUERY_AT),
    ...load(),
    ...DOT_16,
    ...get(ROW),
    ...loadWidened(8),
    ...get(QUERY_AT),
    ...load(16),
    ...DOT_16,
    ...ADD_32,
  ],
  2 * ROW_STEP,
);

const HAMMING_DISTANCES = overRows(
  [
    ...get(ROW),
    ...load(),
    ...get(QUERY_AT),
    ...load(),
    ...XOR,
    ...POP_COUNT,
    ...PAIRS_OF_BYTES,
    ...PAIRS_OF_16,
  ],
  ROW_STEP,
);

const kernelFunction = (name: string, code: Code) => ({ name, parameters: 5, integers: 2, vectors: 1, code });

/** A module that imports a memory as `env.memory` and exports `dots` and `hammingDistances`. */
export const simdModule = () =>
  assemble(kernelFunction('dots', DOTS), kernelFunction('hammingDistances', HAMMING_DISTANCES));
