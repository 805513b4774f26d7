import { setTimeout as sleep } from 'node:timers/promises';
import { isoMs } from '../../memory/facts/remember.ts';
import type { Memory } from '../../memory/memory.ts';
import { findRecord } from '../history/records.ts';
import { hasEnded, type PipelineRun, type RunEvent, type RunRecord } from './run-state.ts';

const LOOK_MS = 1_000;

/** Tells what happens to a run that another process does, by looking at what that one wrote down. */
export function followRun(
  memory: Memory,
  seen: PipelineRun,
  listener: (event: RunEvent) => void,
): () => void {
  let before = structuredClone(seen);
  let isLooking = false;
  const timer = setInterval(async () => {
    if (isLooking) return;
    isLooking = true;
    await look().catch(() => {}); // while the store is away there is nothing to tell
    isLooking = false;
  }, LOOK_MS).unref();

  async function look(): Promise<void> {
    const record = await findRecord<RunRecord>(memory, 'run', seen.id);
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

const WAIT_MS = 15_000;
const WAIT_LOOK_MS = 200;

/** A run as it is once another process has ended it; as it is by then if that takes too long. */
export async function endedElsewhere(memory: Memory, run: PipelineRun): Promise<PipelineRun> {
  let now = run;
  for (const until = performance.now() + WAIT_MS; !hasEnded(now.status) && performance.now() < until; ) {
    await sleep(WAIT_LOOK_MS);
    now = (await findRecord<RunRecord>(memory, 'run', run.id))?.run ?? now;
  }
  return now;
}
