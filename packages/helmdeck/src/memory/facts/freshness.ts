import type { EntryContent } from '../entry.ts';
import type { Seat } from '../spaces/space.ts';
import { isoMs } from '../times.ts';
import type { ReviewPolicy } from './review-policy.ts';
import { FACT_POLICY } from './validate-fact.ts';

export const EXPIRING_SOON_SECONDS = 7 * 86_400;

/** What viewing a fact depends on: the review periods and the clock say whether it is stale, the seat in a space who wrote it. */
export interface Freshness {
  review: ReviewPolicy;
  now: () => number;
  seat?: Seat;
}

/** The fields of a fact that its review depends on. */
export type ReviewedFact = Pick<
  EntryContent,
  'category' | 'valueAtMs' | 'confirmedAtMs' | 'reviewAfterSeconds'
> & { updatedMs: number };

/** When a fact was last confirmed, and until when that counts; part of every view of it. */
export interface FreshnessView {
  confirmed_at: string;
  review_by?: string;
  /** Set from `review_by` on. A mark for the reader: it never filters, and does not change any order. */
  stale?: true;
}

/** A store confirms its value, so a fact without a confirmation was confirmed when its value was written. */
export const confirmedMs = ({ confirmedAtMs, valueAtMs, updatedMs }: ReviewedFact) =>
  confirmedAtMs ?? valueAtMs ?? updatedMs;

/** When a fact is due for review; infinite if never. */
function reviewByMs({ byCategory, otherSeconds }: ReviewPolicy, fact: ReviewedFact): number {
  const category = fact.category ?? FACT_POLICY.defaultCategory;
  const ofCategory = byCategory.has(category) ? byCategory.get(category) : otherSeconds;
  const seconds = fact.reviewAfterSeconds ?? ofCategory;
  return seconds === undefined ? Number.POSITIVE_INFINITY : confirmedMs(fact) + seconds * 1000;
}

/** From when on a fact is due: it is stale, or expires within a week. */
export function dueMs(review: ReviewPolicy, fact: ReviewedFact & { expiresMs: number | null }): number {
  const expiresMs = fact.expiresMs ?? Number.POSITIVE_INFINITY;
  return Math.min(reviewByMs(review, fact), expiresMs - EXPIRING_SOON_SECONDS * 1000);
}

export function freshnessView({ review, now }: Freshness, fact: ReviewedFact): FreshnessView {
  const dueMs = reviewByMs(review, fact);
  const view: FreshnessView = { confirmed_at: isoMs(confirmedMs(fact)) };
  if (dueMs !== Number.POSITIVE_INFINITY) view.review_by = isoMs(dueMs);
  if (now() >= dueMs) view.stale = true;
  return view;
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** What to tell the reader of a stale fact: `unconfirmed since 3 March; check before relying on it`. The day is in UTC. */
export function cautionText(confirmedAtMs: number, nowMs: number): string {
  const day = new Date(confirmedAtMs);
  const year = day.getUTCFullYear() === new Date(nowMs).getUTCFullYear() ? '' : ` ${day.getUTCFullYear()}`;
  return `unconfirmed since ${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]}${year}; check before relying on it`;
}

/** The same for a fact; `undefined` if it is not stale. */
export function cautionOf({ review, now }: Freshness, fact: ReviewedFact): string | undefined {
  const nowMs = now();
  return nowMs >= reviewByMs(review, fact) ? cautionText(confirmedMs(fact), nowMs) : undefined;
}
