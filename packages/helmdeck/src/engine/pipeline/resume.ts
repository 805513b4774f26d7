import { AppError } from '../../errors.ts';
import { hasEnded, type PipelineRun } from './run-state.ts';

/** A failed or cancelled run, ready to continue: steps that succeeded keep their output, the others are pending. */
export function resumedRun(run: PipelineRun): { run: PipelineRun; outputs: Map<string, unknown> } {
  if (run.status !== 'failed' && run.status !== 'cancelled') throw notResumable(run);
  const outputs = new Map<string, unknown>();
  // A step whose output was withheld must run again to produce it.
  const steps = run.steps.map((step) => {
    if (step.status !== 'succeeded' || step.output_withheld)
      return { step_id: step.step_id, pack: step.pack, status: 'pending' as const };
    outputs.set(step.step_id, step.output);
    return step;
  });
  const { id, pipeline_id, inputs, started_at } = run;
  return { run: { id, pipeline_id, status: 'pending', inputs, steps, started_at }, outputs };
}

export function notResumable({ status }: PipelineRun): AppError {
  return new AppError('conflict', `A run that is ${status} cannot be resumed.`, {
    reason: 'not_resumable',
    hint: hasEnded(status) ? 'Use rerun for a new run.' : 'Cancel it first.',
  });
}
