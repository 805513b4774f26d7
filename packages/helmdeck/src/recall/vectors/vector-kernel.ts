import { simdModule } from './vector-kernel-code.ts';

// Two loops over many vectors. As WebAssembly with 128-bit registers they take a tenth of the time that JavaScript takes.

/** Rows lie one after the other; a row is a multiple of this many bytes, filled up with zeros. */
const ROW_ALIGNMENT = 16;

export const alignedBytes = (bytes: number) => Math.ceil(bytes / ROW_ALIGNMENT) * ROW_ALIGNMENT;

export interface VectorKernel {
  /** The integer dot product of the query with each row. */
  dots(query: Int8Array, rows: Int8Array, count: number, into: Int32Array): void;
  /** The number of bits in which each row differs from the query. */
  differences(query: Uint8Array, rows: Uint8Array, count: number, into: Int32Array): void;
}

/** The same in JavaScript: where there is no WebAssembly, and to test against. */
export const plainKernel: VectorKernel = {
  dots(query, rows, count, into) {
    const stride = query.length;
    for (let row = 0, at = 0; row < count; row++) {
      let sum = 0;
      for (let i = 0; i < stride; i++, at++) sum += query[i]! * rows[at]!;
      into[row] = sum;
    }
  },
  differences(query, rows, count, into) {
    const stride = query.length;
    for (let row = 0, at = 0; row < count; row++) {
      let sum = 0;
      for (let i = 0; i < stride; i++, at++) sum += BITS[query[i]! ^ rows[at]!]!;
      into[row] = sum;
    }
  },
};

const BITS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

interface Exports {
  dots(query: number, rows: number, stride: number, count: number, out: number): void;
  differences(query: number, rows: number, stride: number, count: number, out: number): void;
}

/** As much of `WebAssembly` as is needed: the types of Node leave it to those of browsers. */
interface Wasm {
  validate(code: Uint8Array<ArrayBuffer>): boolean;
  Memory: new (pages: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
  Module: new (code: Uint8Array<ArrayBuffer>) => object;
  Instance: new (module: object, imports: object) => { readonly exports: Exports };
}

/** Where things lie in the 384 KiB of the kernel. The rows pass through in blocks, which stay in the cache of a core. */
const QUERY_AT = 0;
const ROWS_AT = 32_768;
const ROWS_BYTES = 262_144;
const OUT_AT = ROWS_AT + ROWS_BYTES;
const MAX_BLOCK_ROWS = 8_192;
const MEMORY_PAGES = 6;

function simdKernel(): VectorKernel | undefined {
  const wasm = (globalThis as { WebAssembly?: Wasm }).WebAssembly;
  const code = simdModule();
  if (!wasm?.validate(code)) return undefined; // switched off, or a processor without 128-bit registers
  const memory = new wasm.Memory({ initial: MEMORY_PAGES, maximum: MEMORY_PAGES });
  const { exports } = new wasm.Instance(new wasm.Module(code), { env: { memory } });
  const wideQuery = new Int16Array(memory.buffer, QUERY_AT);
  const byteQuery = new Uint8Array(memory.buffer, QUERY_AT);
  const block = new Uint8Array(memory.buffer, ROWS_AT, ROWS_BYTES);
  const out = new Int32Array(memory.buffer, OUT_AT, MAX_BLOCK_ROWS);

  function inBlocks(run: Exports['dots'], stride: number, rows: Uint8Array, count: number, into: Int32Array) {
    const blockRows = Math.min(MAX_BLOCK_ROWS, Math.floor(ROWS_BYTES / stride));
    for (let row = 0; row < count; row += blockRows) {
      const some = Math.min(blockRows, count - row);
      block.set(rows.subarray(row * stride, (row + some) * stride));
      run(QUERY_AT, ROWS_AT, stride, some, OUT_AT);
      into.set(out.subarray(0, some), row);
    }
  }

  return {
    dots(query, rows, count, into) {
      wideQuery.set(query); // as 16-bit numbers, which saves widening them again for each row
      const bytes = new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength);
      inBlocks(exports.dots, query.length, bytes, count, into);
    },
    differences(query, rows, count, into) {
      byteQuery.set(query);
      inBlocks(exports.differences, query.length, rows, count, into);
    },
  };
}

export const vectorKernel: VectorKernel = simdKernel() ?? plainKernel;
