import { randomInt } from 'node:crypto';
import { createHashChains } from './hash-chains.ts';
import { ints, PAGE_MASK, PAGE_SHIFT, type PagedArray, shorts } from './paged-array.ts';

/** Interns short strings and gives each an id. They live outside the JavaScript heap: a million of them cost the garbage collector nothing. */
export interface StringTable {
  readonly size: number;
  term(id: number): string;
  lengthOf(id: number): number;
  /** A UTF-16 unit of a string, without making the string. */
  codeAt(id: number, at: number): number;
  startsWith(id: number, prefix: string): boolean;
  idOf(term: string): number | undefined;
  /** The id of a string, a new one if it is not in the table. */
  add(term: string): number;
  /** The arrays behind it, in snapshot order. */
  readonly lists: readonly PagedArray[];
}

export function createStringTable(): StringTable {
  const characters = shorts();
  const places = ints();
  const lengths = ints();
  const chains = createHashChains();
  /** The hash seed, random so that no input can provoke collisions. An array of one, so that snapshots include it. */
  const seeds = ints();

  function hashOf(term: string): number {
    if (seeds.length === 0) seeds.push(randomInt(2 ** 32));
    const seed = seeds.get(0);
    let hash = seed;
    for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), seed | 1);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    return (hash ^ (hash >>> 13)) >>> 0;
  }

  function startsWith(id: number, prefix: string): boolean {
    const place = places.get(id);
    const page = characters.pages[place >>> PAGE_SHIFT]!;
    const start = place & PAGE_MASK;
    for (let at = 0; at < prefix.length; at++) {
      if (page[start + at] !== prefix.charCodeAt(at)) return false;
    }
    return true;
  }

  function find(term: string, hash: number): number | undefined {
    for (let link = chains.first(hash); link !== 0; link = chains.next(link)) {
      const id = link - 1;
      if (chains.hash(link) === hash && lengths.get(id) === term.length && startsWith(id, term)) return id;
    }
    return undefined;
  }

  return {
    get size() {
      return places.length;
    },
    term(id) {
      const place = places.get(id);
      const page = characters.pages[place >>> PAGE_SHIFT]!;
      const start = place & PAGE_MASK;
      const end = start + lengths.get(id);
      let text = '';
      // Character by character: fastest for short strings.
      for (let at = start; at < end; at++) text += String.fromCharCode(page[at]!);
      return text;
    },
    lengthOf: lengths.get,
    codeAt(id, at) {
      const place = places.get(id);
      return characters.pages[place >>> PAGE_SHIFT]![(place & PAGE_MASK) + at]!;
    },
    startsWith: (id, prefix) => prefix.length <= lengths.get(id) && startsWith(id, prefix),
    idOf: (term) => find(term, hashOf(term)),
    add(term) {
      const hash = hashOf(term);
      const known = find(term, hash);
      if (known !== undefined) return known;
      const place = characters.reserve(term.length);
      const page = characters.pages[place >>> PAGE_SHIFT]!;
      for (let at = 0; at < term.length; at++) page[(place & PAGE_MASK) + at] = term.charCodeAt(at);
      places.push(place);
      lengths.push(term.length);
      chains.add(hash);
      return places.length - 1;
    },
    lists: [characters, places, lengths, seeds, ...chains.lists],
  };
}
