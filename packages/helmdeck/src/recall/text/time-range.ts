// Reads when something was from the words of a question: "yesterday", "last week", "in May", "three days ago".

export interface TimeRange {
  fromMs: number;
  untilMs: number;
  /** The words it was read from, if they only make sense beside a clock: "last week", but not "May". */
  spoken?: string;
}

const DAY_MS = 86_400_000;
const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

const YESTERDAY = /\b(?:yesterday|last night)\b/i;
const TODAY = /\b(?:today|this morning|this afternoon|tonight)\b/i;
const RELATIVE = /\b(this|last|past|previous) (week|month|year)\b/i;
const DATE = /\b(\d{4})-(\d\d)-(\d\d)\b/;
const EVENT = /\b(before|after|since|until) (?:the |our |my |your |we |they )?([\p{L}\p{N}][^?!.,;]*)/iu;
const AGO = /\b(an?|\d{1,3}|[a-z]+|couple of) (day|week|month|year)s? ago\b/i;
const WEEKDAY = new RegExp(`\\b(?:on|last) (${WEEKDAYS.join('|')})\\b`, 'i');
// "May" alone may be a verb or a person.
const MONTH = new RegExp(`\\b(?:in|last|since|during|of) (${MONTHS.join('|')})(?:,? (\\d{4}))?\\b`, 'i');

/** The time that a question names, in UTC; undefined if it names none. */
export function timeRangeOf(question: string, nowMs: number): TimeRange | undefined {
  const now = new Date(nowMs);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const today = Date.UTC(year, month, now.getUTCDate());
  const days = (from: number, count: number) => ({ fromMs: from, untilMs: from + count * DAY_MS });
  const yesterday = YESTERDAY.exec(question);
  if (yesterday) return { ...days(today - DAY_MS, 1), spoken: yesterday[0] };
  const sameDay = TODAY.exec(question);
  if (sameDay) return { ...days(today, 1), spoken: sameDay[0] };
  const relative = RELATIVE.exec(question);
  if (relative) {
    const [spoken, which, unit] = relative;
    return { ...relativeRange(which!.toLowerCase() === 'this', unit!.toLowerCase(), now), spoken };
  }
  const ago = AGO.exec(question);
  if (ago) return agoRange(countOf(ago[1]!.toLowerCase()), ago[2]!.toLowerCase(), today, ago[0]);
  const weekday = WEEKDAY.exec(question);
  if (weekday) {
    const back = (now.getUTCDay() - WEEKDAYS.indexOf(weekday[1]!.toLowerCase()) + 7) % 7 || 7;
    return days(today - back * DAY_MS, 1);
  }
  const named = MONTH.exec(question);
  if (!named) return undefined;
  const wanted = MONTHS.indexOf(named[1]!.toLowerCase());
  // Without a year the latest one that has begun.
  const inYear = named[2] === undefined ? year - (wanted > month ? 1 : 0) : Number(named[2]);
  return { fromMs: Date.UTC(inYear, wanted), untilMs: Date.UTC(inYear, wanted + 1) };
}

/** When a fact says that something was: a date, or words beside the time at which they were stored. */
export function timeToldIn(text: string, storedMs: number): TimeRange | undefined {
  const date = DATE.exec(text);
  if (!date) return timeRangeOf(text, storedMs);
  const fromMs = Date.UTC(Number(date[1]), Number(date[2]) - 1, Number(date[3]));
  return { fromMs, untilMs: fromMs + DAY_MS };
}

/** The event that a question counts from: "before the release". A fact has to tell when that was. */
export function eventOf(question: string): { name: string; isBefore: boolean } | undefined {
  const found = EVENT.exec(question);
  return found ? { name: found[2]!, isBefore: /before|until/i.test(found[1]!) } : undefined;
}

function relativeRange(isThis: boolean, unit: string, now: Date): TimeRange {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const back = isThis ? 0 : 1;
  if (unit === 'year') return { fromMs: Date.UTC(year - back, 0), untilMs: Date.UTC(year - back + 1, 0) };
  if (unit === 'month')
    return { fromMs: Date.UTC(year, month - back), untilMs: Date.UTC(year, month - back + 1) };
  const monday = Date.UTC(year, month, day - ((now.getUTCDay() + 6) % 7)) - back * 7 * DAY_MS;
  return { fromMs: monday, untilMs: monday + 7 * DAY_MS };
}

const UNIT_DAYS: Record<string, number> = { day: 1, week: 7, month: 30, year: 365 };

/** "Three weeks ago" is about then: half a unit before and after, a day at least. */
function agoRange(
  count: number | undefined,
  unit: string,
  today: number,
  spoken: string,
): TimeRange | undefined {
  if (count === undefined) return undefined;
  const unitMs = UNIT_DAYS[unit]! * DAY_MS;
  const middle = today - count * unitMs;
  const half = Math.floor(UNIT_DAYS[unit]! / 2) * DAY_MS;
  return { fromMs: middle - half, untilMs: middle + half + DAY_MS, spoken };
}

function countOf(text: string): number | undefined {
  if (text === 'a' || text === 'an') return 1;
  if (text === 'couple of') return 2;
  if (/^\d+$/.test(text)) return Number(text);
  const number = NUMBERS.indexOf(text);
  return number < 0 ? undefined : number;
}

/** A longer range is not looked up day by day. */
const MAX_DAYS = 31;

/** The days of a range as facts write them: 2026-11-17. */
export function daysOf({ fromMs, untilMs }: TimeRange): string[] {
  const count = Math.round((untilMs - fromMs) / DAY_MS);
  if (count > MAX_DAYS) return [];
  return Array.from({ length: count }, (_, day) =>
    new Date(fromMs + day * DAY_MS).toISOString().slice(0, 10),
  );
}
