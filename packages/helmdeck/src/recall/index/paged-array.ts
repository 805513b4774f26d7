type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/**
 * A growable typed array made of pages of 65,536 numbers: appending never copies a large array, and the first page
 * starts at 64 numbers, so a small one stays small.
 */
export interface PagedArray<A extends Numbers = Numbers> {
  readonly pages: A[];
  readonly length: number;
  readonly bytes: number;
  push(value: number): void;
  /** Appends `count` zeros (at most a page) that lie within one page; returns the index of the first. */
  reserve(count: number): number;
  get(at: number): number;
  set(at: number, value: number): void;
  /** Appends a page of up to `count` numbers and returns its bytes to fill, as a snapshot does; earlier pages must be full. */
  extend(count: number): Uint8Array;
  /** Takes over the pages of another array, which hold `length` numbers; this one must be empty. */
  adopt(pages: readonly A[], length: number): void;
}

export const PAGE_SHIFT = 16;
const PAGE_SIZE = 1 << PAGE_SHIFT;
export const PAGE_MASK = PAGE_SIZE - 1;
const FIRST_PAGE_SIZE = 64;

function paged<A extends Numbers>(make: (size: number) => A): PagedArray<A> {
  const pages: A[] = [];
  let length = 0;
  let capacity = 0;

  function grow(): void {
    const [first] = pages;
    if (pages.length === 1 && first!.length < PAGE_SIZE) {
      const larger = make(first!.length * 2);
      larger.set(first!);
      pages[0] = larger;
    } else pages.push(make(first ? PAGE_SIZE : FIRST_PAGE_SIZE));
    capacity = (pages.length - 1) * PAGE_SIZE + pages.at(-1)!.length;
  }

  return {
    pages,
    get length() {
      return length;
    },
    get bytes() {
      return capacity === 0 ? 0 : capacity * pages[0]!.BYTES_PER_ELEMENT;
    },
    push(value) {
      if (length === capacity) grow();
      pages[length >>> PAGE_SHIFT]![length & PAGE_MASK] = value;
      length++;
    },
    reserve(count) {
      const start = (length & PAGE_MASK) + count > PAGE_SIZE ? (length | PAGE_MASK) + 1 : length;
      while (start + count > capacity) grow();
      length = start + count;
      return start;
    },
    get: (at) => pages[at >>> PAGE_SHIFT]![at & PAGE_MASK]!,
    set(at, value) {
      pages[at >>> PAGE_SHIFT]![at & PAGE_MASK] = value;
    },
    extend(count) {
      const added = Math.min(count, PAGE_SIZE);
      const size = pages.length > 0 ? PAGE_SIZE : Math.max(FIRST_PAGE_SIZE, 2 ** Math.ceil(Math.log2(added)));
      const page = make(size);
      pages.push(page);
      length += added;
      capacity += size;
      return new Uint8Array(page.buffer, 0, added * page.BYTES_PER_ELEMENT);
    },
    adopt(adopted, adoptedLength) {
      for (const page of adopted) {
        pages.push(page);
        capacity += page.length;
      }
      length = adoptedLength;
    },
  };
}

/** The used part of each page as bytes: views, not copies. */
export function* usedBytes({ pages, length }: PagedArray): Generator<Uint8Array> {
  for (const [number, page] of pages.entries()) {
    const used = Math.min(page.length, length - number * PAGE_SIZE);
    if (used > 0) yield new Uint8Array(page.buffer, page.byteOffset, used * page.BYTES_PER_ELEMENT);
  }
}

export const bytes = () => paged((size) => new Uint8Array(size));
export const shorts = () => paged((size) => new Uint16Array(size));
export const ints = () => paged((size) => new Uint32Array(size));
export const doubles = () => paged((size) => new Float64Array(size));
