import {
  ABS_FLOATS,
  ADD_FLOATS,
  assemble,
  type Code,
  countDown,
  DIVIDE_FLOAT,
  DIVIDE_FLOATS,
  float,
  floats,
  get,
  i32,
  increase,
  instantiate,
  largestOf,
  load,
  loadFloat,
  MAX_FLOATS,
  MIN_FLOATS,
  MULTIPLY_FLOATS,
  NARROW_TO_16,
  ROUND_TO_32,
  repeat,
  SPLAT_FLOAT,
  set,
  storeFloat,
  storeVector,
  type WasmFunction,
} from '../wasm-assembler.ts';
import { MULTIPLY_BYTES, MULTIPLY_SHORTS, type Multiply, STEP } from './matmul.ts';

// The loops of the model that see every activation, in WebAssembly SIMD (128-bit).

export interface EncoderKernel {
  /** A is int16, B int8. */
  multiplyBytes: Multiply;
  /** Both are int16. */
  multiplyShorts: Multiply;
  /** Quantises a row of `steps * 8` floats to int16, with `stepBytes` from one step to the next, and stores its scale. */
  packRow(from: number, into: number, steps: number, stepBytes: number, scale: number): void;
  /** Applies GELU, x times the share of a normal distribution below x, to `quads * 4` floats in place. */
  gelu(at: number, quads: number): void;
}

const VECTOR_BYTES = 16;
const STEP_BYTES = STEP * 4;

/** The largest activation: 1,536 products of it with an int8 still fit into an int32. */
export const MAX_SHORT = 8_191;
/** Keeps a row of zeros from a division by zero. */
const TINY = 1e-30;

function packRow(): WasmFunction {
  const [FROM, INTO, STEPS, STEP_STRIDE, SCALE, AT, LEFT] = [0, 1, 2, 3, 4, 5, 6];
  const [LARGEST, FACTOR] = [7, 8];
  const size = (offset: number): Code => [...get(AT), ...load(offset), ...ABS_FLOATS, ...MAX_FLOATS];
  const rounded = (offset: number): Code => [
    ...get(FROM),
    ...load(offset),
    ...get(FACTOR),
    ...MULTIPLY_FLOATS,
    ...ROUND_TO_32,
  ];
  const code: Code = [
    ...[...get(FROM), ...set(AT)],
    ...[...get(STEPS), ...set(LEFT)],
    ...[...floats(TINY), ...set(LARGEST)],
    ...repeat([
      ...[...get(LARGEST), ...size(0), ...size(VECTOR_BYTES), ...set(LARGEST)],
      ...increase(AT, i32(STEP_BYTES)),
      ...countDown(LEFT),
    ]),
    ...[...get(SCALE), ...largestOf(LARGEST), ...float(MAX_SHORT), ...DIVIDE_FLOAT, ...storeFloat()],
    ...[...float(1), ...get(SCALE), ...loadFloat(), ...DIVIDE_FLOAT, ...SPLAT_FLOAT, ...set(FACTOR)],
    ...repeat([
      ...[...get(INTO), ...rounded(0), ...rounded(VECTOR_BYTES), ...NARROW_TO_16, ...storeVector()],
      ...increase(FROM, i32(STEP_BYTES)),
      ...increase(INTO, get(STEP_STRIDE)),
      ...countDown(STEPS),
    ]),
  ];
  return { name: 'packRow', parameters: 5, integers: 2, vectors: 2, code };
}

/**
 * The error function as x P(x²) / Q(x²), which between -4 and 4 is exact to six digits; beyond, it is -1 or 1 to seven.
 * Coefficients of the highest power first.
 */
const ERF_RANGE = 4;
const ERF_P = [
  -2.72614225801306e-10, 2.77068142495902e-8, -2.10102402082508e-6, -5.69250639462346e-5,
  -7.34990630326855e-4, -2.95459980854025e-3, -1.60960333262415e-2,
];
const ERF_Q = [
  -1.45660718464996e-5, -2.13374055278905e-4, -1.68282697438203e-3, -7.37332916720468e-3,
  -1.42647390514189e-2,
];

function gelu(): WasmFunction {
  const [AT, QUADS] = [0, 1];
  const [VALUE, X, SQUARE] = [2, 3, 4];
  const polynomial = ([highest, ...rest]: number[]): Code => [
    ...floats(highest!),
    ...rest.flatMap((factor) => [...get(SQUARE), ...MULTIPLY_FLOATS, ...floats(factor), ...ADD_FLOATS]),
  ];
  const code: Code = repeat([
    ...[...get(AT), ...load(), ...set(VALUE)],
    ...[...get(VALUE), ...floats(Math.SQRT1_2), ...MULTIPLY_FLOATS],
    ...[...floats(ERF_RANGE), ...MIN_FLOATS, ...floats(-ERF_RANGE), ...MAX_FLOATS, ...set(X)],
    ...[...get(X), ...get(X), ...MULTIPLY_FLOATS, ...set(SQUARE)],
    ...get(AT),
    ...[...polynomial(ERF_P), ...polynomial(ERF_Q), ...DIVIDE_FLOATS, ...get(X), ...MULTIPLY_FLOATS],
    ...[...floats(1), ...ADD_FLOATS, ...get(VALUE), ...MULTIPLY_FLOATS],
    ...[...floats(0.5), ...MULTIPLY_FLOATS, ...storeVector()],
    ...increase(AT, i32(VECTOR_BYTES)),
    ...countDown(QUADS),
  ]);
  return { name: 'gelu', parameters: 2, integers: 0, vectors: 3, code };
}

/** The kernel with a memory of its own; undefined where WebAssembly SIMD is not available. */
export const createEncoderKernel = (memoryBytes: number) =>
  instantiate<EncoderKernel>(assemble(MULTIPLY_BYTES, MULTIPLY_SHORTS, packRow(), gelu()), memoryBytes);
