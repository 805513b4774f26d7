import { randomInt } from 'node:crypto';
import { createHashChains } from './hash-chains.ts';
import { ints, PAGE_MASK, PAGE_SHIFT, type PagedArray, shorts } from './paged-array.ts';

/** Texts of a few letters with a number for each, outside the JavaScript heap: a million are no work for its collector. */
export interface Names {
  readonly size: number;
  term(id: number): string;
  lengthOf(id: number): number;
  startsWith(id: number, prefix: string): boolean;
  idOf(term: string): number | undefined;
  /** The number of a term, a new one where it is not known yet. */
  add(term: string): number;
  /** Everything it is made of, for a snapshot. */
  readonly lists: readonly PagedArray[];
}

export function createNames(): Names {
  const characters = shorts();
  const places = ints();
  const lengths = ints();
  const chains = createHashChains();
  /** One number, by which nobody can foresee what falls into the same chain. A list, because a snapshot has to keep it. */
  const secrets = ints();

  function hashOf(term: string): number {
    if (secrets.length === 0) secrets.push(randomInt(2 ** 32));
    const secret = secrets.get(0);
    let hash = secret;
    for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), secret | 1);
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
      // A letter at a time: for a few letters the quickest way.
      for (let at = start; at < end; at++) text += String.fromCharCode(page[at]!);
      return text;
    },
    lengthOf: lengths.get,
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
    lists: [characters, places, lengths, secrets, ...chains.lists],
  };
}
