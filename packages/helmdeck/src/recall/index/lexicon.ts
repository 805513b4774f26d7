import { withinEdits } from '../text/spelling.ts';
import { ints } from './paged-array.ts';
import { createNames, type Names } from './string-table.ts';

/** All terms of one index: a number for each, and the ways to find one that is not spelled exactly so. */
export interface Lexicon extends Names {
  /** Terms that begin so, shortest first; only those that are wanted. */
  startingWith(prefix: string, limit: number, wanted?: Wanted): number[];
  /** Pairs of characters of which this is one, for scripts that are kept in pairs. */
  pairsWith(character: string, wanted?: Wanted): number[];
  /** Terms a few typing errors away, nearest first. */
  spelledLike(
    term: string,
    maxEdits: number,
    limit: number,
    wanted?: Wanted,
  ): { id: number; edits: number }[];
}

/** Which terms may be shown: one that no document has any more must not take another's place. */
type Wanted = (id: number) => boolean;

const ANY: Wanted = () => true;
const MIN_PREFIX = 2;

export function createLexicon(): Lexicon {
  const names = createNames();
  const { term, lengthOf, startsWith } = names;
  /** Which letters a term has: most others are told by theirs, without a closer look. */
  const letters = ints();

  /** Terms that have all letters of this one and pass a closer look, by name: whatever order they came in. */
  function having(part: string, isMeant: (id: number) => boolean): { id: number; name: string }[] {
    const has = lettersOf(part);
    const found: { id: number; name: string }[] = [];
    const { size } = names;
    let id = 0;
    for (const page of letters.pages) {
      for (let at = 0; at < page.length && id < size; at++, id++) {
        if ((has & ~page[at]!) === 0 && isMeant(id)) found.push({ id, name: term(id) });
      }
    }
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  return {
    ...names,
    get size() {
      return names.size;
    },
    add(added) {
      const id = names.add(added);
      if (id === letters.length) letters.push(lettersOf(added));
      return id;
    },
    startingWith(prefix, limit, wanted = ANY) {
      if (prefix.length < MIN_PREFIX) return [];
      const found = having(prefix, (id) => startsWith(id, prefix) && wanted(id));
      found.sort((a, b) => a.name.length - b.name.length);
      return found.slice(0, limit).map(({ id }) => id);
    },
    pairsWith(character, wanted = ANY) {
      // Two characters are at most four of JavaScript's.
      const isPair = (id: number) => lengthOf(id) <= 4 && isPairWith(character, term(id)) && wanted(id);
      return having(character, isPair).map(({ id }) => id);
    },
    spelledLike(typed, maxEdits, limit, wanted = ANY) {
      const has = lettersOf(typed);
      const found: { id: number; name: string; edits: number }[] = [];
      const { size } = names;
      let id = 0;
      for (const page of letters.pages) {
        for (let at = 0; at < page.length && id < size; at++, id++) {
          // One edit changes at most one letter into another: two bits.
          if (bitsOf(page[at]! ^ has) > 2 * maxEdits) continue;
          if (Math.abs(lengthOf(id) - typed.length) > maxEdits) continue;
          const name = term(id);
          const edits = withinEdits(typed, name, maxEdits);
          if (edits !== undefined && wanted(id)) found.push({ id, name, edits });
        }
      }
      found.sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1));
      return found.slice(0, limit);
    },
    lists: [...names.lists, letters],
  };
}

function isPairWith(character: string, name: string): boolean {
  const [first, second, ...more] = name;
  return second !== undefined && more.length === 0 && (first === character || second === character);
}

function lettersOf(term: string): number {
  let bits = 0;
  for (let at = 0; at < term.length; at++) bits |= 1 << (term.charCodeAt(at) & 31);
  return bits >>> 0;
}

function bitsOf(number: number): number {
  let bits = number - ((number >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
