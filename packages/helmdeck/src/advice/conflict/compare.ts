import { compareAllValues, type ValueDifference } from './amounts.ts';
import { findChoice } from './choice.ts';
import type { Clause, Item } from './clauses.ts';
import { type Conflict, cut, type Frame, frameOf, isNamed, phrases, type Side } from './frame.ts';

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
  // Each side names something the other does not: two subjects.
  if (frame.mine.length > 0 && frame.theirs.length > 0) return false;
  const extras = frame.mine.length > 0 ? frame.mine : frame.theirs;
  if (extras.length === 0) return true;
  const valueStart = frame.mine.length > 0 ? mine.start : theirs.start;
  return (
    frame.strength >= MIN_STRENGTH_FOR_ADDITIONS &&
    extras.length <= 3 &&
    extras.every(({ start }) => start > valueStart)
  );
}

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

const DATE_TYPES = new Set(['date', 'weekday', 'time']);

function report({ mine, theirs }: ValueDifference, incoming: Side, known: Side): Conflict {
  const kind = DATE_TYPES.has(mine.value!.type) ? 'date' : 'number';
  return phrases(kind, incoming, [mine], known, [theirs]);
}
