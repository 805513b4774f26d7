import { compareAllValues, type ValueDifference } from './amounts.ts';
import { findChoice } from './choice.ts';
import type { Clause, Item } from './clauses.ts';
import { type Conflict, cut, type Frame, frameOf, isNamed, phrases, type Side } from './frame.ts';

/** With this much in common, a word that only one side adds after the value is an addition. */
const SOLID = 2;
/** "I work 07:30–15:30": the caller is the subject, so a verb is enough. */
const SELF_STRENGTH = 0.7;

/** How two clauses disagree, if they speak of the same and do. */
export function compareClauses(fresh: Side, known: Side): Conflict | undefined {
  const [a, b] = [fresh.clause, known.clause];
  // What was and what is may differ without disagreeing.
  if (a.past !== b.past || a.bound * b.bound < 0) return undefined;
  const frame = frameOf(fresh, known);
  if (!frame) return undefined;
  const swap = findReversal(fresh, known, frame);
  if (swap || frame.strength === 0) return swap;
  const values = compareAllValues(fresh, known);
  if (values === 'other subject') return undefined;
  const isSameFrame = frame.mine.length === 0 && frame.theirs.length === 0;
  if (a.negative !== b.negative) {
    return isSameFrame && values === undefined ? findPolarity(fresh, known, frame) : undefined;
  }
  if (values) return isValueFrame(fresh, known, frame, values) ? report(values, fresh, known) : undefined;
  if (a.event || b.event || frame.mine.length === 0 || frame.theirs.length === 0) return undefined;
  return findChoice(fresh, known, frame);
}

function isValueFrame(fresh: Side, known: Side, frame: Frame, { mine, theirs }: ValueDifference): boolean {
  const [a, b] = [fresh.clause, known.clause];
  const strength = frame.strength + (a.ofSelf && b.ofSelf ? SELF_STRENGTH : 0);
  if (a.event || b.event || a.conditional !== b.conditional || strength < 1) return false;
  // A subject on each side that the other does not know: two subjects.
  if (frame.mine.length > 0 && frame.theirs.length > 0) return false;
  const extras = frame.mine.length > 0 ? frame.mine : frame.theirs;
  if (extras.length === 0) return true;
  const valueStart = frame.mine.length > 0 ? mine.start : theirs.start;
  return frame.strength >= SOLID && extras.length <= 3 && extras.every(({ start }) => start > valueStart);
}

/** "React over Vue" against "Vue over React", or against a plain "use Vue". */
function findReversal(fresh: Side, known: Side, frame: Frame): Conflict | undefined {
  const [a, b] = [fresh.clause, known.clause];
  if (a.rejected.length === 0 && b.rejected.length === 0) return undefined;
  const takesWhatIsRejected = (rejected: readonly Item[], chosen: Clause) =>
    !chosen.negative &&
    rejected.some(({ sense }) => sense.weight === 1) &&
    rejected.every(({ sense }) => sense.weight < 1 || isNamed(chosen.names, sense.stem));
  const iTake = takesWhatIsRejected(b.rejected, a);
  const theyTake = takesWhatIsRejected(a.rejected, b);
  if (iTake && theyTake) return phrases('choice', fresh, a.names, known, b.names);
  if (a.negative !== b.negative || frame.strength < 1) return undefined;
  const rejectedBy = (rejected: readonly Item[], names: readonly Item[]) =>
    names.filter((name) => rejected.some(({ sense }) => sense.stem === name.sense.stem));
  if (iTake && frame.mine.length === 0 && frame.theirs.length > 0) {
    return phrases('choice', fresh, rejectedBy(b.rejected, a.names), known, frame.theirs);
  }
  if (theyTake && frame.theirs.length === 0 && frame.mine.length > 0) {
    return phrases('choice', fresh, frame.mine, known, rejectedBy(a.rejected, b.names));
  }
  return undefined;
}

function findPolarity(fresh: Side, known: Side, frame: Frame): Conflict | undefined {
  const [a, b] = [fresh.clause, known.clause];
  if (frame.spoken < 1 || a.conditional !== b.conditional || a.event || b.event) return undefined;
  return { kind: 'polarity', mine: signPhrase(fresh), theirs: signPhrase(known) };
}

/** The word that carries the sign with the word it is about: "never deploy", "disabled". */
function signPhrase({ clause, text }: Side): string {
  const { items, names } = clause;
  const sign =
    items.find(({ sense }) => sense.negative) ?? items.find(({ sense }) => sense.role === 'negator');
  if (!sign) return cut(text.slice(items[0]!.start, items.at(-1)!.end));
  if (sign.sense.negative) return cut(text.slice(sign.start, sign.end));
  const about = names.find(({ start }) => start > sign.start) ?? sign;
  return cut(text.slice(sign.start, about.end));
}

const DATED = new Set(['date', 'weekday', 'time']);

function report({ mine, theirs }: ValueDifference, fresh: Side, known: Side): Conflict {
  const kind = DATED.has(mine.value!.type) ? 'date' : 'number';
  return phrases(kind, fresh, [mine], known, [theirs]);
}
