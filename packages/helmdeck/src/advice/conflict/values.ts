import type { Token } from './tokens.ts';
import { MONTH_NAMES, MULTIPLIERS, NUMBER_WORDS, UNITS, type Unit, WEEKDAYS } from './units.ts';

// Parses numbers, dates, weekdays and times, and compares them across formats and units.

/** A parsed value, independent of how it was written. */
export interface Value {
  type: 'quantity' | 'version' | 'date' | 'weekday' | 'time';
  /** The amount in the base unit, the weekday from Monday as 0, or the minute of the day. */
  amount: number;
  /** The dimension ("s", "byte", "usd"), '' for a plain number; for times the zone, if given. */
  unit: string;
  /** The amount in a second interpretation: 2 GB as 2 GiB, "at 8" as 20:00. */
  otherAmount: number;
  /** Of dates; 0 if not given. Quarters are months 21 to 24. */
  year: number;
  month: number;
  day: number;
  /** Of versions: "3.11". */
  text: string;
}

const ZONES = new Set('utc gmt cet cest est edt pst pdt cst cdt mst ist bst jst eet et pt'.split(' '));
const DATE_LEADS = new Set(
  'in on by of until till since from to before after during due next last this between for am im bis seit ab vom'.split(
    ' ',
  ),
);
/** Month names that are also ordinary words. */
const DOUBTFUL_MONTHS = new Set(['may', 'march', 'mar', 'jan', 'dec', 'sep']);

const ISO_DATE = /^(\d{4})-(\d{1,2})(?:-(\d{1,2})(?:t[\d:.]*z?)?)?$/;
const DOTTED_DATE = /^(\d{1,2})[./](\d{1,2})[./](\d{4})$/;
const CLOCK = /^(\d{1,2})[:h](\d{2})(?::\d{2})?(am|pm)?$/;
const CLOCK_HOUR = /^(\d{1,2})(am|pm)$/;
const NUMBER = /^([$€£]?)([+-]?\d+(?:[,_]\d{3})*(?:[.,]\d+)?)([a-zµμ%°$€£/]{0,12})$/;
const VERSION = /^v?(\d+(?:\.(?:\d+|x))+)$|^v(\d+)$/;
const ORDINAL = /^(\d{1,2})(?:st|nd|rd|th)$/;
const QUARTER = /^q([1-4])$/;
const YEAR = /^(?:19|20)\d\d$/;

const blank = (type: Value['type'], amount: number, unitName = ''): Value => ({
  type,
  amount,
  unit: unitName,
  otherAmount: amount,
  year: 0,
  month: 0,
  day: 0,
  text: '',
});
const dateValue = (year: number, month: number, day: number): Value => ({
  ...blank('date', 0),
  year,
  month,
  day,
});

/** A value that begins at a token, and how many tokens it spans. */
export interface Reading {
  value: Value;
  used: number;
}

/** Parses the value that begins at a token; undefined for an ordinary word. */
export function readValue(tokens: readonly Token[], at: number): Reading | undefined {
  const { lower } = tokens[at]!;
  const first = lower.charCodeAt(0);
  const mayBeNumber = first < 58 || first === 8364 || first === 163 || first === 118 || first === 113;
  if (mayBeNumber) {
    const found = readDate(tokens, at) ?? readClock(tokens, at) ?? readNumber(tokens, at);
    if (found) return found;
  }
  if (first < 97 || first > 122) return undefined;
  const weekday = WEEKDAYS.get(lower);
  if (weekday !== undefined) return { value: blank('weekday', weekday), used: 1 };
  if (MONTH_NAMES.has(lower)) return readMonth(tokens, at);
  if (lower === 'noon') return { value: blank('time', 720), used: 1 };
  if (lower === 'midnight') return { value: blank('time', 0), used: 1 };
  const amount = NUMBER_WORDS.get(lower);
  // "the second one", "one of them": a pronoun rather than a count.
  if (amount === undefined || (amount === 1 && !nextIsUnit(tokens, at))) return undefined;
  return withUnit(tokens, at, amount);
}

const nextIsUnit = (tokens: readonly Token[], at: number) => UNITS.has(tokens[at + 1]?.lower ?? '');
const adjoins = (token: Token | undefined) => token !== undefined && !/[.;:!?()\n]/.test(token.gap);
const yearAt = (token: Token | undefined) =>
  adjoins(token) && YEAR.test(token!.lower) ? Number(token!.lower) : 0;

function readDate(tokens: readonly Token[], at: number): Reading | undefined {
  const { lower } = tokens[at]!;
  const iso = ISO_DATE.exec(lower);
  if (iso && Number(iso[2]) <= 12) {
    return { value: dateValue(Number(iso[1]), Number(iso[2]), Number(iso[3] ?? 0)), used: 1 };
  }
  const dotted = DOTTED_DATE.exec(lower);
  if (dotted) return readDotted(lower, Number(dotted[1]), Number(dotted[2]), Number(dotted[3]));
  const quarter = QUARTER.exec(lower);
  if (quarter) {
    const year = yearAt(tokens[at + 1]);
    return { value: dateValue(year, 20 + Number(quarter[1]), 0), used: year ? 2 : 1 };
  }
  return readDayOfMonth(tokens, at);
}

/** 3.5.2026 is the third of May; 3/5/2026 is ambiguous, so only its year counts unless one interpretation is possible. */
function readDotted(lower: string, first: number, second: number, year: number): Reading | undefined {
  const dayFirst = lower.includes('.') || first > 12;
  const isUnambiguous = dayFirst || second > 12 || first === second;
  const [month, day] = dayFirst ? [second, first] : [first, second];
  if (month > 12 || day > 31) return undefined;
  return { value: isUnambiguous ? dateValue(year, month, day) : dateValue(year, 0, 0), used: 1 };
}

/** "3 May", "3rd of May 2026", "the 25th", or a year alone after a preposition ("since 2019"). */
function readDayOfMonth(tokens: readonly Token[], at: number): Reading | undefined {
  const { lower } = tokens[at]!;
  const ordinal = ORDINAL.exec(lower);
  const day = ordinal ? Number(ordinal[1]) : /^\d{1,2}$/.test(lower) ? Number(lower) : 0;
  const before = tokens[at - 1]?.lower ?? '';
  if (day >= 1 && day <= 31) {
    const gap = ordinal && tokens[at + 1]?.lower === 'of' ? 2 : 1;
    const month = adjoins(tokens[at + gap]) ? MONTH_NAMES.get(tokens[at + gap]!.lower) : undefined;
    if (month) {
      const year = yearAt(tokens[at + gap + 1]);
      return { value: dateValue(year, month, day), used: gap + (year ? 2 : 1) };
    }
    if (ordinal && (before === 'the' || before === 'on')) return { value: dateValue(0, 0, day), used: 1 };
  }
  if (YEAR.test(lower) && DATE_LEADS.has(before)) return { value: dateValue(Number(lower), 0, 0), used: 1 };
  return undefined;
}

function readMonth(tokens: readonly Token[], at: number): Reading | undefined {
  const { lower } = tokens[at]!;
  const month = MONTH_NAMES.get(lower)!;
  const next = adjoins(tokens[at + 1]) ? tokens[at + 1]!.lower : '';
  const day = /^\d{1,2}(?:st|nd|rd|th)?$/.test(next) ? Number.parseInt(next, 10) : 0;
  if (day >= 1 && day <= 31) {
    const year = yearAt(tokens[at + 2]);
    return { value: dateValue(year, month, day), used: year ? 3 : 2 };
  }
  const year = yearAt(tokens[at + 1]);
  const led = DATE_LEADS.has(tokens[at - 1]?.lower ?? '');
  // "due in March" is a date; "the March outage" and "march" alone are not.
  if (!year && !led && (DOUBTFUL_MONTHS.has(lower) || next !== '')) return undefined;
  return { value: dateValue(year, month, 0), used: year ? 2 : 1 };
}

function readClock(tokens: readonly Token[], at: number): Reading | undefined {
  const { lower } = tokens[at]!;
  const next = tokens[at + 1]?.lower ?? '';
  const clock = CLOCK.exec(lower) ?? CLOCK_HOUR.exec(lower);
  let hour = clock ? Number(clock[1]) : -1;
  let half = clock ? (clock[3] ?? (clock[2] && /m$/.test(clock[2]) ? clock[2] : '')) : '';
  let used = 1;
  if (!half && (next === 'am' || next === 'pm')) {
    half = next;
    used = 2;
    if (!clock && /^\d{1,2}$/.test(lower)) hour = Number(lower);
  }
  if (next === 'uhr' && /^\d{1,2}$/.test(lower)) {
    hour = Number(lower);
    used = 2;
  }
  if (hour < 0 && isBareHour(tokens, at)) hour = Number(lower);
  const minute = clock && /^\d+$/.test(clock[2] ?? '') ? Number(clock[2]) : 0;
  if (hour < 0 || hour > 24 || minute > 59) return undefined;
  if (half) hour = (hour % 12) + (half === 'pm' ? 12 : 0);
  const zone = tokens[at + used]?.lower ?? '';
  const zoned = ZONES.has(zone);
  const value = blank('time', hour * 60 + minute, zoned ? zone : '');
  // Without am or pm, an hour up to 12 may also mean the afternoon.
  if (!half && hour >= 1 && hour <= 12) value.otherAmount = ((hour + 12) % 24) * 60 + minute;
  return { value, used: used + (zoned ? 1 : 0) };
}

/** "at 10" at the end or before a zone or preposition; "at 10 requests" is a count. */
function isBareHour(tokens: readonly Token[], at: number): boolean {
  if (tokens[at - 1]?.lower !== 'at' || !/^\d{1,2}$/.test(tokens[at]!.lower)) return false;
  const next = tokens[at + 1];
  return (
    next === undefined ||
    /[.,;)]/.test(next.gap) ||
    ZONES.has(next.lower) ||
    next.lower === 'at' ||
    DATE_LEADS.has(next.lower)
  );
}

function readNumber(tokens: readonly Token[], at: number): Reading | undefined {
  const { lower } = tokens[at]!;
  const match = NUMBER.exec(lower);
  if (!match) return readVersion(lower);
  const [, sign, digits, suffix] = match as unknown as [string, string, string, string];
  // 1,500 is 1500; 1,5 is 1.5.
  const grouped = /[,_]\d{3}(?!\d)/.test(digits) ? digits.replace(/[,_]/g, '') : digits.replace(',', '.');
  let amount = Number(grouped);
  if (!Number.isFinite(amount)) return undefined;
  let tail = suffix;
  // "5m" may be minutes, metres or millions: comparable only with another "m".
  if (tail === 'm') return { value: blank('quantity', amount, 'm?'), used: 1 };
  const factor = MULTIPLIERS.get(tail);
  if (factor) {
    amount *= factor;
    tail = '';
  }
  const known = UNITS.get(tail || sign);
  if (tail && !known) return undefined;
  if (known) return { value: measured(amount, known), used: 1 + currencyAfter(tokens, at, known) };
  return withUnit(tokens, at, amount);
}

const currencyAfter = (tokens: readonly Token[], at: number, known: Unit) =>
  UNITS.get(tokens[at + 1]?.lower ?? '') === known ? 1 : 0;

function readVersion(lower: string): Reading | undefined {
  const match = VERSION.exec(lower);
  if (!match) return undefined;
  return { value: { ...blank('version', 0), text: match[1] ?? match[2]! }, used: 1 };
}

/** A number with the multiplier and unit that follow it: "3 million", "5 minutes", "2400 PLN". */
function withUnit(tokens: readonly Token[], at: number, plain: number): Reading {
  let used = 1;
  let amount = plain;
  const factor = MULTIPLIERS.get(adjoins(tokens[at + 1]) ? tokens[at + 1]!.lower : '');
  if (factor) {
    amount *= factor;
    used = 2;
  }
  const next = tokens[at + used];
  const known = adjoins(next) && !next!.gap.includes(',') ? UNITS.get(next!.lower) : undefined;
  if (!known) return { value: blank('quantity', amount), used };
  return { value: measured(amount, known), used: used + 1 };
}

function measured(amount: number, { dimension, factor, otherFactor }: Unit): Value {
  if (dimension === '°f') return blank('quantity', ((amount - 32) * 5) / 9, '°');
  return { ...blank('quantity', amount * factor, dimension), otherAmount: amount * otherFactor };
}

/** The seconds in a unit of time, for rates: "per minute", "a month". */
export function secondsOf(word: string): number | undefined {
  const known = UNITS.get(word);
  return known?.dimension === 's' ? known.factor : undefined;
}

/** Turns a quantity into a rate per second. */
export function perSecond(value: Value, seconds: number): void {
  value.amount /= seconds;
  value.otherAmount /= seconds;
  value.unit += '/s';
}

// With a tolerance: months and years vary in length, and people round.
const close = (a: number, b: number, slack: number) =>
  a === b || Math.abs(a - b) <= slack * Math.max(Math.abs(a), Math.abs(b));

/** Compares two values; `unrelated` if they are not comparable. */
export function compareValues(a: Value, b: Value): 'same' | 'different' | 'unrelated' {
  if (a.type !== b.type)
    return a.type === 'version' || b.type === 'version' ? compareVersions(a, b) : 'unrelated';
  if (a.type === 'date') return compareDates(a, b);
  if (a.type === 'version') return compareVersions(a, b);
  if (a.type === 'time' && a.unit !== b.unit && a.unit && b.unit) return 'unrelated';
  if (a.type === 'quantity' && a.unit !== b.unit) return 'unrelated';
  const slack = /^(?:every )?s/.test(a.unit) || a.unit.endsWith('/s') || a.unit === '°' ? 0.02 : 1e-6;
  const same =
    close(a.amount, b.amount, slack) ||
    close(a.amount, b.otherAmount, slack) ||
    close(a.otherAmount, b.amount, slack) ||
    close(a.otherAmount, b.otherAmount, slack);
  return same ? 'same' : 'different';
}

/** Parts that one date omits match anything: 3 May equals 2026-05-03. */
function compareDates(a: Value, b: Value): 'same' | 'different' | 'unrelated' {
  const quarterOf = (month: number) => (month > 20 ? month - 20 : Math.ceil(month / 3));
  if (a.year && b.year && a.year !== b.year) return 'different';
  if (a.month && b.month) {
    const coarse = a.month > 20 || b.month > 20;
    if (coarse ? quarterOf(a.month) !== quarterOf(b.month) : a.month !== b.month) return 'different';
  }
  if (a.day && b.day) return a.day === b.day ? 'same' : 'different';
  return (a.year && b.year) || (a.month && b.month) ? 'same' : 'unrelated';
}

/** A version matches its refinements: 3 and 3.11 do, 3.11 and 3.12 do not. */
function compareVersions(a: Value, b: Value): 'same' | 'different' | 'unrelated' {
  const parts = (value: Value) => (value.type === 'version' ? value.text : String(value.amount)).split('.');
  if ((a.type !== 'version' && a.unit) || (b.type !== 'version' && b.unit)) return 'unrelated';
  if (a.type !== 'version' && a.type !== 'quantity') return 'unrelated';
  if (b.type !== 'version' && b.type !== 'quantity') return 'unrelated';
  const [left, right] = [parts(a), parts(b)];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    if (left[at] !== right[at] && left[at] !== 'x' && right[at] !== 'x') return 'different';
  }
  return 'same';
}
