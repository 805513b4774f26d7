import { callApi } from './call-api.ts';
import type { Artifact, Metadata } from './pack-api.ts';

export interface PipelineStep {
  id: string;
  pack: string;
  version?: string;
  input: Record<string, unknown>;
}

/** What its author writes. */
export interface PipelineBody {
  name: string;
  description?: string;
  inputs?: Record<string, unknown>;
  steps: PipelineStep[];
  metadata?: Metadata;
}

export interface Pipeline extends PipelineBody {
  id: string;
  builtin: boolean;
  metadata: Metadata;
  created_at: string;
  updated_at: string;
}

export type RunStatus = 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled';

interface Failure {
  error?: string;
  error_code?: string;
  failure_class?: 'caller_fixable' | 'state_changed' | 'transient' | 'pack_bug';
  failure_reason?: string;
}

export interface RunStep extends Failure {
  step_id: string;
  pack: string;
  status: RunStatus;
  output?: unknown;
  output_withheld?: true;
  artifacts?: Artifact[];
  attempts?: number;
  progress?: { at: string; pct: number; message?: string }[];
  started_at?: string;
  ended_at?: string;
}

export interface PipelineRun extends Failure {
  id: string;
  pipeline_id: string;
  status: RunStatus;
  inputs: Record<string, unknown>;
  steps: RunStep[];
  started_at: string;
  ended_at?: string;
}

export type RunEvent =
  | { type: 'run'; run_id: string; status: RunStatus; error_code?: string; at: string }
  | { type: 'step'; run_id: string; step_id: string; status: RunStatus; error_code?: string; at: string }
  | { type: 'progress'; run_id: string; step_id: string; pct: number; message?: string; at: string };

export interface StartedRun {
  run_id: string;
  pipeline_id: string;
  coalesced: boolean;
}

const address = (id: string) => `/pipelines/${encodeURIComponent(id)}`;
const runAddress = (run: string) => `/pipelines/runs/${encodeURIComponent(run)}`;

export const listPipelines = (signal?: AbortSignal) => callApi<Pipeline[]>('/pipelines', { signal });
export const createPipeline = (body: unknown) => callApi<Pipeline>('/pipelines', { method: 'POST', body });
export const replacePipeline = (id: string, body: unknown) =>
  callApi<Pipeline>(address(id), { method: 'PUT', body });
export const deletePipeline = (id: string) => callApi(address(id), { method: 'DELETE' });

export const startPipeline = (id: string, inputs: unknown) =>
  callApi<StartedRun>(`${address(id)}/run`, { method: 'POST', body: { inputs } });

/** Of one pipeline, or of all. */
export const listRuns = (
  pipeline: string | undefined,
  page: { limit?: number; cursor?: string },
  signal?: AbortSignal,
) =>
  callApi<{ runs: PipelineRun[]; next_cursor?: string }>(
    pipeline === undefined ? '/pipeline-runs' : `${address(pipeline)}/runs`,
    { query: page, signal },
  );

export const readRun = (run: string, signal?: AbortSignal) =>
  callApi<PipelineRun>(runAddress(run), { signal });
/** Where the browser listens for what happens to a run. */
export const runEventsAddress = (run: string) => `/api/v1${runAddress(run)}/events`;
export const rerun = (run: string) => callApi<StartedRun>(`${runAddress(run)}/rerun`, { method: 'POST' });
export const resumeRun = (run: string) =>
  callApi<StartedRun>(`${runAddress(run)}/resume`, { method: 'POST' });
export const cancelRun = (run: string) =>
  callApi<PipelineRun>(`${runAddress(run)}/cancel`, { method: 'POST' });
