import { callApi } from './call-api.ts';
import type { Reading } from './fact-api.ts';

/** How sure a learned value is. */
export interface Evidence {
  count: number;
  of: number;
  last_unix: number;
}

export interface Learned {
  id: string;
  last_used_unix: number;
  common_inputs?: Record<string, string>;
  evidence?: Record<string, Evidence>;
}

export interface RecentRun {
  kind: 'pack' | 'pipeline';
  key: string;
  id: string;
  outcome: string;
  at_unix: number;
  duration_ms?: number;
  learn_inputs?: Record<string, string>;
  cached?: true;
}

export interface CommonFinding {
  code: string;
  occurrence_count: number;
  pack: string;
  severity?: string;
  last_seen_unix: number;
}

export interface Defaults {
  scope: string;
  fetched_at: string;
  packs: (Learned & { calls: number })[];
  pipelines: (Learned & { runs: number })[];
  common_findings: CommonFinding[];
  recent: RecentRun[];
  note?: string;
}

/** Runs within one hour or day, in UTC. */
export interface ActivityBucket {
  at: string;
  runs: number;
  cached: number;
  outcomes: Record<string, number>;
}

export const readDefaults = ({ caller, signal }: Reading) =>
  callApi<Defaults>('/memory/defaults', { query: { caller }, signal });

export const readActivity = (
  wanted: { bucket: 'hour' | 'day'; from: string; to?: string },
  { caller, signal }: Reading,
) => callApi<{ buckets: ActivityBucket[] }>('/memory/activity', { query: { ...wanted, caller }, signal });

/** What was learned is nothing but run records: forgetting those forgets it. */
export type RunScope = 'packs' | 'pipelines' | `pack:${string}` | `pipeline:${string}` | `key:${string}`;

export const forgetRuns = (scope: RunScope | `cache:${string}`, caller: string | undefined) =>
  callApi<{ deleted: number }>('/memory/forget', {
    method: 'POST',
    body: { scope, ...(caller === undefined ? {} : { caller }) },
  });
