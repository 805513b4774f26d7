import type { Memory } from '../../memory/memory.ts';
import { saveRecord } from '../history/records.ts';
import { cancelled } from '../run-error.ts';
import type { RunEvent, RunRecord } from './run-state.ts';

export const PIPELINE_RUN_POLICY = Object.freeze({
  keepSeconds: 30 * 86_400,
  deadlineMs: 1_800_000,
  maxLivePerCaller: 32,
  maxAttempts: 3,
  retryMs: 500,
  maxRetryMs: 30_000,
  maxOutputChars: 1_048_576,
  maxProgress: 20,
  maxInputChars: 262_144,
  /** A run that outlived so many processes may be what ended them. */
  maxTakeovers: 2,
});

/** A run that is going on in this process. */
export interface LiveRun {
  readonly memory: Memory;
  readonly record: RunRecord;
  /** Real outputs, those that are not kept included. */
  readonly outputs: Map<string, unknown>;
  readonly stop: AbortController;
  readonly listeners: Set<(event: RunEvent) => void>;
  readonly fingerprint: string;
  ended: Promise<void>;
  /** Other processes need not ask for its end any more. */
  heedNoMore?: () => void;
  /** Its owner was erased, or another process does it now: it leaves nothing behind from here. */
  erased?: true;
}

/** Writes down how far a run is; says whether it is still there, and still this process's. */
export function writeRun({ memory, record }: Pick<LiveRun, 'memory' | 'record'>): Promise<boolean> {
  const { id, pipeline_id } = record.run;
  const isMine = (before: unknown) => (before as RunRecord | null)?.processId === record.processId;
  return saveRecord(memory, 'run', id, record, {
    ttlSeconds: PIPELINE_RUN_POLICY.keepSeconds,
    pipeline: pipeline_id,
    mustExist: true,
    onlyOver: isMine,
  });
}

/** The same for a run that goes on. One that was erased or taken over meanwhile is over here. */
export async function saveRun(live: LiveRun): Promise<void> {
  if (await writeRun(live)) return;
  live.erased = true;
  live.stop.abort(cancelled());
  throw cancelled();
}

export function tell(live: LiveRun, event: RunEvent): void {
  for (const listener of live.listeners) listener(event);
}
