import { ints } from './paged.ts';
import { withinEdits } from './spelling.ts';

/** All terms of one index: a number for each, and the ways to find one that is not spelled exactly so. */
export interface Lexicon {
  readonly size: number;
  term(id: number): string;
  idOf(term: string): number | undefined;
  add(term: string): number;
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
  terms(): readonly string[];
}

/** Which terms may be shown: one that no document has any more must not take another's place. */
type Wanted = (id: number) => boolean;

const ANY: Wanted = () => true;
const START_LENGTH = 2;
const SHARDS = 64;

export function createLexicon(): Lexicon {
  const terms: string[] = [];
  // Many small maps: one large one would stop everything for a moment each time it grows.
  const shards = Array.from({ length: SHARDS }, () => new Map<string, number>());
  const byStart = new Map<string, number[]>();
  /** Which letters a term has: terms whose letters differ too much need no closer look. */
  const letters = ints();

  const shardOf = (term: string) =>
    shards[(term.charCodeAt(0) + 31 * term.charCodeAt(term.length - 1) + 7 * term.length) % SHARDS]!;

  // By name, not by number: the same whatever order the terms came in.
  const byName = (a: number, b: number) => (terms[a]! < terms[b]! ? -1 : 1);

  return {
    get size() {
      return terms.length;
    },
    term: (id) => terms[id]!,
    idOf: (term) => shardOf(term).get(term),
    terms: () => terms,
    add(term) {
      const shard = shardOf(term);
      const known = shard.get(term);
      if (known !== undefined) return known;
      const id = terms.length;
      terms.push(term);
      shard.set(term, id);
      letters.push(lettersOf(term));
      const start = term.slice(0, START_LENGTH);
      const sharing = byStart.get(start);
      if (sharing) sharing.push(id);
      else byStart.set(start, [id]);
      return id;
    },
    startingWith(prefix, limit, wanted = ANY) {
      if (prefix.length < START_LENGTH) return [];
      const found = (byStart.get(prefix.slice(0, START_LENGTH)) ?? []).filter(
        (id) => terms[id]!.startsWith(prefix) && wanted(id),
      );
      return found.sort((a, b) => terms[a]!.length - terms[b]!.length || byName(a, b)).slice(0, limit);
    },
    pairsWith(character, wanted = ANY) {
      const found: number[] = [];
      for (const [start, sharing] of byStart) {
        if (!start.includes(character)) continue;
        for (const id of sharing) if ([...terms[id]!].length === 2 && wanted(id)) found.push(id);
      }
      return found.sort(byName);
    },
    spelledLike(term, maxEdits, limit, wanted = ANY) {
      const has = lettersOf(term);
      const found: { id: number; edits: number }[] = [];
      let id = 0;
      for (const page of letters.pages) {
        for (let at = 0; at < page.length && id < terms.length; at++, id++) {
          // One edit changes at most one letter into another: two bits.
          if (bitsOf(page[at]! ^ has) > 2 * maxEdits) continue;
          if (Math.abs(terms[id]!.length - term.length) > maxEdits) continue;
          const edits = withinEdits(term, terms[id]!, maxEdits);
          if (edits !== undefined && wanted(id)) found.push({ id, edits });
        }
      }
      return found.sort((a, b) => a.edits - b.edits || byName(a.id, b.id)).slice(0, limit);
    },
  };
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
