import { callApi } from './call-api.ts';
import type { CallerReadOptions } from './fact-api.ts';
import type { LearnedPack, LearnedPipeline } from './generated/rest.ts';

// Routing memory: what was learned from runs, and forgetting it.

/** What was learned from the runs of a pack or a pipeline. */
export type Learned = Pick<
  LearnedPack | LearnedPipeline,
  'id' | 'last_used_unix' | 'common_inputs' | 'evidence'
>;

export const readDefaults = ({ caller, signal }: CallerReadOptions) =>
  callApi('GET /api/v1/memory/defaults', { query: { caller }, signal });

export const readActivity = (
  range: { bucket: 'hour' | 'day'; from: string; to?: string },
  { caller, signal }: CallerReadOptions,
) => callApi('GET /api/v1/memory/activity', { query: { ...range, caller }, signal });

export interface RunFilter {
  key?: string;
  pack?: string;
  pipeline?: string;
  /** An outcome, or the code of a finding. */
  code?: string;
  failed?: '1';
  from?: string;
  to?: string;
}

export const listRunRecords = (
  filter: RunFilter & { limit?: number; cursor?: string },
  { caller, signal }: CallerReadOptions,
) => callApi('GET /api/v1/memory/run-records', { query: { ...filter, caller }, signal });

/** What was learned is derived from run records: forgetting those forgets it. */
export type RunScope = 'packs' | 'pipelines' | `pack:${string}` | `pipeline:${string}` | `key:${string}`;

export const forgetRuns = (scope: RunScope | `cache:${string}`, caller: string | undefined) =>
  callApi('POST /api/v1/memory/forget', { body: { scope, caller } });

/** Sequences of packs that could be pipelines. */
export const listCandidates = ({ caller, signal }: CallerReadOptions) =>
  callApi('GET /api/v1/procedures/candidates', { query: { caller }, signal });

export const promoteCandidate = (candidate: string) =>
  callApi('POST /api/v1/procedures/candidates/{candidate}/promote', { path: { candidate }, body: {} });

export const dismissCandidate = (candidate: string) =>
  callApi('POST /api/v1/procedures/candidates/{candidate}/dismiss', { path: { candidate } });

export const pipelineFromRuns = (runs: string[]) =>
  callApi('POST /api/v1/pipelines/from-runs', { body: { runs } });
