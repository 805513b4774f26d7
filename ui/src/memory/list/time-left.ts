import { strings } from '../../strings.ts';

const ages = strings.ages;
const spans = strings.spans;
export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const EXPIRING_SOON_MS = 7 * DAY_MS;
const DEFAULT_TTL_SECONDS = 7_776_000;
const MIN_TTL_SECONDS = 3_600;
const MAX_TTL_SECONDS = 31_536_000;

export interface TimeLeft {
  /** `71 d`, `5 h`, `12 min`. */
  short: string;
  /** The share of the fact's lifetime that is left, 0 to 1. */
  share: number;
  /** The same on one scale for all rows, so that they can be compared: of ninety days, or of a longer lifetime. */
  shareInList: number;
  soon: boolean;
  daysLeft: number;
  daysInAll: number;
}

/** How much of a fact's lifetime is left; the lifetime starts at the last write or confirmation. */
export function timeLeft(
  fact: { updated_at: string; expires_at: string; confirmed_at?: string },
  nowMs: number,
): TimeLeft {
  const endMs = Date.parse(fact.expires_at);
  const leftMs = Math.max(0, endMs - nowMs);
  const startMs = Math.max(Date.parse(fact.updated_at), Date.parse(fact.confirmed_at ?? fact.updated_at));
  const wholeMs = Math.max(1, endMs - startMs);
  return {
    short: shortSpan(leftMs),
    share: Math.min(1, leftMs / wholeMs),
    shareInList: Math.min(1, leftMs / Math.max(wholeMs, DEFAULT_TTL_SECONDS * 1000)),
    soon: leftMs < EXPIRING_SOON_MS,
    daysLeft: Math.round(leftMs / DAY_MS),
    daysInAll: Math.round(wholeMs / DAY_MS),
  };
}

function shortSpan(ms: number): string {
  if (ms >= 2 * DAY_MS) return spans.days(Math.round(ms / DAY_MS));
  if (ms >= 2 * HOUR_MS) return spans.hours(Math.floor(ms / HOUR_MS));
  return spans.minutes(Math.max(0, Math.ceil(ms / 60_000)));
}

/** `3 w ago`; for lists, which show the exact time on hover. */
export function shortAge(instant: string, nowMs: number): string {
  const ms = Math.max(0, nowMs - Date.parse(instant));
  if (ms < 60_000) return ages.now;
  if (ms < HOUR_MS) return ages.minutes(Math.floor(ms / 60_000));
  if (ms < DAY_MS) return ages.hours(Math.floor(ms / HOUR_MS));
  if (ms < 2 * DAY_MS) return ages.yesterday;
  if (ms < 21 * DAY_MS) return ages.days(Math.floor(ms / DAY_MS));
  if (ms < 182 * DAY_MS) return ages.weeks(Math.floor(ms / (7 * DAY_MS)));
  return ages.months(Math.floor(ms / (30 * DAY_MS)));
}

/** The lifetime after a renewal: ninety days, or a year if more than that is left. A renewal never shortens it. */
export function renewalSeconds(fact: { expires_at: string }, nowMs: number): number {
  const leftSeconds = (Date.parse(fact.expires_at) - nowMs) / 1000;
  return leftSeconds > DEFAULT_TTL_SECONDS ? MAX_TTL_SECONDS : DEFAULT_TTL_SECONDS;
}

/** What is left of a fact's lifetime, as a TTL that the server accepts. */
export function secondsLeft(fact: { expires_at: string }, nowMs: number): number {
  const seconds = Math.round((Date.parse(fact.expires_at) - nowMs) / 1000);
  return Math.min(MAX_TTL_SECONDS, Math.max(MIN_TTL_SECONDS, seconds));
}
