import { createEncoderKernel, MAX_SHORT } from './encoder-kernel.ts';
import { A_ROWS, B_ROWS, packedIndex, STEP } from './matmul.ts';
import { quantiseMatrix, type Tensors } from './weights.ts';

// The forward pass of all-MiniLM-L6-v2, a BERT of six layers. Weights are int8 and activations int16, each row with a scale
// of its own; sums, norms and softmax are floats. ADR 53 has what that costs and saves.

const LAYERS = 6;
const HEADS = 12;
const WIDTH = 384;
const HEAD_WIDTH = WIDTH / HEADS;
const INNER_WIDTH = 4 * WIDTH;
const VOCABULARY = 30_522;
const POSITIONS = 512;
const NORM_EPSILON = 1e-12;
/** The most tokens of a text, a multiple of the kernel's steps. */
export const MAX_TOKENS = 128;

export interface Encoder {
  /** The vector of a text's tokens, at most `MAX_TOKENS`; not of length one. */
  encode(tokens: readonly number[]): Float32Array;
}

/** A weight matrix in the kernel's memory: where its rows, their scales and their biases are. */
interface Matrix {
  at: number;
  scales: number;
  bias: number;
  rows: number;
  columns: number;
}

/** A factor and an offset for each value of a row. */
interface Norm {
  weight: Float32Array;
  bias: Float32Array;
}

interface Layer {
  /** Query, key and value, one below the other. */
  attention: Matrix;
  output: Matrix;
  outputNorm: Norm;
  inner: Matrix;
  outer: Matrix;
  outerNorm: Norm;
}

const SHORT_BYTES = 2;
const FLOAT_BYTES = 4;
const LAYER_BYTES = WIDTH * (4 * WIDTH + 2 * INNER_WIDTH) + 2 * FLOAT_BYTES * (5 * WIDTH + INNER_WIDTH);
const WORKSPACE_BYTES = FLOAT_BYTES * MAX_TOKENS * (3 * WIDTH + INNER_WIDTH);
const OPERAND_BYTES = SHORT_BYTES * MAX_TOKENS * (INNER_WIDTH + WIDTH);
const OTHER_BYTES = FLOAT_BYTES * (MAX_TOKENS * MAX_TOKENS + 2 * MAX_TOKENS + WIDTH);
const MEMORY_BYTES = LAYERS * LAYER_BYTES + WORKSPACE_BYTES + OPERAND_BYTES + OTHER_BYTES;

/** Reads a model into a memory of its own; undefined where WebAssembly SIMD is not available. */
export function createEncoder(tensors: Tensors): Encoder | undefined {
  const instance = createEncoderKernel(MEMORY_BYTES);
  if (!instance) return undefined;
  const { exports: kernel, memory } = instance;
  let used = 0;

  // A copy, so that the rest of the file is not kept in memory.
  const words = tensors.get('embeddings.word_embeddings.weight', VOCABULARY, WIDTH).slice();
  const positions = tensors.get('embeddings.position_embeddings.weight', POSITIONS, WIDTH).slice();
  const segments = tensors.get('embeddings.token_type_embeddings.weight', 2, WIDTH).slice();
  const embeddingNorm = normOf('embeddings');
  const layers = Array.from({ length: LAYERS }, (_, number) => readLayer(`encoder.layer.${number}`));
  const [state, change, context] = [0, 0, 0].map(() => allocate(Float32Array, MAX_TOKENS * WIDTH)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const wide = allocate(Float32Array, MAX_TOKENS * INNER_WIDTH);
  /** The operands of a product, and the scales of their rows. */
  const first = allocate(Int16Array, MAX_TOKENS * INNER_WIDTH);
  const second = allocate(Int16Array, MAX_TOKENS * WIDTH);
  const fits = allocate(Float32Array, MAX_TOKENS * MAX_TOKENS);
  const firstScales = allocate(Float32Array, MAX_TOKENS);
  const secondScales = allocate(Float32Array, MAX_TOKENS);
  const noBias = allocate(Float32Array, WIDTH).byteOffset;

  /** The next part of the kernel's memory. */
  function allocate<T>(
    type: { new (memory: ArrayBuffer, start: number, length: number): T; BYTES_PER_ELEMENT: number },
    length: number,
  ): T {
    const start = used;
    used += length * type.BYTES_PER_ELEMENT;
    return new type(memory, start, length);
  }

  function readLayer(name: string): Layer {
    const self = `${name}.attention.self`;
    return {
      attention: matrixOf([`${self}.query`, `${self}.key`, `${self}.value`], WIDTH, WIDTH),
      output: matrixOf([`${name}.attention.output.dense`], WIDTH, WIDTH),
      outputNorm: normOf(`${name}.attention.output`),
      inner: matrixOf([`${name}.intermediate.dense`], INNER_WIDTH, WIDTH),
      outer: matrixOf([`${name}.output.dense`], WIDTH, INNER_WIDTH),
      outerNorm: normOf(`${name}.output`),
    };
  }

  function normOf(name: string): Norm {
    return {
      weight: Float32Array.from(tensors.get(`${name}.LayerNorm.weight`, WIDTH)),
      bias: Float32Array.from(tensors.get(`${name}.LayerNorm.bias`, WIDTH)),
    };
  }

  /** Reads matrices that have the same operand as one. */
  function matrixOf(names: string[], rowsEach: number, columns: number): Matrix {
    const rows = names.length * rowsEach;
    const weights = allocate(Int8Array, rows * columns);
    const scales = allocate(Float32Array, rows);
    const bias = allocate(Float32Array, rows);
    for (const [number, name] of names.entries()) {
      const start = number * rowsEach;
      const into = weights.subarray(start * columns, (start + rowsEach) * columns);
      scales.set(quantiseMatrix(tensors.get(`${name}.weight`, rowsEach, columns), columns, into), start);
      bias.set(tensors.get(`${name}.bias`, rowsEach), start);
    }
    return { at: weights.byteOffset, scales: scales.byteOffset, bias: bias.byteOffset, rows, columns };
  }

  /** Packs a row, `columns` floats from `start` on, as a row of the first or the second operand. */
  function packRow(
    from: Float32Array,
    start: number,
    columns: number,
    operand: Int16Array,
    row: number,
  ): void {
    const isFirst = operand === first;
    const tileRows = isFirst ? A_ROWS : B_ROWS;
    kernel.packRow(
      from.byteOffset + FLOAT_BYTES * start,
      operand.byteOffset + SHORT_BYTES * packedIndex(row, 0, columns, tileRows),
      columns / STEP,
      SHORT_BYTES * tileRows * STEP,
      (isFirst ? firstScales : secondScales).byteOffset + FLOAT_BYTES * row,
    );
  }

  /** Multiplies rows of floats with a matrix and adds its bias. */
  function multiply(rows: Float32Array, count: number, matrix: Matrix, into: Float32Array): void {
    const { at, scales, bias, columns } = matrix;
    for (let row = 0; row < count; row++) packRow(rows, row * columns, columns, first, row);
    kernel.multiplyBytes(
      first.byteOffset,
      at,
      firstScales.byteOffset,
      scales,
      bias,
      into.byteOffset,
      Math.ceil(count / A_ROWS),
      matrix.rows / B_ROWS,
      columns / STEP,
      FLOAT_BYTES * matrix.rows,
    );
  }

  /** Multiplies the two operands, which have `columns` columns. */
  function multiplyOperands(
    rows: number,
    secondRows: number,
    columns: number,
    into: number,
    rowFloats: number,
  ): void {
    kernel.multiplyShorts(
      first.byteOffset,
      second.byteOffset,
      firstScales.byteOffset,
      secondScales.byteOffset,
      noBias,
      into,
      rows / A_ROWS,
      secondRows / B_ROWS,
      columns / STEP,
      FLOAT_BYTES * rowFloats,
    );
  }

  /** One head: each token takes the mean of the values of all tokens, weighted by how well its query fits their keys. */
  function attend(count: number, head: number): void {
    const padded = Math.ceil(count / STEP) * STEP;
    const start = head * HEAD_WIDTH;
    for (let row = 0; row < count; row++) {
      const at = row * 3 * WIDTH + start;
      packRow(wide, at, HEAD_WIDTH, first, row);
      packRow(wide, at + WIDTH, HEAD_WIDTH, second, row);
    }
    multiplyOperands(padded, padded, HEAD_WIDTH, fits.byteOffset, padded);
    for (let row = 0; row < count; row++) {
      softmax(fits, row * padded, count, padded);
      packRow(fits, row * padded, padded, first, row);
    }
    for (let column = 0; column < HEAD_WIDTH; column++) packValues(2 * WIDTH + start + column, count, column);
    multiplyOperands(padded, HEAD_WIDTH, padded, context.byteOffset + FLOAT_BYTES * start, WIDTH);
  }

  /** Packs a column of the values of all tokens as a row of the second operand, padded with zeros. */
  function packValues(start: number, count: number, row: number): void {
    const columns = Math.ceil(count / STEP) * STEP;
    let largest = 0;
    for (let token = 0; token < count; token++)
      largest = Math.max(largest, Math.abs(wide[start + token * 3 * WIDTH]!));
    const factor = largest === 0 ? 0 : MAX_SHORT / largest;
    for (let token = 0; token < columns; token++)
      second[packedIndex(row, token, columns, B_ROWS)] =
        token < count ? Math.round(wide[start + token * 3 * WIDTH]! * factor) : 0;
    secondScales[row] = largest / MAX_SHORT;
  }

  function embedTokens(tokens: readonly number[], into: Float32Array): void {
    for (const [row, token] of tokens.entries()) {
      for (let column = 0; column < WIDTH; column++)
        into[row * WIDTH + column] =
          words[token * WIDTH + column]! + positions[row * WIDTH + column]! + segments[column]!;
    }
  }

  return {
    encode(tokens) {
      const count = tokens.length;
      state.fill(0);
      embedTokens(tokens, change);
      addNormalised(state, change, count, embeddingNorm);
      for (const { attention, output, outputNorm, inner, outer, outerNorm } of layers) {
        multiply(state, count, attention, wide);
        for (let head = 0; head < HEADS; head++) attend(count, head);
        multiply(context, count, output, change);
        addNormalised(state, change, count, outputNorm);
        multiply(state, count, inner, wide);
        kernel.gelu(wide.byteOffset, (count * INNER_WIDTH) / 4);
        multiply(wide, count, outer, change);
        addNormalised(state, change, count, outerNorm);
      }
      return meanRow(state, count);
    },
  };
}

/** Adds a change to the state, and normalises each row to mean 0 and variance 1 before weight and bias. */
function addNormalised(
  state: Float32Array,
  change: Float32Array,
  count: number,
  { weight, bias }: Norm,
): void {
  for (let start = 0; start < count * WIDTH; start += WIDTH) {
    let sum = 0;
    let squares = 0;
    for (let at = start; at < start + WIDTH; at++) {
      const value = state[at]! + change[at]!;
      state[at] = value;
      sum += value;
      squares += value * value;
    }
    const mean = sum / WIDTH;
    const inverse = 1 / Math.sqrt(squares / WIDTH - mean * mean + NORM_EPSILON);
    for (let column = 0; column < WIDTH; column++)
      state[start + column] = (state[start + column]! - mean) * inverse * weight[column]! + bias[column]!;
  }
}

/** Turns how well a query fits each of `count` keys into weights; those of the padding are 0. */
function softmax(fits: Float32Array, start: number, count: number, padded: number): void {
  const scale = 1 / Math.sqrt(HEAD_WIDTH);
  const end = start + count;
  let largest = Number.NEGATIVE_INFINITY;
  for (let at = start; at < end; at++) largest = Math.max(largest, fits[at]!);
  let sum = 0;
  for (let at = start; at < end; at++) {
    const weight = Math.exp((fits[at]! - largest) * scale);
    fits[at] = weight;
    sum += weight;
  }
  for (let at = start; at < end; at++) fits[at]! /= sum;
  fits.fill(0, end, start + padded);
}

function meanRow(state: Float32Array, count: number): Float32Array {
  const mean = new Float32Array(WIDTH);
  for (let row = 0; row < count; row++)
    for (let column = 0; column < WIDTH; column++) mean[column]! += state[row * WIDTH + column]! / count;
  return mean;
}
