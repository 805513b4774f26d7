import type { Memory } from '../../memory/memory.ts';
import { isoMs } from '../../memory/times.ts';
import { findRecord } from '../history/records.ts';
import { pollUntil } from '../poll-until.ts';
import { hasEnded, type PipelineRun, type RunEvent, type RunRecord } from './run-state.ts';

const POLL_INTERVAL_MS = 1_000;

/** Emits the events of a run that another process executes, by polling its record; returns how to stop. */
export function followRun(
  memory: Memory,
  lastSeen: PipelineRun,
  listener: (event: RunEvent) => void,
): () => void {
  let before = structuredClone(lastSeen);
  let isPolling = false;
  const timer = setInterval(async () => {
    if (isPolling) return;
    isPolling = true;
    await poll().catch(() => {}); // while the store is unavailable there are no events
    isPolling = false;
  }, POLL_INTERVAL_MS).unref();

  async function poll(): Promise<void> {
    const record = await findRecord<RunRecord>(memory, 'run', lastSeen.id);
    if (!record) return clearInterval(timer);
    for (const event of eventsBetween(before, record.run, isoMs(memory.now()))) listener(event);
    before = record.run;
    if (hasEnded(before.status)) clearInterval(timer);
  }
  return () => clearInterval(timer);
}

function eventsBetween(before: PipelineRun, after: PipelineRun, at: string): RunEvent[] {
  const events: RunEvent[] = [];
  for (const [i, { step_id, status, error_code }] of after.steps.entries())
    if (before.steps[i]?.status !== status)
      events.push({ type: 'step', run_id: after.id, step_id, status, error_code, at });
  const { id: run_id, status, error_code } = after;
  if (before.status !== status) events.push({ type: 'run', run_id, status, error_code, at });
  return events;
}

/** Waits until another process has ended a run, for at most 15 seconds; returns the run as it is then. */
export function waitForOtherProcess(memory: Memory, run: PipelineRun): Promise<PipelineRun> {
  return pollUntil(
    run,
    ({ status }) => hasEnded(status),
    async (last) => (await findRecord<RunRecord>(memory, 'run', run.id))?.run ?? last,
  );
}
