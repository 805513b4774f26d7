import type { Clause, Item } from './clauses.ts';
import type { Side } from './frame.ts';
import { compareValues } from './values.ts';

/** Two values that answer the same question differently. */
export interface ValueDifference {
  mine: Item;
  theirs: Item;
}

/** The first value of one clause that the other gives otherwise. */
export function compareAllValues(fresh: Side, known: Side): ValueDifference | 'other subject' | undefined {
  const [a, b] = [fresh.clause, known.clause];
  let found: ValueDifference | undefined;
  for (const mine of a.values) {
    const theirs = counterpart(a, mine, b);
    if (!theirs || compareValues(mine.value!, theirs.value!) !== 'different') continue;
    // What answers to what must not depend on which statement is the new one.
    if (counterpart(b, theirs, a) !== mine) continue;
    if (isLabel(a, mine) && isLabel(b, theirs)) return 'other subject';
    if (isRefinement(a, mine, theirs)) continue;
    if (saysElsewhere(known, mine) || saysElsewhere(fresh, theirs)) continue;
    found ??= { mine, theirs };
  }
  return found;
}

const isAlike = (clauseA: Clause, a: Item, clauseB: Clause, b: Item) =>
  compareValues(a.value!, b.value!) !== 'unrelated' && isSameCounted(clauseA, a, clauseB, b);

/** The value of the other clause that answers to this one: as many alike on both sides, taken in order. */
function counterpart(a: Clause, mine: Item, b: Clause): Item | undefined {
  const alike = b.values.filter((other) => isAlike(a, mine, b, other));
  if (alike.length === 0) return undefined;
  const ours = a.values.filter((other) => isAlike(a, other, a, mine));
  const rank = ours.indexOf(mine);
  // "Tuesday and Thursday" says no other than "Thursday and Tuesday".
  if (isAmong(alike, mine)) return alike.find((other) => compareValues(mine.value!, other.value!) === 'same');
  if (alike.length === ours.length) return isAmong(ours, alike[rank]!) ? undefined : alike[rank];
  // Of lists of days, one may leave some out; with none in common, the first of each is shown.
  const isList = mine.value!.type === 'weekday' && rank === 0;
  return isList && !ours.some((one) => isAmong(alike, one)) ? alike[0] : undefined;
}

const isAmong = (items: readonly Item[], item: Item) =>
  items.some((other) => compareValues(other.value!, item.value!) === 'same');

/** Plain numbers compare only when they count the same: replicas with replicas. */
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

/** "sprint 12 ends", "room 5 has": the number names the subject. */
function isLabel(clause: Clause, item: Item): boolean {
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

/** Node 22 and Node 22.4 agree. */
function isRefinement(clause: Clause, mine: Item, theirs: Item): boolean {
  const [a, b] = [mine.value!, theirs.value!];
  if (a.type !== 'quantity' || b.type !== 'quantity' || a.unit !== '' || label(clause, mine) === '')
    return false;
  const isWhole = Number.isInteger(a.amount) !== Number.isInteger(b.amount);
  return isWhole && Math.floor(a.amount) === Math.floor(b.amount);
}

function saysElsewhere(side: Side, item: Item): boolean {
  if (side.values.length === side.clause.values.length) return false;
  return side.values.some(
    (other) => !side.clause.values.includes(other) && compareValues(other.value!, item.value!) === 'same',
  );
}
