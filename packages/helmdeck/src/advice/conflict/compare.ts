import { compareAllValues, type ValueDifference } from './amounts.ts';
import { findChoice } from './choice.ts';
import type { Clause, Item } from './clauses.ts';
import { type Conflict, cut, type Frame, frameOf, isNamed, phrases, type Side } from './frame.ts';
import { compareValues, type Value } from './values.ts';

/** From this frame strength on, words that only one side adds after its value are an addition, not another subject. */
const MIN_STRENGTH_FOR_ADDITIONS = 2;
/** "I work 07:30–15:30": the caller is the subject, so a shared verb suffices. */
const SELF_STRENGTH = 0.7;

/** The conflict of two clauses, if they share a subject and disagree about it. */
export function compareClauses(incoming: Side, known: Side): Conflict | undefined {
  const [a, b] = [incoming.clause, known.clause];
  // Past and present may differ without a conflict, and so may "under 6" and "over 8".
  if (a.past !== b.past || a.bound * b.bound < 0) return undefined;
  const frame = frameOf(incoming, known);
  if (!frame) return undefined;
  const reversal = findReversal(incoming, known, frame);
  if (reversal || frame.strength === 0) return reversal;
  const values = compareAllValues(incoming, known);
  if (values === 'other subject') return undefined;
  const isSameFrame = frame.mine.length === 0 && frame.theirs.length === 0;
  if (a.planned !== b.planned && !isDated(values)) return undefined;
  if (a.negative !== b.negative) {
    return isSameFrame && values === undefined ? findPolarity(incoming, known, frame) : undefined;
  }
  if (values)
    return isValueFrame(incoming, known, frame, values) ? report(values, incoming, known) : undefined;
  if (a.event || b.event || frame.mine.length === 0 || frame.theirs.length === 0) return undefined;
  return findChoice(incoming, known, frame);
}

/** Whether the rest of the two clauses agrees, so that different values are a conflict. */
function isValueFrame(incoming: Side, known: Side, frame: Frame, { mine, theirs }: ValueDifference): boolean {
  const [a, b] = [incoming.clause, known.clause];
  const strength = frame.strength + (a.ofSelf && b.ofSelf ? SELF_STRENGTH : 0);
  if (a.event || b.event || a.conditional !== b.conditional || strength < 1) return false;
  if (isWithinBounds(a, mine, b, theirs) || isScoped(a, b) || isScoped(b, a)) return false;
  if (isOtherOccasion(a, b) || isOtherOccasion(b, a)) return false;
  if (hasOwnLimit(a, mine, b) || hasOwnLimit(b, theirs, a)) return false;
  // "3 times if it returns 503", "5 times if it returns 429": another condition.
  if (a.conditional && Math.max(changedValues(a, b).length, changedValues(b, a).length) > 1) return false;
  // Each side names something the other does not: two subjects.
  if (frame.mine.length > 0 && frame.theirs.length > 0) return false;
  const extras = frame.mine.length > 0 ? frame.mine : frame.theirs;
  if (extras.length === 0) return true;
  const clause = frame.mine.length > 0 ? a : b;
  if (isNarrowed(clause, extras[0]!)) return false;
  const valueStart = frame.mine.length > 0 ? mine.start : theirs.start;
  return (
    frame.strength >= MIN_STRENGTH_FOR_ADDITIONS &&
    extras.length <= 3 &&
    extras.every(({ start }) => start > valueStart)
  );
}

/** "at least 3" and "5", "about 200" and "210" agree. */
function isWithinBounds(a: Clause, mine: Item, b: Clause, theirs: Item): boolean {
  const [left, right] = [mine.value!.amount, theirs.value!.amount];
  if (a.approximate || b.approximate) return Math.abs(left - right) <= 0.25 * Math.max(left, right);
  if (a.bound === b.bound) return false;
  return a.bound - b.bound > 0 ? right >= left : left >= right;
}

/** "opens at 10:00 on weekends", "60 s for uploads": one side restricts itself to a case, and the other does not. */
function isScoped(one: Clause, other: Clause): boolean {
  const days = (clause: Clause) => clause.values.filter(({ value }) => isDay(value!.type)).length;
  return days(one) > 0 && days(other) === 0;
}
/** "60 s for uploads", "3 people in Berlin". */
function isNarrowed({ items }: Clause, extra: Item): boolean {
  let at = items.indexOf(extra) - 1;
  while (items[at]?.sense.role === 'filler') at--;
  return NARROWING.has(items[at]?.sense.stem ?? '');
}
const changedValues = (a: Clause, b: Clause) =>
  a.values.filter(({ value }) => b.values.every((other) => compareValues(value!, other.value!) !== 'same'));

/** "2 million in 2023", "3 million in 2024": another number at another time, or of another version. */
function isOtherOccasion(a: Clause, b: Clause): boolean {
  const changed = changedValues(a, b).map(({ value }) => value!);
  const isNaming = ({ type, year, month }: Value) => type === 'version' || (year > 0 && month === 0);
  const dates = changed.filter(({ type }) => DATE_TYPES.has(type));
  return (
    (dates.length > 0 && dates.length < changed.length) || (changed.length > 1 && changed.some(isNaming))
  );
}

/** "invoices over 10,000 euros are due in 30 days": a number that only one side has limits what the other number is about. */
const hasOwnLimit = (one: Clause, value: Item, other: Clause) =>
  one.values.some(
    (limit) =>
      limit.start < value.start &&
      other.values.every((known) => compareValues(limit.value!, known.value!) === 'unrelated'),
  );
const isDay = (type: string) => type === 'weekday' || type === 'date';
const isDated = (difference: ValueDifference | undefined) =>
  difference !== undefined && DATE_TYPES.has(difference.mine.value!.type);

/** "React over Vue" against "Vue over React", or against a plain "use Vue". */
function findReversal(incoming: Side, known: Side, frame: Frame): Conflict | undefined {
  const [a, b] = [incoming.clause, known.clause];
  if (a.rejected.length === 0 && b.rejected.length === 0) return undefined;
  const takesWhatIsRejected = (rejected: readonly Item[], chosen: Clause) =>
    !chosen.negative &&
    rejected.some(({ sense }) => sense.weight === 1) &&
    rejected.every(({ sense }) => sense.weight < 1 || isNamed(chosen.names, sense.stem));
  const iTake = takesWhatIsRejected(b.rejected, a);
  const theyTake = takesWhatIsRejected(a.rejected, b);
  if (iTake && theyTake) return phrases('choice', incoming, a.names, known, b.names);
  if (a.negative !== b.negative || frame.strength < 1) return undefined;
  const rejectedBy = (rejected: readonly Item[], names: readonly Item[]) =>
    names.filter((name) => rejected.some(({ sense }) => sense.stem === name.sense.stem));
  if (iTake && frame.mine.length === 0 && frame.theirs.length > 0) {
    return phrases('choice', incoming, rejectedBy(b.rejected, a.names), known, frame.theirs);
  }
  if (theyTake && frame.theirs.length === 0 && frame.mine.length > 0) {
    return phrases('choice', incoming, frame.mine, known, rejectedBy(a.rejected, b.names));
  }
  return undefined;
}

function findPolarity(incoming: Side, known: Side, frame: Frame): Conflict | undefined {
  const [a, b] = [incoming.clause, known.clause];
  if (frame.spoken < 1 || a.conditional !== b.conditional || a.event || b.event) return undefined;
  // Each clause by itself: that a statement names a word elsewhere does not make the clause about it.
  const others = [...a.names, ...b.names].filter(
    ({ sense }) => sense.weight === 1 && !frame.shared.has(sense.stem),
  );
  if (others.length > frame.spoken) return undefined;
  return { kind: 'polarity', mine: negationPhrase(incoming), theirs: negationPhrase(known) };
}

/** The negation with the word it applies to: "never deploy", "disabled". */
function negationPhrase({ clause, text }: Side): string {
  const { items, names } = clause;
  const negation =
    items.find(({ sense }) => sense.negative) ?? items.find(({ sense }) => sense.role === 'negator');
  if (!negation) return cut(text.slice(items[0]!.start, items.at(-1)!.end));
  if (negation.sense.negative) return cut(text.slice(negation.start, negation.end));
  const about = names.find(({ start }) => start > negation.start) ?? negation;
  return cut(text.slice(negation.start, about.end));
}

/** Prepositions after which a word restricts the statement to a case. */
const NARROWING = new Set('for during in under at within'.split(' '));
const DATE_TYPES = new Set(['date', 'weekday', 'time']);

function report({ mine, theirs }: ValueDifference, incoming: Side, known: Side): Conflict {
  const kind = DATE_TYPES.has(mine.value!.type) ? 'date' : 'number';
  return phrases(kind, incoming, [mine], known, [theirs]);
}
