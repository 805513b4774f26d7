import {
  ADD_32,
  ADD_FLOAT,
  type Code,
  countDown,
  DOT_16,
  get,
  i32,
  increase,
  load,
  loadFloat,
  loadWidened,
  MULTIPLY,
  MULTIPLY_FLOAT,
  repeat,
  set,
  storeFloat,
  sumOf,
  TO_FLOAT,
  type WasmFunction,
  ZERO,
} from '../wasm-assembler.ts';

// Products of integer matrices in WebAssembly SIMD (128-bit), where nearly all the time of the model goes.
//
// The product of A and the transpose of B is computed in tiles of four rows of A by two of B, so that each value that is
// loaded is used several times. Both are stored in the order in which the tiles read them (`packedIndex`): steps of eight
// columns, and in each the rows of the tile one after another.

/** Rows of A in a tile. */
export const A_ROWS = 4;
/** Rows of B in a tile. */
export const B_ROWS = 2;
/** Columns of a step: eight int16 fill a vector. */
export const STEP = 8;

/** Where the value of a row and column is, in a matrix packed for tiles of `tileRows` rows. */
export const packedIndex = (row: number, column: number, columns: number, tileRows: number) => {
  const inTile = row % tileRows;
  return (row - inTile) * columns + (column - (column % STEP)) * tileRows + inTile * STEP + (column % STEP);
};

/**
 * Multiplies packed matrices: rows of A by rows of B, each product times the scales of its two rows, plus the bias of the
 * row of B. All but the last four are byte offsets; the product is of floats.
 */
export type Multiply = (
  a: number,
  b: number,
  aScales: number,
  bScales: number,
  bias: number,
  out: number,
  aTiles: number,
  bTiles: number,
  steps: number,
  outRowBytes: number,
) => void;

const [A, B, A_SCALES, B_SCALES, BIAS, OUT, A_TILES, B_TILES, STEPS, OUT_ROW_BYTES] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
];
const [A_AT, B_AT, OUT_AT, SCALE_AT, TILES_LEFT, STEPS_LEFT] = [10, 11, 12, 13, 14, 15];
const FIRST_VECTOR = 16;
const sumAt = (aRow: number, bRow: number) => FIRST_VECTOR + aRow * B_ROWS + bRow;
const bVector = (bRow: number) => FIRST_VECTOR + A_ROWS * B_ROWS + bRow;
const A_VECTOR = bVector(B_ROWS);

const SHORT_BYTES = 2;
const WORD_BYTES = 4;
const aRows = Array.from({ length: A_ROWS }, (_, row) => row);
const bRows = Array.from({ length: B_ROWS }, (_, row) => row);

/** Multiplies one step of a tile: every row of A with every row of B. */
function step(bBytes: number, loadB: (offset: number) => Code): Code {
  return [
    ...bRows.flatMap((row) => [...get(B_AT), ...loadB(row * STEP * bBytes), ...set(bVector(row))]),
    ...aRows.flatMap((aRow) => [
      ...get(A_AT),
      ...load(aRow * STEP * SHORT_BYTES),
      ...set(A_VECTOR),
      ...bRows.flatMap((bRow) => [
        ...get(sumAt(aRow, bRow)),
        ...get(A_VECTOR),
        ...get(bVector(bRow)),
        ...DOT_16,
        ...ADD_32,
        ...set(sumAt(aRow, bRow)),
      ]),
    ]),
    ...increase(A_AT, i32(A_ROWS * STEP * SHORT_BYTES)),
    ...increase(B_AT, i32(B_ROWS * STEP * bBytes)),
  ];
}

/** Scales the sum of a row of A and a row of B, adds the bias and stores it. */
const finish = (aRow: number, bRow: number): Code => [
  ...get(OUT_AT),
  ...sumOf(sumAt(aRow, bRow)),
  ...TO_FLOAT,
  ...[...get(SCALE_AT), ...loadFloat(aRow * WORD_BYTES), ...MULTIPLY_FLOAT],
  ...[...get(B_SCALES), ...loadFloat(bRow * WORD_BYTES), ...MULTIPLY_FLOAT],
  ...[...get(BIAS), ...loadFloat(bRow * WORD_BYTES), ...ADD_FLOAT],
  ...storeFloat(bRow * WORD_BYTES),
];

const tile = (oneStep: Code): Code => [
  ...[...get(B), ...set(B_AT)],
  ...[...get(STEPS), ...set(STEPS_LEFT)],
  ...aRows.flatMap((aRow) => bRows.flatMap((bRow) => [...ZERO, ...set(sumAt(aRow, bRow))])),
  ...repeat([...oneStep, ...countDown(STEPS_LEFT)]),
  ...aRows.flatMap((aRow) => [
    ...bRows.flatMap((bRow) => finish(aRow, bRow)),
    ...increase(OUT_AT, get(OUT_ROW_BYTES)),
  ]),
  ...increase(SCALE_AT, i32(A_ROWS * WORD_BYTES)),
];

/** For each tile of B, which then stays in the nearest cache, goes through all of A. */
function multiply(name: string, bBytes: number, loadB: (offset: number) => Code): WasmFunction {
  const allOfA: Code = [
    ...[...get(A), ...set(A_AT)],
    ...[...get(OUT), ...set(OUT_AT)],
    ...[...get(A_SCALES), ...set(SCALE_AT)],
    ...[...get(A_TILES), ...set(TILES_LEFT)],
    ...repeat([...tile(step(bBytes, loadB)), ...countDown(TILES_LEFT)]),
    ...increase(B, [...get(STEPS), ...i32(B_ROWS * STEP * bBytes), ...MULTIPLY]),
    ...increase(B_SCALES, i32(B_ROWS * WORD_BYTES)),
    ...increase(BIAS, i32(B_ROWS * WORD_BYTES)),
    ...increase(OUT, i32(B_ROWS * WORD_BYTES)),
    ...countDown(B_TILES),
  ];
  return { name, parameters: 10, integers: 6, vectors: A_VECTOR - FIRST_VECTOR + 1, code: repeat(allOfA) };
}

/** The products with a B of int8, such as weights, and of int16, such as keys. */
export const MULTIPLY_BYTES = multiply('multiplyBytes', 1, loadWidened);
export const MULTIPLY_SHORTS = multiply('multiplyShorts', SHORT_BYTES, load);
