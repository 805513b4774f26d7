import type { ActivityBucket, Defaults, RecentRun } from '../api/generated/rest.ts';
import { quantile } from '../packs/durations.ts';
import { isGood } from '../packs/outcome-cell.tsx';
import type { Range } from './routing-search.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
export const SPAN_MS: Record<Range, number> = { '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS };

/** The runs of one hour or day, split as in the chart. */
export interface Slot {
  atMs: number;
  fresh: number;
  cached: number;
  failed: number;
}

/** Every hour or day of a range up to now, including empty ones. */
export function slotsOf(buckets: readonly ActivityBucket[], range: Range, nowMs: number): Slot[] {
  const stepMs = range === '24h' ? HOUR_MS : DAY_MS;
  const lastMs = Math.floor(nowMs / stepMs) * stepMs;
  const count = SPAN_MS[range] / stepMs;
  const byMs = new Map(buckets.map((bucket) => [Date.parse(bucket.at), bucket]));
  return Array.from({ length: count }, (_, index) => {
    const atMs = lastMs - (count - 1 - index) * stepMs;
    return { atMs, ...split(byMs.get(atMs)) };
  });
}

function split(bucket: ActivityBucket | undefined): Omit<Slot, 'atMs'> {
  if (!bucket) return { fresh: 0, cached: 0, failed: 0 };
  const failed = countFailed(bucket);
  return { fresh: Math.max(0, bucket.runs - bucket.cached - failed), cached: bucket.cached, failed };
}

const countFailed = ({ outcomes }: ActivityBucket) =>
  sum(Object.entries(outcomes).map(([outcome, count]) => (isGood(outcome) ? 0 : count)));

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);

export interface Figures {
  runs: number;
  failed: number;
  cached: number;
  /** Growth against the previous period; undefined if there are no records of it. */
  growth?: number;
  medianMs?: number;
  p95Ms?: number;
  /** The time that cached results saved. */
  savedMs?: number;
}

export function figuresOf(
  slots: readonly Slot[],
  before: readonly Slot[] | undefined,
  recent: readonly RecentRun[],
): Figures {
  const count = (of: readonly Slot[]) => sum(of.map(({ fresh, cached, failed }) => fresh + cached + failed));
  const runs = count(slots);
  const earlier = before && count(before);
  const fromMs = slots[0]?.atMs ?? 0;
  const inRange = recent.filter(({ at_unix }) => at_unix * 1000 >= fromMs);
  const tookMs = inRange.flatMap(({ duration_ms }) => duration_ms ?? []);
  return {
    runs,
    failed: sum(slots.map(({ failed }) => failed)),
    cached: sum(slots.map(({ cached }) => cached)),
    ...(earlier ? { growth: runs / earlier - 1 } : {}),
    medianMs: quantile(tookMs),
    p95Ms: quantile(tookMs, 0.95),
    savedMs: savedMs(inRange),
  };
}

function savedMs(recent: readonly RecentRun[]): number {
  const fresh = Map.groupBy(
    recent.filter(({ outcome, cached }) => isGood(outcome) && !cached),
    ({ id }) => id,
  );
  return sum(
    recent
      .filter(({ cached }) => cached)
      .map(({ id, duration_ms = 0 }) => {
        const usual = quantile((fresh.get(id) ?? []).flatMap((run) => run.duration_ms ?? []));
        return Math.max(0, (usual ?? 0) - duration_ms);
      }),
  );
}

/** A recurring problem: a finding of a pack, or an error code of failed runs. */
export interface Problem {
  code: string;
  pack: string | undefined;
  count: number;
  severity?: string;
}

/** The most frequent problems: failures within the range, and findings of all runs on record. */
export function problemsOf(
  buckets: readonly ActivityBucket[],
  { common_findings, recent }: Defaults,
): Problem[] {
  const failures = new Map<string, number>();
  for (const { outcomes } of buckets)
    for (const [code, count] of Object.entries(outcomes))
      if (!isGood(code)) failures.set(code, (failures.get(code) ?? 0) + count);
  const packOf = (code: string) => recent.find(({ outcome }) => outcome === code)?.id;
  return [
    ...[...failures].map(([code, count]) => ({ code, count, pack: packOf(code) })),
    ...common_findings.map(({ code, occurrence_count, pack, severity }) => ({
      code,
      count: occurrence_count,
      pack,
      severity,
    })),
  ].sort((a, b) => b.count - a.count);
}
