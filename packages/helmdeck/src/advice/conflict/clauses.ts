import type { Token } from './tokens.ts';
import { perSecond, readValue, secondsOf, type Value } from './values.ts';
import { senseOf, type WordSense } from './words.ts';

/** A word or a value with its position in the text. */
export interface Item {
  sense: WordSense;
  start: number;
  end: number;
  capital: boolean;
  value?: Value;
}

/** One assertion of a statement: "staging has 3 replicas". */
export interface Clause {
  items: Item[];
  /** The words that name something, in order, without rejected ones. */
  names: Item[];
  values: Item[];
  /** An odd number of negations: "not", "disabled", "avoid". */
  negative: boolean;
  /** Holds only under a condition ("unless", "if"), so its opposite may hold as well. */
  conditional: boolean;
  /** About the past: "used to", "previously", "was". */
  past: boolean;
  /** About a plan or wish: "will", "wants to", "evaluating". */
  planned: boolean;
  /** About something that happened and may happen again: another date or number is another event. */
  event: boolean;
  /** -1 for "under 6 hours", 1 for "over 6 hours", 0 without such a bound. */
  bound: -1 | 0 | 1;
  /** The number is approximate: "about 200". */
  approximate: boolean;
  /** About the caller: "I", "our", "the user". */
  ofSelf: boolean;
  /** Rejected alternatives: Vue in "React over Vue", Route53 in "Cloudflare, not Route53". */
  rejected: Item[];
}

const MAX_CLAUSES = 8;
/** A bound for texts such as tables of numbers. */
const MAX_VALUES = 8;

const HARD_BREAK = /[.!?;\n…]/;
const SOFT_BREAK = /[,()[\]—–:]/;
const CONDITIONS = new Set('unless if when except whenever while only wenn falls außer'.split(' '));
const PAST = new Set(
  'was were previously formerly originally once had war waren früher ehemals lived worked wohnte arbeitete lebte'.split(
    ' ',
  ),
);
const PLANS = new Set('will would evaluating considering möchte möchten wollen'.split(' '));
/** "every 5 minutes" is no duration. */
const EVERY = /^(?:every|alle)$/;
const INTENTIONS = /^(?:want|plan|intend|hope|wish|going)/;
const APPROXIMATE = new Set('about around approximately roughly circa ca nearly almost etwa rund'.split(' '));
/** "was raised to 45 s" tells what holds now. */
const CHANGED =
  /^(?:moved|changed|raised|increased|reduced|lowered|decreased|postponed|updated|upgraded|extended|shortened|set)$/;
/** After these, "from A to B" rejects A. */
const SWITCHING = /^(?:switch|migrat|mov|chang|convert)(?:e|es|s|ed|ing)?$/;
const BELOW = new Set(
  'under below less fewer shorter smaller cheaper younger lower slower höchstens'.split(' '),
);
const ABOVE = new Set('over above more longer larger bigger exceeding mindestens'.split(' '));
const SELF = new Set('i me my mine we our user'.split(' '));
/** With these a participle is not past tense: "must be filed", "is managed". */
const PRESENT = new Set('is are has have be being'.split(' '));
const BREAKING_WORDS = new Set('because but whereas although though while since'.split(' '));
const IRREGULAR_PAST = new Set(
  `went ran saw took made bought got came gave found told felt left met sent spent won lost ate drank drove flew
   swam wrote read spoke thought brought taught caught sold began grew knew threw wore broke chose did had
   attended said heard held kept stood understood slept fell rode sang sat hit hurt beat built`.split(/\s+/),
);

/** Splits a tokenised text into clauses, at most `MAX_CLAUSES`. */
export function clausesOf(tokens: readonly Token[]): Clause[] {
  const clauses: Clause[] = [];
  let from = 0;
  for (let at = 1; at <= tokens.length && clauses.length < MAX_CLAUSES; at++) {
    if (at < tokens.length && !breaksBefore(tokens, from, at)) continue;
    addClause(clauses, tokens.slice(from, at));
    from = at;
  }
  return clauses;
}

function breaksBefore(tokens: readonly Token[], from: number, at: number): boolean {
  const { gap, lower } = tokens[at]!;
  if (HARD_BREAK.test(gap)) return true;
  if (BREAKING_WORDS.has(lower)) return true;
  if (!SOFT_BREAK.test(gap)) return false;
  // A colon after a name means "is"; "May 3, 2026" and "in Rome, on Monday," do not end a clause.
  if (gap.includes(':') && at - from <= 8) return false;
  if (/^(?:19|20)\d\d$/.test(lower)) return false;
  // "Max, our cat, is 8": the copula belongs to the subject before the comma.
  if (senseOf(lower).role === 'copula') return false;
  return senseOf(lower).role !== 'preposition' && senseOf(tokens[from]!.lower).role !== 'preposition';
}

function addClause(clauses: Clause[], tokens: readonly Token[]): void {
  const clause = readClause(tokens);
  const before = clauses.at(-1);
  // ", not Route53" and ", never manual kubectl" reject an alternative of the clause before.
  if (
    before &&
    senseOf(tokens[0]!.lower).role === 'negator' &&
    !hasVerb(clause) &&
    clause.values.length === 0
  ) {
    before.rejected.push(...clause.names);
    return;
  }
  if (clause.names.length + clause.values.length > 0) clauses.push(clause);
}

const hasVerb = ({ items }: Clause) =>
  items.some(({ sense }) => sense.role === 'copula' || sense.weight === 0.3 || sense.stem === 'use');

function readClause(tokens: readonly Token[]): Clause {
  const clause: Clause = {
    items: [],
    names: [],
    values: [],
    negative: false,
    conditional: false,
    past: false,
    planned: false,
    event: false,
    bound: 0,
    approximate: false,
    ofSelf: false,
    rejected: [],
  };
  let present = false;
  let rejecting = false;
  let happened = false;
  let at = 0;
  while (at < tokens.length) {
    const token = tokens[at]!;
    const { lower } = token;
    const next = tokens[at + 1]?.lower ?? '';
    const seconds = clause.values.length > 0 && isPer(lower) ? secondsOf(next) : undefined;
    if (seconds !== undefined && addRate(clause, seconds)) {
      at += 2;
      continue;
    }
    if (token.gap.includes(':') && clause.items.length > 0)
      addWord(clause, { ...token, lower: '=' }, rejecting);
    const reading = readValue(tokens, at);
    if (reading) {
      if (at > 0 && EVERY.test(tokens[at - 1]!.lower)) reading.value.unit = `every ${reading.value.unit}`;
      addValue(clause, token, tokens[at + reading.used - 1]!, reading.value);
      rejecting = false;
      at += reading.used;
      continue;
    }
    if (lower === 'old' && clause.items.at(-1)?.value?.unit === 's') {
      at++;
      continue;
    }
    if (/^(?:was|were)$/.test(lower) && CHANGED.test(next)) {
      addWord(clause, { ...token, lower: 'is' }, false);
      present = true;
      at += 2;
      continue;
    }
    if (isRelocation(tokens, at)) {
      addWord(clause, { ...token, lower: 'lives' }, false);
      addWord(clause, { ...tokens[at + 1]!, lower: 'in' }, false);
      at += 2;
      continue;
    }
    applyMarkers(clause, lower, next);
    present ||= PRESENT.has(lower);
    if (at > 0 && (isRejection(lower, next) || isSwitch(tokens, at))) rejecting = true;
    else if (rejecting && senseOf(lower).role === 'preposition' && lower !== 'of' && lower !== 'than')
      rejecting = false;
    happened ||= isPastVerb(lower);
    addWord(clause, switchWord(tokens, at) ?? token, rejecting);
    at += (lower === 'used' && next === 'to') || (lower === 'no' && next === 'longer') ? 2 : 1;
  }
  const once = clause.names.some(({ sense }) => sense.once);
  // "was born", "got married": it happened once, so two dates for it conflict.
  clause.past &&= !once;
  clause.event = happened && !present && !once;
  return clause;
}

/** Sets the properties of a clause that a single word signals. */
function applyMarkers(clause: Clause, word: string, next: string): void {
  if (PAST.has(word) || (word === 'used' && next === 'to')) clause.past = true;
  if (PLANS.has(word) || (next === 'to' && INTENTIONS.test(word))) clause.planned = true;
  if (CONDITIONS.has(word)) clause.conditional = true;
  if (APPROXIMATE.has(word)) clause.approximate = true;
  if (SELF.has(word)) clause.ofSelf = true;
  if (BELOW.has(word) || (word === 'at' && next === 'most') || (word === 'up' && next === 'to'))
    clause.bound = -1;
  else if (ABOVE.has(word) || (word === 'at' && next === 'least') || (next === 'than' && word.endsWith('er')))
    clause.bound = 1;
}

const isPer = (word: string) =>
  word === 'per' || word === 'a' || word === 'an' || word === 'each' || word === 'every';

/** Turns "600 requests per minute" into a value per second; false if no quantity precedes. */
function addRate(clause: Clause, seconds: number): boolean {
  const { value } = clause.values.at(-1)!;
  const isRecent = clause.items.length - clause.items.lastIndexOf(clause.values.at(-1)!) <= 3;
  if (!isRecent || value?.type !== 'quantity' || value.unit === 's' || value.unit.endsWith('/s'))
    return false;
  perSecond(value, seconds);
  return true;
}

const isRejection = (word: string, next: string) =>
  (word === 'over' && !/^(?:the|a|an|\d.*)$/.test(next)) ||
  (word === 'instead' && next === 'of') ||
  (word === 'rather' && next === 'than') ||
  (word === 'vs' && next !== 'code');

/** "switched from Jenkins to Buildkite" */
const isSwitch = (tokens: readonly Token[], at: number) =>
  tokens[at]!.lower === 'from' &&
  tokens.slice(0, at).some(({ lower }) => SWITCHING.test(lower)) &&
  tokens.slice(at + 1, at + 6).some(({ lower }) => lower === 'to');

/** "Jo moved to Munich" says where Jo lives, unless it tells when. */
const isRelocation = (tokens: readonly Token[], at: number) =>
  /^(?:moved|relocated)$/.test(tokens[at]!.lower) &&
  tokens[at + 1]?.lower === 'to' &&
  !tokens.some(({ lower }) => /\d/.test(lower));

/** An irregular past, or a word in -ed that is not known as a state ("owned", "founded", "tired"). */
function isPastVerb(word: string): boolean {
  if (IRREGULAR_PAST.has(word)) return true;
  if (!word.endsWith('ed') || word.length < 5) return false;
  const sense = senseOf(word);
  return (
    sense.fixes.length === 0 && !sense.once && !sense.descriptive && sense.weight === 1 && !sense.negative
  );
}

/** "is on", "turned off": `on` and `off` as a state rather than a preposition, judged by the words around them. */
function switchWord(tokens: readonly Token[], at: number): Token | undefined {
  const token = tokens[at]!;
  if (token.lower !== 'on' && token.lower !== 'off') return undefined;
  const before = tokens[at - 1]?.lower ?? '';
  const switched = /^(?:turn|switch)(?:s|ed|es)?$/.test(before);
  const next = tokens[at + 1];
  const nothingFollows =
    next === undefined || senseOf(next.lower).role === 'preposition' || next.gap.trim() !== '';
  if (!switched && !(senseOf(before).role === 'copula' && nothingFollows)) return undefined;
  return { ...token, lower: token.lower === 'on' ? 'enabled' : 'disabled' };
}

function addWord(clause: Clause, token: Token, rejecting: boolean): void {
  const sense = senseOf(token.lower);
  const item: Item = { sense, start: token.start, end: token.end, capital: token.capital };
  if (sense.role === 'negator') clause.negative = !clause.negative;
  if (sense.negative) clause.negative = !clause.negative;
  clause.items.push(item);
  if (sense.role !== 'name' && sense.role !== 'timeword') return;
  if (rejecting) clause.rejected.push(item);
  else clause.names.push(item);
}

const VALUE_SENSE = senseOf('0');

function addValue(clause: Clause, first: Token, last: Token, value: Value): void {
  const item: Item = { sense: VALUE_SENSE, start: first.start, end: last.end, capital: false, value };
  clause.items.push(item);
  if (clause.values.length < MAX_VALUES) clause.values.push(item);
}
