import type { Clause, Item } from './clauses.ts';
import { isSpelling } from './words.ts';

export type ConflictKind = 'number' | 'date' | 'polarity' | 'choice';

/** The two words, numbers or phrases that contradict each other: `mine` of the incoming statement, `theirs` of the known. */
export interface Conflict {
  kind: ConflictKind;
  mine: string;
  theirs: string;
}

/** One clause with the context of its statement. */
export interface Side {
  clause: Clause;
  text: string;
  /** Every stem of the statement: value, key and tags. */
  all: ReadonlySet<string>;
  values: readonly Item[];
  keyWords: readonly string[];
}

/** What two clauses share, and what only one of them names. */
export interface Frame {
  /** `spoken`, plus half for each word that only the keys share. */
  strength: number;
  /** The summed weight of the names in both clauses. */
  spoken: number;
  shared: ReadonlySet<string>;
  mine: Item[];
  theirs: Item[];
}

const MAX_PHRASE_CHARS = 80;
/** As much as one shared verb. */
const MIN_STRENGTH = 0.3;

/** The frame of two clauses, with synonyms and spellings unified; undefined if they share next to nothing. */
export function frameOf(incoming: Side, known: Side): Frame | undefined {
  const mineNames = incoming.clause.names;
  const theirNames = known.clause.names;
  const shared = new Set<string>();
  let spoken = 0;
  for (const { sense } of mineNames) {
    const weight = weightAmong(theirNames, sense.stem);
    if (weight < 0 || shared.has(sense.stem)) continue;
    shared.add(sense.stem);
    spoken += Math.min(weight, sense.weight);
  }
  const strength = spoken + 0.5 * sharedByKeys(incoming, known, shared);
  const bothReject = incoming.clause.rejected.length > 0 && known.clause.rejected.length > 0;
  if (strength < MIN_STRENGTH && !bothReject) return undefined;
  const mine = mineNames.filter(({ sense }) => sense.weight === 1 && !known.all.has(sense.stem));
  const theirs = theirNames.filter(({ sense }) => sense.weight === 1 && !incoming.all.has(sense.stem));
  dropSpellings(mine, theirs);
  return { strength, spoken, shared, mine, theirs };
}

/** Whether a stem is among the names. */
export const isNamed = (names: readonly Item[], stem: string): boolean => weightAmong(names, stem) >= 0;

// A loop without a closure: this runs for every word of every pair of clauses.
function weightAmong(names: readonly Item[], stem: string): number {
  for (const { sense } of names) if (sense.stem === stem) return sense.weight;
  return -1;
}

/** How many words one key shares with the other key or the other clause. */
function sharedByKeys(incoming: Side, known: Side, shared: ReadonlySet<string>): number {
  let count = 0;
  for (const word of incoming.keyWords) {
    if (shared.has(word)) continue;
    if (known.keyWords.includes(word) || isNamed(known.clause.names, word)) count++;
  }
  for (const word of known.keyWords) {
    if (shared.has(word) || incoming.keyWords.includes(word)) continue;
    if (isNamed(incoming.clause.names, word)) count++;
  }
  return count;
}

/** Removes spellings of the same name: "Postgres" and "PostgreSQL", "Tomasz" and "Tomaz", "NYC" and "New York City". */
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

/** A conflict whose phrases reach from the first to the last of the given items. */
export function phrases(
  kind: ConflictKind,
  incoming: Side,
  mine: readonly Item[],
  known: Side,
  theirs: readonly Item[],
): Conflict {
  return {
    kind,
    mine: cut(incoming.text.slice(mine[0]!.start, mine.at(-1)!.end)),
    theirs: cut(known.text.slice(theirs[0]!.start, theirs.at(-1)!.end)),
  };
}

/** Cuts a phrase for display without splitting a surrogate pair. */
export function cut(phrase: string): string {
  return phrase.length <= MAX_PHRASE_CHARS
    ? phrase
    : phrase.slice(0, MAX_PHRASE_CHARS).replace(/[\uD800-\uDBFF]$/, '');
}
