import { ints } from './paged-array.ts';

const PAGE_BYTES = 1 << 20;
const FIRST_PAGE_BYTES = 1 << 12;

/** Stores texts by number, back to back in large pages outside the JavaScript heap. */
export function createTextPages() {
  const places = ints(); // three numbers each: page, offset, length
  const pages: Buffer[] = [];
  let used = 0;

  function pageFor(length: number): Buffer {
    const last = pages.at(-1);
    if (last && used + length <= last.length) return last;
    const usual = last ? Math.min(PAGE_BYTES, Math.max(FIRST_PAGE_BYTES, last.length * 2)) : FIRST_PAGE_BYTES;
    pages.push(Buffer.alloc(Math.max(length, usual)));
    used = 0;
    return pages.at(-1)!;
  }

  return {
    places,
    add(text: Uint8Array): void {
      const page = pageFor(text.length);
      page.set(text, used);
      places.push(pages.length - 1);
      places.push(used);
      places.push(text.length);
      used += text.length;
    },
    get(number: number): Buffer {
      const offset = places.get(3 * number + 1);
      return pages[places.get(3 * number)]!.subarray(offset, offset + places.get(3 * number + 2));
    },
    text(number: number): string {
      const offset = places.get(3 * number + 1);
      return pages[places.get(3 * number)]!.toString('utf8', offset, offset + places.get(3 * number + 2));
    },
    /** Zeroes a removed text, so that a forgotten fact does not linger in memory. */
    wipe(number: number): void {
      this.get(number).fill(0);
    },
    /** Adds a page to be filled from a snapshot; it counts as full, so new texts start another. */
    addPage(size: number): Buffer {
      pages.push(Buffer.allocUnsafeSlow(size));
      used = size;
      return pages.at(-1)!;
    },
    /** Takes over the pages of another store, the last one filled up to `lastUsed`; this one must be empty. */
    adoptPages(adopted: readonly Uint8Array[], lastUsed: number): void {
      for (const { buffer, byteOffset, length } of adopted)
        pages.push(Buffer.from(buffer, byteOffset, length));
      used = lastUsed;
    },
    pages: pages as readonly Buffer[],
    /** Bytes used of the last page. */
    lastUsed: () => used,
    /** The used part of each page. */
    usedPages: () =>
      pages.map((page, number) => (number === pages.length - 1 ? page.subarray(0, used) : page)),
    get bytes() {
      return pages.reduce((sum, page) => sum + page.length, 0);
    },
  };
}
