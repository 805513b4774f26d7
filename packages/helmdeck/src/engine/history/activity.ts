import type { Memory } from '../../memory/memory.ts';
import { isoMs } from '../../memory/times.ts';
import { type RecentRun, walkRuns } from './defaults.ts';
import type { Finding } from './run-history.ts';

export const ACTIVITY_BUCKETS = ['hour', 'day'] as const;
export type ActivityBucket = (typeof ACTIVITY_BUCKETS)[number];

interface Counts {
  runs: number;
  cached: number;
  outcomes: Record<string, number>;
}

/** A finding of one pack, and how often it was reported. */
interface FindingCount {
  code: string;
  severity?: string;
  count: number;
}

/** The part of one pack or pipeline in a bucket. */
export interface ActivityPart extends Counts {
  kind: RecentRun['kind'];
  id: string;
  findings?: FindingCount[];
}

/** The runs of one hour or day, in UTC. */
export interface Activity extends Counts {
  at: string;
  /** The same runs by pack and pipeline. */
  by_id: ActivityPart[];
}

const BUCKET_MS: Record<ActivityBucket, number> = { hour: 3_600_000, day: 86_400_000 };

/** Counts the caller's runs per hour or day, oldest first; empty buckets are omitted. */
export async function activity(
  memory: Memory,
  bucket: ActivityBucket,
  range: { fromMs?: number; toMs?: number },
): Promise<{ scope: string; bucket: ActivityBucket; buckets: Activity[] }> {
  const { fromMs = 0, toMs = Number.POSITIVE_INFINITY } = range;
  const buckets = new Map<number, Tally>();
  for await (const { run, record } of walkRuns(memory)) {
    const atMs = run.at_unix * 1000;
    if (atMs < fromMs || atMs >= toMs) continue;
    const startMs = Math.floor(atMs / BUCKET_MS[bucket]) * BUCKET_MS[bucket];
    const tally = buckets.get(startMs) ?? createTally();
    buckets.set(startMs, tally);
    tally.add(run, 'findings' in record ? record.findings : undefined);
  }
  const sorted = [...buckets].sort(([a], [b]) => a - b);
  return {
    scope: memory.scope,
    bucket,
    buckets: sorted.map(([startMs, tally]) => ({ at: isoMs(startMs), ...tally.counts() })),
  };
}

type Tally = ReturnType<typeof createTally>;

/** Maps while counting: an outcome or a code may be named like a property of every object. */
function createTally() {
  const parts = new Map<string, ReturnType<typeof createPartTally>>();
  return {
    add(run: RecentRun, findings: readonly Finding[] = []): void {
      const name = `${run.kind} ${run.id}`;
      const part = parts.get(name) ?? createPartTally(run);
      parts.set(name, part);
      part.add(run, findings);
    },
    counts(): Omit<Activity, 'at'> {
      const by_id = [...parts.values()].map((part) => part.counts()).sort((a, b) => b.runs - a.runs);
      const outcomes = new Map<string, number>();
      for (const part of by_id)
        for (const [outcome, count] of Object.entries(part.outcomes))
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count);
      return {
        runs: sum(by_id.map(({ runs }) => runs)),
        cached: sum(by_id.map(({ cached }) => cached)),
        outcomes: Object.fromEntries(outcomes),
        by_id,
      };
    },
  };
}

function createPartTally({ kind, id }: RecentRun) {
  let runs = 0;
  let cached = 0;
  const outcomes = new Map<string, number>();
  const findings = new Map<string, FindingCount>();
  return {
    add(run: RecentRun, reported: readonly Finding[]): void {
      runs++;
      if (run.cached) cached++;
      outcomes.set(run.outcome, (outcomes.get(run.outcome) ?? 0) + 1);
      for (const { code, severity } of reported) {
        // Records come newest first, so the first occurrence gives the severity.
        const known = findings.get(code) ?? {
          code,
          ...(severity === undefined ? {} : { severity }),
          count: 0,
        };
        known.count++;
        findings.set(code, known);
      }
    },
    counts: (): ActivityPart => ({
      kind,
      id,
      runs,
      cached,
      outcomes: Object.fromEntries(outcomes),
      ...(findings.size === 0 ? {} : { findings: [...findings.values()] }),
    }),
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
