import { simdModule } from './vector-kernel-code.ts';
import { instantiate } from './wasm-assembler.ts';

// The two inner loops of vector search, as WebAssembly SIMD (128-bit) with a JavaScript fallback; docs/benchmarks.md
// has the ratio between the two.

/** Rows are contiguous and padded with zeros to a multiple of this many bytes. */
const ROW_ALIGNMENT = 16;

export const alignedBytes = (bytes: number) => Math.ceil(bytes / ROW_ALIGNMENT) * ROW_ALIGNMENT;

export interface VectorKernel {
  /** The integer dot product of the query with each row. */
  dots(query: Int8Array, rows: Int8Array, count: number, into: Int32Array): void;
  /** The number of bits in which each row differs from the query. */
  hammingDistances(query: Uint8Array, rows: Uint8Array, count: number, into: Int32Array): void;
}

/** The fallback in JavaScript, where WebAssembly SIMD is not available; also the reference for tests and benchmarks. */
export const plainKernel: VectorKernel = {
  dots(query, rows, count, into) {
    const stride = query.length;
    for (let row = 0, at = 0; row < count; row++) {
      let sum = 0;
      for (let i = 0; i < stride; i++, at++) sum += query[i]! * rows[at]!;
      into[row] = sum;
    }
  },
  hammingDistances(query, rows, count, into) {
    const stride = query.length;
    for (let row = 0, at = 0; row < count; row++) {
      let sum = 0;
      for (let i = 0; i < stride; i++, at++) sum += POP_COUNTS[query[i]! ^ rows[at]!]!;
      into[row] = sum;
    }
  },
};

const POP_COUNTS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

interface Exports {
  dots(query: number, rows: number, stride: number, count: number, out: number): void;
  hammingDistances(query: number, rows: number, stride: number, count: number, out: number): void;
}

/** The layout of the kernel's 384 KiB of memory. Rows are copied in by blocks that fit into a core's cache. */
const QUERY_OFFSET = 0;
const ROWS_OFFSET = 32_768;
const ROWS_BYTES = 262_144;
const OUT_OFFSET = ROWS_OFFSET + ROWS_BYTES;
const MAX_BLOCK_ROWS = 8_192;
const MEMORY_BYTES = 393_216;

function simdKernel(): VectorKernel | undefined {
  const instance = instantiate<Exports>(simdModule(), MEMORY_BYTES);
  if (!instance) return undefined;
  const { exports, memory } = instance;
  const wideQuery = new Int16Array(memory, QUERY_OFFSET);
  const byteQuery = new Uint8Array(memory, QUERY_OFFSET);
  const block = new Uint8Array(memory, ROWS_OFFSET, ROWS_BYTES);
  const out = new Int32Array(memory, OUT_OFFSET, MAX_BLOCK_ROWS);

  function inBlocks(run: Exports['dots'], stride: number, rows: Uint8Array, count: number, into: Int32Array) {
    const blockRows = Math.min(MAX_BLOCK_ROWS, Math.floor(ROWS_BYTES / stride));
    for (let row = 0; row < count; row += blockRows) {
      const rowCount = Math.min(blockRows, count - row);
      block.set(rows.subarray(row * stride, (row + rowCount) * stride));
      run(QUERY_OFFSET, ROWS_OFFSET, stride, rowCount, OUT_OFFSET);
      into.set(out.subarray(0, rowCount), row);
    }
  }

  return {
    dots(query, rows, count, into) {
      wideQuery.set(query); // as int16, so that it need not be widened for each row
      const bytes = new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength);
      inBlocks(exports.dots, query.length, bytes, count, into);
    },
    hammingDistances(query, rows, count, into) {
      byteQuery.set(query);
      inBlocks(exports.hammingDistances, query.length, rows, count, into);
    },
  };
}

export const vectorKernel: VectorKernel = simdKernel() ?? plainKernel;
