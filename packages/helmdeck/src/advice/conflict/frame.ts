import type { Clause, Item } from './clauses.ts';

export type ConflictKind = 'value' | 'number' | 'date' | 'polarity' | 'choice';

/** The two words, numbers or phrases that disagree. */
export interface Conflict {
  kind: ConflictKind;
  mine: string;
  theirs: string;
}

/** One clause with what its statement says around it. */
export interface Side {
  clause: Clause;
  text: string;
  /** Every stem of the statement: value, key and tags. */
  all: ReadonlySet<string>;
  values: readonly Item[];
  keyWords: readonly string[];
}

/** What two clauses have in common and what only one of them names. */
export interface Frame {
  /** Shared names by weight, and half of it for what only the keys share. */
  strength: number;
  /** Shared names by weight, keys left aside. */
  spoken: number;
  shared: ReadonlySet<string>;
  mine: Item[];
  theirs: Item[];
}

const MAX_PHRASE_CHARS = 80;
/** A shared verb, or a word that both keys share. */
const MIN_STRENGTH = 0.3;

/** What two clauses share, synonyms and spellings counted as one; nothing when they have next to nothing in common. */
export function frameOf(fresh: Side, known: Side): Frame | undefined {
  const mineNames = fresh.clause.names;
  const theirNames = known.clause.names;
  const shared = new Set<string>();
  let spoken = 0;
  for (const { sense } of mineNames) {
    const weight = weightAmong(theirNames, sense.stem);
    if (weight < 0 || shared.has(sense.stem)) continue;
    shared.add(sense.stem);
    spoken += Math.min(weight, sense.weight);
  }
  const strength = spoken + 0.5 * sharedByKeys(fresh, known, shared);
  const turnsDown = fresh.clause.rejected.length > 0 && known.clause.rejected.length > 0;
  if (strength < MIN_STRENGTH && !turnsDown) return undefined;
  const mine = mineNames.filter(({ sense }) => sense.weight === 1 && !known.all.has(sense.stem));
  const theirs = theirNames.filter(({ sense }) => sense.weight === 1 && !fresh.all.has(sense.stem));
  dropSpellings(mine, theirs);
  return { strength, spoken, shared, mine, theirs };
}

/** Whether a stem is among some names. */
export const isNamed = (names: readonly Item[], stem: string): boolean => weightAmong(names, stem) >= 0;

// A loop: this runs for every word of every pair of clauses, and a closure for each would show.
function weightAmong(names: readonly Item[], stem: string): number {
  for (const { sense } of names) if (sense.stem === stem) return sense.weight;
  return -1;
}

/** Words that one key shares with the other key or with the other clause. */
function sharedByKeys(fresh: Side, known: Side, shared: ReadonlySet<string>): number {
  let count = 0;
  for (const word of fresh.keyWords) {
    if (shared.has(word)) continue;
    if (known.keyWords.includes(word) || isNamed(known.clause.names, word)) count++;
  }
  for (const word of known.keyWords) {
    if (shared.has(word) || fresh.keyWords.includes(word)) continue;
    if (isNamed(fresh.clause.names, word)) count++;
  }
  return count;
}

/** "Postgres" and "PostgreSQL", "Tomasz" and "Tomaz", "NYC" and "New York City" are no disagreement. */
function dropSpellings(mine: Item[], theirs: Item[]): void {
  if (mine.length === 0 || theirs.length === 0) return;
  const initials = (items: Item[]) => items.map(({ sense }) => sense.stem[0]).join('');
  if (
    (mine.length === 1 && theirs.length > 1 && mine[0]!.sense.stem === initials(theirs)) ||
    (theirs.length === 1 && mine.length > 1 && theirs[0]!.sense.stem === initials(mine))
  ) {
    mine.length = 0;
    theirs.length = 0;
    return;
  }
  for (let at = mine.length - 1; at >= 0; at--) {
    const twin = theirs.findIndex(({ sense }) => isSpelling(sense.stem, mine[at]!.sense.stem));
    if (twin < 0) continue;
    theirs.splice(twin, 1);
    mine.splice(at, 1);
  }
}

const hasDigit = (word: string) => /\d/.test(word);

function isSpelling(a: string, b: string): boolean {
  if (a[0] !== b[0]) return false;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length < 4 || hasDigit(short) || hasDigit(long)) return false;
  if (long.startsWith(short)) return true;
  if (short.length < 6 || long.length - short.length > 1) return false;
  let head = 0;
  while (head < short.length && short[head] === long[head]) head++;
  const rest = long.slice(head + 1);
  return rest === short.slice(head) || rest === short.slice(head + 1);
}

/** A conflict shown by the stretches of text from the first to the last of some items. */
export function phrases(
  kind: ConflictKind,
  fresh: Side,
  mine: readonly Item[],
  known: Side,
  theirs: readonly Item[],
): Conflict {
  return {
    kind,
    mine: cut(fresh.text.slice(mine[0]!.start, mine.at(-1)!.end)),
    theirs: cut(known.text.slice(theirs[0]!.start, theirs.at(-1)!.end)),
  };
}

/** No more than is worth showing, and never half a character. */
export function cut(phrase: string): string {
  return phrase.length <= MAX_PHRASE_CHARS
    ? phrase
    : phrase.slice(0, MAX_PHRASE_CHARS).replace(/[\uD800-\uDBFF]$/, '');
}
