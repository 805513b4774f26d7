import type { Clause, Item } from './clauses.ts';
import type { Side } from './frame.ts';
import { compareValues } from './values.ts';
import { senseOf } from './words.ts';

// Pairs up the numbers, dates and times of two clauses and finds the first pair that differs.

/** A value of the incoming clause and the different one that the known clause has in its place. */
export interface ValueDifference {
  mine: Item;
  theirs: Item;
}

/** The first pair of values that differ; `other subject` if the numbers are labels, as in "sprint 12" and "sprint 13". */
export function compareAllValues(incoming: Side, known: Side): ValueDifference | 'other subject' | undefined {
  const [a, b] = [incoming.clause, known.clause];
  let found: ValueDifference | undefined;
  for (const mine of a.values) {
    const theirs = counterpart(a, mine, b);
    if (!theirs || compareValues(mine.value!, theirs.value!) !== 'different') continue;
    // Pairing must be symmetric: independent of which statement is the incoming one.
    if (counterpart(b, theirs, a) !== mine) continue;
    if (isLabel(a, mine) && isLabel(b, theirs)) return 'other subject';
    if (isRefinement(a, mine, theirs)) continue;
    if (hasElsewhere(known, mine) || hasElsewhere(incoming, theirs)) continue;
    found ??= { mine, theirs };
  }
  return found;
}

const isComparable = (clauseA: Clause, a: Item, clauseB: Clause, b: Item) =>
  compareValues(a.value!, b.value!) !== 'unrelated' && isSameCounted(clauseA, a, clauseB, b);

/** The value of the other clause in place of this one: comparable values are paired in order if both have as many. */
function counterpart(a: Clause, mine: Item, b: Clause): Item | undefined {
  const comparable = b.values.filter((other) => isComparable(a, mine, b, other));
  if (comparable.length === 0) return undefined;
  const ours = a.values.filter((other) => isComparable(a, other, a, mine));
  const rank = ours.indexOf(mine);
  // "Tuesday and Thursday" equals "Thursday and Tuesday".
  if (isAmong(comparable, mine))
    return comparable.find((other) => compareValues(mine.value!, other.value!) === 'same');
  if (comparable.length === ours.length)
    return isAmong(ours, comparable[rank]!) ? undefined : comparable[rank];
  // One list of days may omit some of the other; only if they share none, the first of each differ.
  const isList = mine.value!.type === 'weekday' && rank === 0;
  return isList && !ours.some((one) => isAmong(comparable, one)) ? comparable[0] : undefined;
}

const isAmong = (items: readonly Item[], item: Item) =>
  items.some((other) => compareValues(other.value!, item.value!) === 'same');

/** Plain numbers are comparable only if they count the same noun: replicas with replicas. */
function isSameCounted(clauseA: Clause, a: Item, clauseB: Clause, b: Item): boolean {
  if (a.value!.unit !== '' || (a.value!.type !== 'quantity' && a.value!.type !== 'version')) return true;
  const [countedA, countedB] = [counted(clauseA, a), counted(clauseB, b)];
  if (countedA !== '' && countedB !== '') return countedA === countedB;
  return label(clauseA, a) === label(clauseB, b) || countedA === countedB;
}

const counted = (clause: Clause, item: Item) => nameAt(clause, clause.items.indexOf(item) + 1);
const label = (clause: Clause, item: Item) => nameAt(clause, clause.items.indexOf(item) - 1);
const nameAt = (clause: Clause, at: number) => {
  const item = clause.items[at];
  return item && !item.value && item.sense.role === 'name' && item.sense.weight === 1 ? item.sense.stem : '';
};

/** "note", "item", "customer": words for one of a series, which a number after them tells from the others. */
const SERIES = new Set(
  `note fact item entry record message task ticket issue question example point step part section chapter page lesson
   episode customer client patient order invoice contract account supplier kunde patient bestellung auftrag rechnung vertrag konto
   lieferant`
    .split(/\s+/)
    .map((word) => senseOf(word).stem),
);
const NUMBERING = new Set(['number', 'num', 'nr'].map((word) => senseOf(word).stem));

/**
 * "Note number 1 about …", "Item 2 in the list": the number identifies the subject. Not after a preposition or about the
 * caller: in "I live at house number 5" it is what is said of the subject.
 */
function isNumbered(clause: Clause, item: Item): boolean {
  const at = clause.items.indexOf(item);
  const word = clause.items[at - 1];
  if (!word || word.value || clause.ofSelf) return false;
  const isSubject = clause.items.slice(0, at).every(({ sense }) => sense.role !== 'preposition');
  if (!isSubject || !NUMBERING.has(word.sense.stem)) return isSubject && SERIES.has(word.sense.stem);
  const numbered = clause.items[at - 2]?.sense;
  return numbered !== undefined && (numbered.role === 'name' || SERIES.has(numbered.stem));
}

/** "sprint 12 ends", "room 5 has": the number names the subject. */
function isLabel(clause: Clause, item: Item): boolean {
  if (item.value!.unit === '' && item.value!.type === 'quantity' && isNumbered(clause, item)) return true;
  if (item.value!.unit !== '' || label(clause, item) === '') return false;
  if (item.value!.type !== 'quantity' && item.value!.type !== 'version') return false;
  const next = clause.items[clause.items.indexOf(item) + 1];
  if (!next || next.value) return false;
  const { role, fixes, once, weight } = next.sense;
  return (
    role === 'copula' ||
    (role === 'filler' && next.end - next.start > 2) ||
    fixes.length > 0 ||
    once ||
    weight === 0.3
  );
}

/** Whether one version only refines the other: Node 22 and Node 22.4. */
function isRefinement(clause: Clause, mine: Item, theirs: Item): boolean {
  const [a, b] = [mine.value!, theirs.value!];
  if (a.type !== 'quantity' || b.type !== 'quantity' || a.unit !== '' || label(clause, mine) === '')
    return false;
  const isOneWhole = Number.isInteger(a.amount) !== Number.isInteger(b.amount);
  return isOneWhole && Math.floor(a.amount) === Math.floor(b.amount);
}

/** Whether another clause of the statement has this value. */
function hasElsewhere(side: Side, item: Item): boolean {
  if (side.values.length === side.clause.values.length) return false;
  return side.values.some(
    (other) => !side.clause.values.includes(other) && compareValues(other.value!, item.value!) === 'same',
  );
}
