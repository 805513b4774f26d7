import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, toAppError } from '../../errors.ts';
import { detectCredentialInSteps } from '../../memory/credential-detector/detect-in-steps.ts';
import { isoMs } from '../../memory/times.ts';
import type { Engine, RunResult } from '../engine.ts';
import { cancelled } from '../run-error.ts';
import type { Progress } from '../run-progress.ts';
import type { PipelineStep } from './definition.ts';
import { failureClass } from './failure-class.ts';
import { emit, emitRunStatus, type LiveRun, PIPELINE_RUN_POLICY, saveRun } from './live-run.ts';
import type { RunStatus, RunStep } from './run-state.ts';
import { fillTemplate } from './template.ts';

/** Runs the remaining steps of a run within its deadline and sets its final status; never rejects. */
export async function runToEnd(engine: Engine, live: LiveRun): Promise<void> {
  const { run } = live.record;
  const deadline = new AppError('timeout', 'The run took longer than 30 minutes.', { reason: 'deadline' });
  const timer = setTimeout(() => live.stop.abort(deadline), PIPELINE_RUN_POLICY.deadlineMs).unref();
  try {
    run.status = 'running';
    emitRunStatus(live);
    await runSteps(engine, live);
    run.status = 'succeeded';
  } catch (thrown) {
    const error = stopReason(live) ?? toAppError(thrown);
    Object.assign(run, failureOf(error), { status: failedStatus(error) });
  }
  clearTimeout(timer);
}

/** Runs the steps that have not succeeded yet, one after another, and saves the state after each change. */
async function runSteps(engine: Engine, live: LiveRun): Promise<void> {
  const { run, definition } = live.record;
  for (const [at, definedStep] of definition.entries()) {
    const step = run.steps[at]!;
    if (step.status === 'succeeded') continue;
    try {
      await change(live, step, 'running', { started_at: isoMs(live.memory.now()), attempts: 0 });
      const result = await runStep(engine, live, definedStep, step);
      live.outputs.set(definedStep.id, result.output);
      const { artifacts } = result;
      await change(live, step, 'succeeded', {
        ...((await mayStore(engine, definedStep, result.output))
          ? { output: result.output }
          : { output_withheld: true as const }),
        ...(artifacts ? { artifacts } : {}),
        ended_at: isoMs(live.memory.now()),
      });
    } catch (thrown) {
      const error = stopReason(live) ?? toAppError(thrown);
      const ended_at = isoMs(live.memory.now());
      Object.assign(step, failureOf(error), { status: failedStatus(error), ended_at });
      emitStepStatus(live, step);
      throw error;
    }
  }
}

/** Runs one step; a transient failure is retried. */
async function runStep(
  engine: Engine,
  live: LiveRun,
  { pack, version, input }: PipelineStep,
  step: RunStep,
): Promise<RunResult> {
  const { memory, record, stop, outputs } = live;
  const foreignData: unknown[] = [];
  const onOutput = (value: unknown) => foreignData.push(value);
  const filled = fillTemplate(input, { inputs: record.run.inputs, outputs, onOutput });
  for (let attempt = 1; ; attempt++) {
    step.attempts = attempt;
    try {
      return await engine.execute({
        pack,
        version,
        input: filled,
        foreignData,
        caller: memory.caller,
        scopes: new Set(record.scopes),
        source: record.source,
        trust: record.external ? 'tool_output_external' : 'tool_output_internal',
        onExternal: () => {
          record.external = true; // saved with the step's output
        },
        signal: stop.signal,
        onProgress: (progress) => addProgress(live, step, progress),
      });
    } catch (thrown) {
      const error = toAppError(thrown);
      const mayRetry = failureClass(error) === 'transient' && attempt < PIPELINE_RUN_POLICY.maxAttempts;
      if (!mayRetry || stop.signal.aborted) throw error;
      await sleep(backoffMs(error, attempt), undefined, { signal: stop.signal });
    }
  }
}

function backoffMs(error: AppError, attempt: number): number {
  const { retryMs, maxRetryMs } = PIPELINE_RUN_POLICY;
  const retryAfterMs = (error.retryAfterSeconds ?? 0) * 1000;
  return Math.min(maxRetryMs, Math.max(retryAfterMs, retryMs * 4 ** (attempt - 1)));
}

/** Outputs that contain a credential, or are too large, are not stored with the run. */
async function mayStore(engine: Engine, { pack, version }: PipelineStep, output: unknown): Promise<boolean> {
  if (engine.packs.get(pack, version).scopes.includes('vault:read')) return false;
  const text = JSON.stringify(output);
  if (text.length > PIPELINE_RUN_POLICY.maxOutputChars) return false;
  return (await detectCredentialInSteps(text)) === undefined;
}

function addProgress(live: LiveRun, step: RunStep, { percent, message, atMs }: Progress): void {
  const progress = { at: isoMs(atMs), pct: percent, ...(message === undefined ? {} : { message }) };
  step.progress = [...(step.progress ?? []), progress].slice(-PIPELINE_RUN_POLICY.maxProgress);
  const { run } = live.record;
  emit(live, { type: 'progress', run_id: run.id, step_id: step.step_id, ...progress });
}

async function change(
  live: LiveRun,
  step: RunStep,
  status: RunStatus,
  fields: Partial<RunStep>,
): Promise<void> {
  Object.assign(step, fields, { status });
  await saveRun(live);
  emitStepStatus(live, step);
}

function emitStepStatus(live: LiveRun, { step_id, status, error_code }: RunStep): void {
  const at = isoMs(live.memory.now());
  const code = error_code === undefined ? {} : { error_code };
  emit(live, { type: 'step', run_id: live.record.run.id, step_id, status, ...code, at });
}

/** Why the run was aborted, if it was. */
function stopReason({ stop }: LiveRun): AppError | undefined {
  if (!stop.signal.aborted) return undefined;
  return stop.signal.reason instanceof AppError ? stop.signal.reason : cancelled();
}

const failedStatus = (error: AppError): RunStatus => (error.reason === 'cancelled' ? 'cancelled' : 'failed');

export function failureOf(error: AppError) {
  return {
    error: error.message,
    error_code: error.code,
    failure_class: failureClass(error),
    ...(error.reason === undefined ? {} : { failure_reason: error.reason }),
    failure_hint: error.hint,
  };
}
