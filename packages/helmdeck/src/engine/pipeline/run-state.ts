import type { ArtifactInfo } from '../../memory/artifact.ts';
import type { Source } from '../../memory/entry.ts';
import type { PipelineStep } from './definition.ts';
import type { FailureClass } from './failure-class.ts';

export type RunStatus = 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export interface StepProgress {
  at: string;
  pct: number;
  message?: string;
}

interface Failure {
  error?: string;
  error_code?: string;
  failure_class?: FailureClass;
  failure_reason?: string;
  /** What to do about it. */
  failure_hint?: string;
}

export interface RunStep extends Failure {
  step_id: string;
  pack: string;
  status: RunStatus;
  output?: unknown;
  /** The output is not stored, because it contains a credential or is too large; a resumed run repeats the step. */
  output_withheld?: true;
  artifacts?: readonly ArtifactInfo[];
  attempts?: number;
  progress?: StepProgress[];
  started_at?: string;
  ended_at?: string;
}

/** A run as its owner sees it. */
export interface PipelineRun extends Failure {
  id: string;
  pipeline_id: string;
  status: RunStatus;
  inputs: Record<string, unknown>;
  steps: RunStep[];
  started_at: string;
  ended_at?: string;
}

/** A run as it is stored: with what it takes to continue it after the server has stopped. */
export interface RunRecord {
  run: PipelineRun;
  /** The steps as they were when the run began: a later edit does not change a run. */
  definition: PipelineStep[];
  /** Of the token that started the run. */
  scopes: string[];
  source: Source;
  /** A step fetched something from outside, so what later steps store is trusted less. */
  external?: true;
  /** The process that executes the run. */
  processId: string;
  /** How often another process has continued the run. */
  takeovers?: number;
}

/** A change of a run, without outputs. */
export type RunEvent =
  | { type: 'run'; run_id: string; status: RunStatus; error_code?: string; at: string }
  | { type: 'step'; run_id: string; step_id: string; status: RunStatus; error_code?: string; at: string }
  | { type: 'progress'; run_id: string; step_id: string; pct: number; message?: string; at: string };

export const hasEnded = (status: RunStatus) => status !== 'pending' && status !== 'running';
