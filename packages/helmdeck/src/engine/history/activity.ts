import { isoMs } from '../../memory/facts/remember.ts';
import type { Memory } from '../../memory/memory.ts';
import { walkRuns } from './defaults.ts';

export const ACTIVITY_BUCKETS = ['hour', 'day'] as const;
export type ActivityBucket = (typeof ACTIVITY_BUCKETS)[number];

/** The runs of one hour or day, in UTC. */
export interface Activity {
  at: string;
  runs: number;
  cached: number;
  outcomes: Record<string, number>;
}

const BUCKET_MS: Record<ActivityBucket, number> = { hour: 3_600_000, day: 86_400_000 };

/** Counts the caller's runs per hour or day, oldest first; empty buckets are omitted. */
export async function activity(
  memory: Memory,
  bucket: ActivityBucket,
  range: { fromMs?: number; toMs?: number },
): Promise<{ scope: string; bucket: ActivityBucket; buckets: Activity[] }> {
  const { fromMs = 0, toMs = Number.POSITIVE_INFINITY } = range;
  const buckets = new Map<number, Activity & { counts: Map<string, number> }>();
  for await (const { run } of walkRuns(memory)) {
    const atMs = run.at_unix * 1000;
    if (atMs < fromMs || atMs >= toMs) continue;
    const startMs = Math.floor(atMs / BUCKET_MS[bucket]) * BUCKET_MS[bucket];
    const known = buckets.get(startMs) ?? {
      at: isoMs(startMs),
      runs: 0,
      cached: 0,
      outcomes: {},
      counts: new Map(),
    };
    buckets.set(startMs, known);
    known.runs++;
    if (run.cached) known.cached++;
    known.counts.set(run.outcome, (known.counts.get(run.outcome) ?? 0) + 1);
  }
  const sorted = [...buckets].sort(([a], [b]) => a - b);
  return {
    scope: memory.scope,
    bucket,
    buckets: sorted.map(([, { counts, ...rest }]) => ({ ...rest, outcomes: Object.fromEntries(counts) })),
  };
}
