// The WebAssembly of the vector kernel, assembled from about sixty instructions: needs neither a toolchain nor an
// unreadable binary file.

type Code = readonly number[];

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

const I32 = 0x7f;
const V128 = 0x7b;
const NO_RESULT = 0x40;

const get = (local: number): Code => [0x20, ...leb(local)];
const set = (local: number): Code => [0x21, ...leb(local)];
/** A constant up to 63: above, signed LEB128 differs from unsigned. */
const i32 = (value: number): Code => [0x41, value];
const ADD: Code = [0x6a];
const SUBTRACT: Code = [0x6b];
const NOT_EQUAL: Code = [0x47];
const IS_ZERO: Code = [0x45];
const STORE: Code = [0x36, 2, 0];
const RETURN: Code = [0x0f];
const when = (body: Code): Code => [0x04, NO_RESULT, ...body, 0x0b];
/** Repeats the body while it leaves a non-zero value. */
const repeat = (body: Code): Code => [0x03, NO_RESULT, ...body, 0x0d, 0, 0x0b];
const increase = (local: number, by: Code): Code => [...get(local), ...by, ...ADD, ...set(local)];

const simd = (code: number, ...operands: number[]): Code => [0xfd, ...leb(code), ...operands];
const load = (offset = 0): Code => simd(0x00, 0, offset);
/** Loads eight int8 as int16. */
const loadWidened = (offset = 0): Code => simd(0x01, 0, offset);
const ZERO: Code = simd(0x0c, ...new Array<number>(16).fill(0));
const lane = (index: number): Code => simd(0x1b, index);
const XOR = simd(0x51);
/** The number of ones in each byte. */
const POP_COUNT = simd(0x62);
const PAIRS_OF_BYTES = simd(0x7d);
const PAIRS_OF_16 = simd(0x7f);
const ADD_32 = simd(0xae);
/** Multiplies eight pairs of int16 and adds adjacent products to four int32. */
const DOT_16 = simd(0xba);

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
    ...[0, 1, 2, 3].flatMap((index) => [...get(SUM), ...lane(index)]),
    ...ADD,
    ...ADD,
    ...ADD,
    ...STORE,
    ...increase(OUT, i32(4)),
    ...get(COUNT),
    ...i32(1),
    ...SUBTRACT,
    ...set(COUNT),
    ...get(COUNT),
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

const sized = (body: Code): Code => [...leb(body.length), ...body];
const named = (name: string): Code => sized([...new TextEncoder().encode(name)]);
const section = (id: number, ...entries: Code[]): Code => [
  id,
  ...sized([...leb(entries.length), ...entries.flat()]),
];
const functionBody = (code: Code): Code => sized([2, 2, I32, 1, V128, ...code, 0x0b]);

/** A module that imports a memory as `env.memory` and exports `dots` and `hammingDistances`. */
export function simdModule(): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [0x60, 5, I32, I32, I32, I32, I32, 0]),
    ...section(2, [...named('env'), ...named('memory'), 0x02, 0x00, 1]),
    ...section(3, [0], [0]),
    ...section(7, [...named('dots'), 0x00, 0], [...named('hammingDistances'), 0x00, 1]),
    ...section(10, functionBody(DOTS), functionBody(HAMMING_DISTANCES)),
  ]);
}
