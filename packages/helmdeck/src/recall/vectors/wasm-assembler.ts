// Assembles small WebAssembly modules from named instructions: needs neither a toolchain nor an unreadable binary file.

export type Code = readonly number[];

/** Unsigned LEB128, the encoding of numbers in a module. */
function leb(value: number): Code {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return bytes;
}

/** Signed LEB128 of a number that is not negative, the encoding of constants. */
function constantOf(value: number): Code {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x3f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}

const I32 = 0x7f;
const V128 = 0x7b;
const NO_RESULT = 0x40;

export const get = (local: number): Code => [0x20, ...leb(local)];
export const set = (local: number): Code => [0x21, ...leb(local)];
export const i32 = (value: number): Code => [0x41, ...constantOf(value)];
export const ADD: Code = [0x6a];
const SUBTRACT: Code = [0x6b];
export const MULTIPLY: Code = [0x6c];
export const NOT_EQUAL: Code = [0x47];
export const IS_ZERO: Code = [0x45];
export const store = (offset = 0): Code => [0x36, 2, ...leb(offset)];
export const loadFloat = (offset = 0): Code => [0x2a, 2, ...leb(offset)];
export const storeFloat = (offset = 0): Code => [0x38, 2, ...leb(offset)];
export const float = (value: number): Code => [0x43, ...floatBytes(value)];
export const TO_FLOAT: Code = [0xb2];
export const ADD_FLOAT: Code = [0x92];
export const MULTIPLY_FLOAT: Code = [0x94];
export const DIVIDE_FLOAT: Code = [0x95];
const MAX_FLOAT: Code = [0x97];
const floatBytes = (value: number): Code => [...new Uint8Array(Float32Array.of(value).buffer)];
export const RETURN: Code = [0x0f];
export const when = (body: Code): Code => [0x04, NO_RESULT, ...body, 0x0b];
/** Repeats the body while it leaves a non-zero value. */
export const repeat = (body: Code): Code => [0x03, NO_RESULT, ...body, 0x0d, 0, 0x0b];
export const increase = (local: number, by: Code): Code => [...get(local), ...by, ...ADD, ...set(local)];
/** Decreases a counter and leaves its new value. */
export const countDown = (local: number): Code => [
  ...get(local),
  ...i32(1),
  ...SUBTRACT,
  ...set(local),
  ...get(local),
];

const simd = (code: number, ...operands: number[]): Code => [0xfd, ...leb(code), ...operands];
export const load = (offset = 0): Code => simd(0x00, 0, ...leb(offset));
/** Loads eight int8 as int16. */
export const loadWidened = (offset = 0): Code => simd(0x01, 0, ...leb(offset));
export const ZERO: Code = simd(0x0c, ...new Array<number>(16).fill(0));
export const storeVector = (offset = 0): Code => simd(0x0b, 0, ...leb(offset));
/** Four times the same float. */
export const floats = (value: number): Code => simd(0x0c, ...[0, 1, 2, 3].flatMap(() => floatBytes(value)));
export const SPLAT_FLOAT = simd(0x13);
export const ABS_FLOATS = simd(0xe0);
export const ADD_FLOATS = simd(0xe4);
export const MULTIPLY_FLOATS = simd(0xe6);
export const DIVIDE_FLOATS = simd(0xe7);
export const MIN_FLOATS = simd(0xe8);
export const MAX_FLOATS = simd(0xe9);
/** Rounds four floats to the nearest integers, as int32. */
export const ROUND_TO_32: Code = [...simd(0x6a), ...simd(0xf8)];
/** Two vectors of four int32 as one of eight int16. */
export const NARROW_TO_16 = simd(0x85);
const floatLane = (index: number): Code => simd(0x1f, index);
/** The largest of the four floats of a vector. */
export const largestOf = (vector: number): Code => [
  ...[0, 1, 2, 3].flatMap((index) => [...get(vector), ...floatLane(index)]),
  ...MAX_FLOAT,
  ...MAX_FLOAT,
  ...MAX_FLOAT,
];
const lane = (index: number): Code => simd(0x1b, index);
export const XOR = simd(0x51);
/** The number of ones in each byte. */
export const POP_COUNT = simd(0x62);
export const PAIRS_OF_BYTES = simd(0x7d);
export const PAIRS_OF_16 = simd(0x7f);
export const ADD_32 = simd(0xae);
/** Multiplies eight pairs of int16 and adds adjacent products to four int32. */
export const DOT_16 = simd(0xba);
/** The sum of the four int32 of a vector. */
export const sumOf = (vector: number): Code => [
  ...[0, 1, 2, 3].flatMap((index) => [...get(vector), ...lane(index)]),
  ...ADD,
  ...ADD,
  ...ADD,
];

const sized = (body: Code): Code => [...leb(body.length), ...body];
const named = (name: string): Code => sized([...new TextEncoder().encode(name)]);
const section = (id: number, ...entries: Code[]): Code => [
  id,
  ...sized([...leb(entries.length), ...entries.flat()]),
];

/** A function without a result: its int32 parameters come first, then its int32 and its vector locals. */
export interface WasmFunction {
  name: string;
  parameters: number;
  integers: number;
  vectors: number;
  code: Code;
}

/** A module that imports a memory as `env.memory` and exports these functions. */
export function assemble(...functions: WasmFunction[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(
      1,
      ...functions.map(({ parameters }) => [0x60, ...sized(new Array<number>(parameters).fill(I32)), 0]),
    ),
    ...section(2, [...named('env'), ...named('memory'), 0x02, 0x00, 1]),
    ...section(3, ...functions.map((_, index) => [index])),
    ...section(7, ...functions.map(({ name }, index) => [...named(name), 0x00, index])),
    ...section(
      10,
      ...functions.map(({ integers, vectors, code }) =>
        sized([2, ...leb(integers), I32, ...leb(vectors), V128, ...code, 0x0b]),
      ),
    ),
  ]);
}

/** The part of `WebAssembly` used here: Node's types do not declare it. */
interface Wasm {
  validate(code: Uint8Array<ArrayBuffer>): boolean;
  Memory: new (pages: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
  Module: new (code: Uint8Array<ArrayBuffer>) => object;
  Instance: new (module: object, imports: object) => { readonly exports: unknown };
}

const PAGE_BYTES = 65_536;

/** Instantiates a module with a memory of its own; undefined if WebAssembly is disabled or the processor has no SIMD. */
export function instantiate<Exports>(
  code: Uint8Array<ArrayBuffer>,
  memoryBytes: number,
): { exports: Exports; memory: ArrayBuffer } | undefined {
  const wasm = (globalThis as { WebAssembly?: Wasm }).WebAssembly;
  if (!wasm?.validate(code)) return undefined;
  const pages = Math.ceil(memoryBytes / PAGE_BYTES);
  const memory = new wasm.Memory({ initial: pages, maximum: pages });
  const { exports } = new wasm.Instance(new wasm.Module(code), { env: { memory } });
  return { exports: exports as Exports, memory: memory.buffer };
}
