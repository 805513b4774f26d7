import type { ActivityBucket, RecentRun } from '../api/generated/rest.ts';
import { quantile } from '../packs/durations.ts';
import { isGood } from '../packs/outcome-cell.tsx';
import type { Range } from './routing-search.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
export const BUCKET_MS = { hour: HOUR_MS, day: DAY_MS };
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

/** Questions to "What should I use?" are recorded as runs of this pack. They are not work that was done. */
const QUESTION_PACKS: readonly string[] = ['helmdeck.route', 'helmdeck.plan'];
export const isQuestion = ({ id }: { id: string }) => QUESTION_PACKS.includes(id);

/** The buckets without the questions in them. */
export function withoutQuestions(buckets: readonly ActivityBucket[]): ActivityBucket[] {
  return buckets.map(({ at, by_id }) => {
    const parts = by_id.filter((part) => !isQuestion(part));
    const outcomes: Record<string, number> = {};
    for (const part of parts)
      for (const [outcome, count] of Object.entries(part.outcomes))
        outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
    return {
      at,
      runs: sum(parts.map(({ runs }) => runs)),
      cached: sum(parts.map(({ cached }) => cached)),
      outcomes,
      by_id: parts,
    };
  });
}

/** A recurring problem of a pack or pipeline: a finding it reported, or an error code of its failed runs. */
export interface Problem {
  kind: 'pack' | 'pipeline';
  id: string;
  code: string;
  count: number;
  severity?: string;
}

/** The problems in these buckets by pack and code, most frequent first. */
export function problemsOf(buckets: readonly ActivityBucket[]): Problem[] {
  const problems = new Map<string, Problem>();
  const add = (problem: Problem) => {
    const name = `${problem.kind} ${problem.id} ${problem.code}`;
    const known = problems.get(name);
    if (known) known.count += problem.count;
    else problems.set(name, problem);
  };
  for (const { kind, id, outcomes, findings = [] } of buckets.flatMap(({ by_id }) => by_id)) {
    for (const [code, count] of Object.entries(outcomes)) if (!isGood(code)) add({ kind, id, code, count });
    for (const { code, severity, count } of findings) add({ kind, id, code, severity, count });
  }
  return [...problems.values()].sort((a, b) => b.count - a.count);
}
