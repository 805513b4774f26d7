import { inverseLength, type QuantisedVector, writeSigns } from './quantised.ts';
import { alignedBytes } from './vector-kernel.ts';

/** The unit of allocation and of scoring: small enough that neither blocks the event loop for long. */
export const PAGE_ROWS = 512;
/** The first page starts with this many rows and doubles: most tables are small. */
const FIRST_ROWS = 16;

export interface VectorPage {
  rows: Int8Array;
  signs: Uint8Array;
  /** `inverseLength` of each row; 0 marks an empty one. */
  inverse: Float32Array;
  used: number;
}

/** The storage of a vector table: slot → row of a page, with its sign bits and inverse length. */
export interface VectorPages {
  readonly dimensions: number;
  /** Bytes from one row to the next. */
  readonly stride: number;
  readonly signStride: number;
  readonly pages: readonly (VectorPage | undefined)[];
  readonly size: number;
  readonly bytes: number;
  /** The inverse length of a slot's vector; 0 if it is empty. */
  inverseAt(slot: number): number;
  rowAt(slot: number): Int8Array;
  set(slot: number, vector: QuantisedVector): boolean;
  clear(slot: number): void;
}

const pageOf = (slot: number) => Math.floor(slot / PAGE_ROWS);
const rowOf = (slot: number) => slot % PAGE_ROWS;
const bytesOf = (page: VectorPage) => page.rows.byteLength + page.signs.byteLength + page.inverse.byteLength;

export function createVectorPages(dimensions: number): VectorPages {
  const stride = alignedBytes(dimensions);
  const signStride = alignedBytes(Math.ceil(dimensions / 8));
  const pages: (VectorPage | undefined)[] = [];
  let size = 0;
  let bytes = 0;

  /** Allocates the page of a slot, or enlarges it; only the first page ever grows, by some kilobytes. */
  function pageFor(slot: number): VectorPage {
    const index = pageOf(slot);
    while (pages.length <= index) pages.push(undefined);
    const old = pages[index];
    if (old && rowOf(slot) < old.inverse.length) return old;
    let capacity = index === 0 ? FIRST_ROWS : PAGE_ROWS;
    while (capacity <= rowOf(slot)) capacity *= 2;
    const page = makePage(capacity, stride, signStride, old);
    bytes += bytesOf(page) - (old ? bytesOf(old) : 0);
    pages[index] = page;
    return page;
  }

  const inverseAt = (slot: number) => pages[pageOf(slot)]?.inverse[rowOf(slot)] ?? 0;

  function clear(slot: number): void {
    if (inverseAt(slot) === 0) return;
    const page = pages[pageOf(slot)]!;
    page.inverse[rowOf(slot)] = 0;
    size--;
    if (--page.used > 0) return;
    bytes -= bytesOf(page);
    pages[pageOf(slot)] = undefined;
  }

  return {
    dimensions,
    stride,
    signStride,
    pages,
    get size() {
      return size;
    },
    get bytes() {
      return bytes;
    },
    inverseAt,
    rowAt: (slot) => pages[pageOf(slot)]!.rows.subarray(rowOf(slot) * stride, (rowOf(slot) + 1) * stride),
    clear,
    set(slot, vector) {
      clear(slot);
      const inverse = vector.length === dimensions ? inverseLength(vector) : 0;
      if (inverse === 0) return false;
      const page = pageFor(slot);
      const row = rowOf(slot);
      page.rows.set(vector, row * stride);
      writeSigns(vector, page.signs.subarray(row * signStride, (row + 1) * signStride));
      page.inverse[row] = inverse;
      page.used++;
      size++;
      return true;
    },
  };
}

function makePage(capacity: number, stride: number, signStride: number, old?: VectorPage): VectorPage {
  const page: VectorPage = {
    rows: new Int8Array(capacity * stride),
    signs: new Uint8Array(capacity * signStride),
    inverse: new Float32Array(capacity),
    used: old?.used ?? 0,
  };
  if (old) {
    page.rows.set(old.rows);
    page.signs.set(old.signs);
    page.inverse.set(old.inverse);
  }
  return page;
}
