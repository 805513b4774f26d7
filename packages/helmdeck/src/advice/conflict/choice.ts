import type { Clause, Item } from './clauses.ts';
import { type Conflict, type Frame, phrases, type Side } from './frame.ts';
import { rivalry, senseOf } from './words.ts';

const MAX_SLOT_WORDS = 3;
/** Longer words before "for" are a sentence rather than a choice. */
const MAX_PICKED_WORDS = 2;
// Choice conflicts: both clauses fill the same slot ("frontend framework is …") with different names.

/** Prepositions that restrict a statement: "for tests", "in staging". */
const NARROWING = new Set('for in on at during of to from with under'.split(' '));
const INDEFINITE = new Set(['a', 'an', 'one', 'ein', 'eine']);
const PLACES = new Set('in on at under behind near insid'.split(' '));

/** The names that only one clause has, and the word that introduces them. */
interface Slot {
  items: Item[];
  /** Where the slot begins among the items of its clause. */
  at: number;
  /** What introduces it: "is", "owned by", "lives in", "use", the start of the clause, or nothing known. */
  marker: 'copula' | 'fixed' | 'place' | 'chosen' | 'start' | 'none';
  markerAt: number;
  /** The stems of the verb and the preposition, which must be equal on both sides. */
  words: string;
  /** Whether a preposition after the slot restricts it. */
  narrowed: boolean;
}

/** A conflict of choice: one slot on each side, everything else shared, and only one answer possible. */
export function findChoice(incoming: Side, known: Side, frame: Frame): Conflict | undefined {
  const rival = findRivals(incoming, known, frame);
  if (rival) return rival;
  const mine = slotOf(incoming.clause, frame.mine, frame);
  const theirs = slotOf(known.clause, frame.theirs, frame);
  if (!mine || !theirs || (mine.narrowed && theirs.narrowed)) return undefined;
  if (!isOneAtATime(incoming, mine, known, theirs, frame)) return undefined;
  return phrases('choice', incoming, mine.items, known, theirs.items);
}

/** Options known to exclude each other need only a shared verb: "use tabs" and "use spaces". */
function findRivals(incoming: Side, known: Side, { mine, theirs, strength }: Frame): Conflict | undefined {
  if (mine.length !== 1 || theirs.length !== 1 || strength < 0.3) return undefined;
  const kind = rivalry(mine[0]!.sense.stem, theirs[0]!.sense.stem);
  return kind && phrases(kind, incoming, mine, known, theirs);
}

function slotOf(clause: Clause, extras: readonly Item[], frame: Frame): Slot | undefined {
  const { items } = clause;
  const at = items.indexOf(extras[0]!);
  const slot: Slot = { items: [], at, marker: 'none', markerAt: at, words: '', narrowed: false };
  const last = items.indexOf(extras.at(-1)!);
  for (let index = at; index <= last; index++) {
    const item = items[index]!;
    if (item.sense.role === 'preposition' && NARROWING.has(item.sense.stem)) {
      slot.narrowed = true;
      break;
    }
    // A list is not a choice.
    if (item.sense.role === 'copula' || item.sense.stem === 'and') return undefined;
    if (item.sense.role === 'name' || item.value) slot.items.push(item);
  }
  if (slot.items.length === 0 || countWords(slot.items) > MAX_SLOT_WORDS) return undefined;
  // "Postgres 16": the number belongs to the name.
  const after = items[items.indexOf(slot.items.at(-1)!) + 1];
  if (after?.value && after.value.unit === '') slot.items.push(after);
  return findMarker(items, slot, frame);
}

/** Parts of one hyphenated name count once. */
const countWords = (items: readonly Item[]) =>
  items.filter((item, index) => index === 0 || item.start > items[index - 1]!.end + 1 || item.value).length;

function findMarker(items: readonly Item[], slot: Slot, frame: Frame): Slot {
  let preposition = '';
  for (let index = slot.at - 1; index >= 0; index--) {
    const { sense } = items[index]!;
    slot.markerAt = index;
    if (sense.role === 'copula') {
      if (items.slice(index, slot.at).some((item) => item.sense.role === 'name' && !item.sense.singular))
        return slot;
      const marker = preposition === '' ? 'copula' : PLACES.has(preposition) ? 'place' : 'none';
      return { ...slot, marker, words: preposition };
    }
    if (sense.role === 'preposition' && preposition === '') preposition = sense.stem;
    else if (sense.role === 'preposition') return slot;
    else if (sense.role === 'name' && sense.fixes.includes(preposition)) {
      return { ...slot, marker: 'fixed', words: `${sense.stem} ${preposition}` };
    } else if (sense.chooses && preposition === '') return { ...slot, marker: 'chosen', words: '' };
    else if (sense.role === 'name' && !frame.shared.has(sense.stem)) return slot;
  }
  const done = doneBy(items, slot);
  if (done) return done;
  const isFirst = items.slice(0, slot.at).every(({ sense }) => sense.role === 'filler');
  return isFirst ? { ...slot, marker: 'start', markerAt: -1 } : slot;
}

/** "Kevin approves expense reports" fills the same slot as "expense reports are approved by Kevin". */
function doneBy(items: readonly Item[], slot: Slot): Slot | undefined {
  const verbAt = items.indexOf(slot.items.at(-1)!) + 1;
  const verb = items[verbAt]?.sense;
  if (slot.at > 2 || !verb?.fixes.includes('by')) return undefined;
  return { ...slot, marker: 'fixed', markerAt: verbAt, words: `${verb.stem} by` };
}

/** Whether only one of the two names can be true: that is what makes them a conflict. */
function isOneAtATime(incoming: Side, mine: Slot, known: Side, theirs: Slot, frame: Frame): boolean {
  const [a, b] = [incoming.clause, known.clause];
  if (mine.marker === 'copula' && theirs.marker === 'copula') return isIdentity(a, mine, b, theirs, frame);
  if (names(a, mine, frame) && names(b, theirs, frame)) return true;
  if (hasRole(a, mine, theirs, frame) || hasRole(b, theirs, mine, frame)) return true;
  if (mine.words !== theirs.words) return false;
  if (mine.marker === 'fixed' || mine.marker === 'place') {
    if (isIndefinite(a, mine) !== isIndefinite(b, theirs)) return false;
    return theirs.marker === mine.marker && hasTopic(a, mine, frame) && hasTopic(b, theirs, frame);
  }
  if (isBare(a, mine) && isBare(b, theirs))
    return incoming.keyWords.some((word) => isSharedAttribute(word, known));
  if (isPick(a, mine) && isPick(b, theirs))
    return isSamePurpose(a, mine, frame) && isSamePurpose(b, theirs, frame);
  return false;
}

/** "the owner of the app is Pavel" and "the app is owned by Yasmin". */
function hasRole(clause: Clause, slot: Slot, done: Slot, frame: Frame): boolean {
  if (done.marker !== 'fixed' || !done.words.endsWith(' by') || frame.spoken < 2) return false;
  const role = done.words.slice(0, -' by'.length);
  return names(clause, slot, frame) && clause.items.some(({ sense }) => sense.stem === role);
}

/** A value that is only the choice, with the attribute in its key: `preferences/editor`, "Neovim". */
const isBare = ({ names, values }: Clause, { marker, items }: Slot) =>
  marker === 'start' && names.length + values.length === items.length;
const isSharedAttribute = (word: string, { keyWords }: Side) =>
  keyWords.includes(word) && senseOf(word).singular;

/** "use pnpm for …", or "pnpm for …" without a verb. */
const isPick = ({ items }: Clause, { marker, items: picked }: Slot) =>
  marker === 'chosen' ||
  (marker === 'start' && items.indexOf(picked.at(-1)!) - items.indexOf(picked[0]!) < MAX_PICKED_WORDS);
const isStrong = (item: Item, frame: Frame) => item.sense.weight === 1 && frame.shared.has(item.sense.stem);
const before = ({ items }: Clause, at: number) => items.slice(0, at);

/** "in a second region" describes, "in S3" names. */
const isIndefinite = ({ items }: Clause, { at }: Slot) => INDEFINITE.has(items[at - 1]?.sense.stem ?? '');

const hasSubject = (clause: Clause, slot: Slot, frame: Frame) =>
  before(clause, slot.markerAt).some((item) => isStrong(item, frame));
/** A shared topic before the slot ("logs are stored in …"), or the caller as subject ("I live in …"). */
const hasTopic = (clause: Clause, slot: Slot, frame: Frame) =>
  clause.items.some(
    (item, at) =>
      at < Math.max(slot.at, slot.markerAt + MAX_SLOT_WORDS) && at !== slot.markerAt && isStrong(item, frame),
  ) ||
  clause.ofSelf ||
  before(clause, slot.markerAt).every(({ sense }) => sense.role === 'filler');

/** "my manager is Tomasz": a noun of which there is one, or two proper names. */
function isIdentity(a: Clause, mine: Slot, b: Clause, theirs: Slot, frame: Frame): boolean {
  if (!hasSubject(a, mine, frame) || !hasSubject(b, theirs, frame)) return false;
  if (describes(mine) || describes(theirs)) return false;
  const hasOne = (clause: Clause, slot: Slot) =>
    before(clause, slot.markerAt).some((item) => item.sense.singular && isStrong(item, frame));
  if ((hasOne(a, mine) && hasOne(b, theirs)) || (mine.items[0]!.capital && theirs.items[0]!.capital))
    return true;
  return a.items[mine.at - 1]!.sense.stem === 'the' && b.items[theirs.at - 1]!.sense.stem === 'the';
}

const describes = ({ items: [first] }: Slot) =>
  first!.sense.descriptive ||
  first!.sense.fixes.length > 0 ||
  first!.sense.negative ||
  first!.sense.weight < 1;

/** "Tomasz is my manager" and "my manager is Dana": the same identity in either order. */
const names = (clause: Clause, slot: Slot, frame: Frame) =>
  isInverse(clause, slot, frame) ||
  isUsedAs(clause, slot, frame) ||
  (slot.marker === 'copula' && hasSubject(clause, slot, frame) && !describes(slot));

/** "we use Redshift as our warehouse" */
function isUsedAs({ items }: Clause, slot: Slot, frame: Frame): boolean {
  const next = items.indexOf(slot.items.at(-1)!) + 1;
  if (slot.marker !== 'chosen' || items[next]?.sense.stem !== 'as') return false;
  return items.slice(next).some((item) => item.sense.singular && isStrong(item, frame));
}

function isInverse({ items }: Clause, slot: Slot, frame: Frame): boolean {
  if (slot.marker !== 'start') return false;
  const copula = items.findIndex(({ sense }, index) => index > slot.at && sense.role === 'copula');
  const next = items[copula + 1];
  // "a maintainer" is one of several.
  if (copula < 0 || !next || INDEFINITE.has(next.sense.stem)) return false;
  if (next.sense.role !== 'filler' && !isStrong(next, frame)) return false;
  return items.slice(copula + 1).some((item) => item.sense.singular && isStrong(item, frame));
}

/** A shared purpose after the slot: "use pnpm for installs", "Go for backend services", "use British spelling". */
function isSamePurpose({ items }: Clause, slot: Slot, frame: Frame): boolean {
  const rest = items.slice(items.indexOf(slot.items.at(-1)!) + 1);
  const [next] = rest;
  if (!next) return false;
  if (next.sense.stem === 'for' || next.sense.stem === 'as')
    return rest.some((item) => isStrong(item, frame));
  return slot.marker === 'chosen' && next.sense.singular && isStrong(next, frame);
}
