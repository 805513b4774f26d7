import { AppError } from '../../errors.ts';
import { isoMs } from '../../memory/times.ts';
import { learnInputs } from '../history/learn-inputs.ts';
import type { RunHistory } from '../history/run-history.ts';
import { unregisterActiveRun } from './active-runs.ts';
import { type LiveRun, writeRun } from './live-run.ts';
import { failureOf } from './run-steps.ts';

type EndedRun = Pick<LiveRun, 'memory' | 'record'>;

/** Adds the outcome of a run to the caller's run history. */
export function recordOutcome(
  { record: { run }, memory }: EndedRun,
  history: RunHistory,
  nowMs: number,
): void {
  const learned = learnInputs(run.inputs);
  history.addPipeline(memory.caller, {
    pipeline: run.pipeline_id,
    run_id: run.id,
    outcome: run.status,
    at_unix: Math.floor(nowMs / 1000),
    duration_ms: Math.max(0, Date.parse(run.ended_at!) - Date.parse(run.started_at)),
    ...(learned && { learn_inputs: learned }),
  });
}

/** Marks a run as failed because its process stopped. */
export async function markInterrupted(ended: EndedRun, history: RunHistory): Promise<void> {
  const { run } = ended.record;
  const nowMs = ended.memory.now();
  const error = interruption('server_restarted', 'The server stopped while this was running.');
  const failed = { ...failureOf(error), status: 'failed', ended_at: isoMs(nowMs) };
  for (const step of run.steps) if (step.status === 'running') Object.assign(step, failed);
  Object.assign(run, failed);
  if (await writeRun(ended)) recordOutcome(ended, history, nowMs);
  await unregisterActiveRun(ended.memory, run.id);
}

/** The error of a run whose process stopped. */
export function interruption(reason: string, message: string): AppError {
  return new AppError('resource_exhausted', message, {
    reason,
    hint: 'Resume the run: it continues with the step that was interrupted.',
  });
}

/** The process of a run is gone, and no other has taken the run over yet. */
export function takeoverPending(): AppError {
  const message = 'The process that executed this run is gone, and another one is about to take it over.';
  return new AppError('conflict', message, {
    reason: 'changing_hands',
    hint: 'Try again in a few seconds.',
    retryAfterSeconds: 5,
  });
}
