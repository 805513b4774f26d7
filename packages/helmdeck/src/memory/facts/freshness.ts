import type { EntryContent, Source } from '../entry.ts';
import { isoMs } from './remember.ts';
import { FACT_POLICY } from './validate-fact.ts';

/** How long after its confirmation a fact is due for review. `undefined`: never, unless the fact has a period of its own. */
export interface ReviewPolicy {
  byCategory: ReadonlyMap<string, number | undefined>;
  otherSeconds: number | undefined;
}

/** What decides whether a fact is stale: the review periods and the clock. */
export interface Freshness {
  review: ReviewPolicy;
  now: () => number;
}

/** The fields of a fact that its review depends on. */
export type ReviewedFact = Pick<
  EntryContent,
  'category' | 'valueAtMs' | 'confirmedAtMs' | 'confirmedBy' | 'reviewAfterSeconds'
> & { updatedMs: number };

/** When a fact was last confirmed, and until when that counts; part of every view of it. */
export interface FreshnessView {
  confirmed_at: string;
  /** Who confirmed it, if that was not the store of its value. */
  confirmed_by?: Source;
  review_by?: string;
  /** Set from `review_by` on. A mark for the reader: it never filters, and does not change any order. */
  stale?: true;
}

/** A store confirms its value, so a fact without a confirmation was confirmed when its value was written. */
export const confirmedMs = ({ confirmedAtMs, valueAtMs, updatedMs }: ReviewedFact) =>
  confirmedAtMs ?? valueAtMs ?? updatedMs;

/** When a fact is due for review; infinite if never. */
export function reviewByMs({ byCategory, otherSeconds }: ReviewPolicy, fact: ReviewedFact): number {
  const category = fact.category ?? FACT_POLICY.defaultCategory;
  const ofCategory = byCategory.has(category) ? byCategory.get(category) : otherSeconds;
  const seconds = fact.reviewAfterSeconds ?? ofCategory;
  return seconds === undefined ? Number.POSITIVE_INFINITY : confirmedMs(fact) + seconds * 1000;
}

export function freshnessView({ review, now }: Freshness, fact: ReviewedFact): FreshnessView {
  const dueMs = reviewByMs(review, fact);
  const view: FreshnessView = { confirmed_at: isoMs(confirmedMs(fact)) };
  if (fact.confirmedBy) view.confirmed_by = fact.confirmedBy;
  if (dueMs !== Number.POSITIVE_INFINITY) view.review_by = isoMs(dueMs);
  if (now() >= dueMs) view.stale = true;
  return view;
}
