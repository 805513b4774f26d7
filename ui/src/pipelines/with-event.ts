import type { PipelineRun, RunEvent, RunStep } from '../api/generated/rest.ts';

/** Applies an event to a run. */
export function withEvent(run: PipelineRun, event: RunEvent): PipelineRun {
  if (event.run_id !== run.id) return run;
  if (event.type === 'run') return { ...run, status: event.status, error_code: event.error_code };
  const { step_id } = event;
  return {
    ...run,
    steps: run.steps.map((step) => (step.step_id === step_id ? stepAfter(step, event) : step)),
  };
}

function stepAfter(step: RunStep, event: Exclude<RunEvent, { type: 'run' }>): RunStep {
  if (event.type === 'progress') {
    const { at, pct, message } = event;
    return { ...step, progress: [...(step.progress ?? []), { at, pct, message }] };
  }
  const { status, error_code, at } = event;
  // The first events of a stream report the current state, with the time of the report.
  const begun = step.started_at ?? (status === 'running' ? at : undefined);
  return { ...step, status, error_code, started_at: begun };
}
