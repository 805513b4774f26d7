import { describe, expect, it } from 'vitest';
import type { PipelineRun } from '../api/generated/rest.ts';
import { withEvent } from './with-event.ts';

const RUN: PipelineRun = {
  id: 'run_1',
  pipeline_id: 'pipe_1',
  status: 'running',
  inputs: {},
  started_at: '2026-01-01T00:00:00Z',
  steps: [
    { step_id: 'a', pack: 'p', status: 'succeeded', started_at: '2026-01-01T00:00:00Z' },
    { step_id: 'b', pack: 'p', status: 'pending' },
  ],
};
const at = '2026-01-01T00:00:05Z';

describe('a run after an event', () => {
  it('after a step event, a run has the new status of the step and its start time', () => {
    const after = withEvent(RUN, { type: 'step', run_id: 'run_1', step_id: 'b', status: 'running', at });
    expect(after.steps[1]).toMatchObject({ status: 'running', started_at: at });
    expect(after.steps[0]).toBe(RUN.steps[0]);
  });

  it('a run keeps the start time of a step when a reopened stream reports it again', () => {
    const after = withEvent(RUN, { type: 'step', run_id: 'run_1', step_id: 'a', status: 'succeeded', at });
    expect(after.steps[0]!.started_at).toBe('2026-01-01T00:00:00Z');
  });

  it('a run takes progress from events, ends with the run event, and ignores events of other runs', () => {
    const event = { type: 'progress', run_id: 'run_1', step_id: 'b', pct: 40, message: 'half', at } as const;
    expect(withEvent(RUN, event).steps[1]!.progress).toEqual([{ at, pct: 40, message: 'half' }]);
    expect(withEvent(RUN, { type: 'run', run_id: 'run_1', status: 'failed', at }).status).toBe('failed');
    expect(withEvent(RUN, { type: 'run', run_id: 'run_2', status: 'failed', at })).toBe(RUN);
  });
});
