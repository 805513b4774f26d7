// Times as they are stored and shown.

export const expiryMs = (nowMs: number, ttlSeconds: number) => wholeSeconds(nowMs) + ttlSeconds * 1000;
export const wholeSeconds = (ms: number) => Math.floor(ms / 1000) * 1000;

/** RFC 3339 in UTC with whole seconds, the precision of expiry. */
export const isoSeconds = memoized((ms) => `${upToSeconds(ms)}Z`);
export const isoMs = memoized(
  (ms) => `${upToSeconds(ms)}.${String(modulo(Math.trunc(ms), 1000)).padStart(3, '0')}Z`,
);

/** Caches the last result: stores that arrive together format the same times. */
function memoized(format: (ms: number) => string): (ms: number) => string {
  let lastMs = Number.NaN;
  let text = '';
  return (ms) => {
    if (ms !== lastMs) {
      text = format(ms);
      lastMs = ms;
    }
    return text;
  };
}

const DAY_MS = 86_400_000;
const MAX_CACHED_DAYS = 4_096;
const days = new Map<number, string>();
const modulo = (number: number, by: number) => ((number % by) + by) % by;

/** `2026-01-31T12:00:00`. The days are cached: `Date.toISOString` would take longer than viewing the rest of a fact. */
function upToSeconds(ms: number): string {
  const day = Math.floor(Math.trunc(ms) / DAY_MS);
  const seconds = Math.floor(modulo(Math.trunc(ms), DAY_MS) / 1000);
  return `${dayText(day)}${twoDigits(seconds / 3600)}:${twoDigits((seconds / 60) % 60)}:${twoDigits(seconds % 60)}`;
}

const twoDigits = (number: number) => (number < 10 ? `0${Math.floor(number)}` : `${Math.floor(number)}`);

function dayText(day: number): string {
  const known = days.get(day);
  if (known !== undefined) return known;
  const [text] = new Date(day * DAY_MS).toISOString().split('T');
  if (days.size >= MAX_CACHED_DAYS) days.clear();
  days.set(day, `${text}T`);
  return `${text}T`;
}
