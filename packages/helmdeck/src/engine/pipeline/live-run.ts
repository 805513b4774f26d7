import type { Memory } from '../../memory/memory.ts';
import { isoMs } from '../../memory/times.ts';
import { saveRecord } from '../history/records.ts';
import { cancelled } from '../run-error.ts';
import type { RunEvent, RunRecord } from './run-state.ts';

export const PIPELINE_RUN_POLICY = Object.freeze({
  retentionSeconds: 30 * 86_400,
  deadlineMs: 1_800_000,
  maxLivePerCaller: 32,
  maxAttempts: 3,
  retryMs: 500,
  maxRetryMs: 30_000,
  maxOutputChars: 1_048_576,
  maxProgress: 20,
  maxInputChars: 262_144,
  /** A run that was interrupted more often may be what crashes its processes. */
  maxTakeovers: 2,
});

/** A pipeline run that this process executes. */
export interface LiveRun {
  readonly memory: Memory;
  readonly record: RunRecord;
  /** By step id, including the outputs that must not be stored. */
  readonly outputs: Map<string, unknown>;
  /** The same for identical calls: caller, pipeline and inputs. */
  readonly fingerprint: string;
  readonly stop: AbortController;
  readonly listeners: Set<(event: RunEvent) => void>;
  ended: Promise<void>;
  /** Stops listening for cancellation by other processes. */
  unsubscribeStop?: () => void;
  /** The owner was erased, or another process executes the run now: this process writes no outcome. */
  abandoned?: true;
}

/** Writes the state of a run; false if its record is gone or belongs to another process by now. */
export function writeRun({ memory, record }: Pick<LiveRun, 'memory' | 'record'>): Promise<boolean> {
  const { id, pipeline_id } = record.run;
  const isOwn = (before: unknown) => (before as RunRecord | null)?.processId === record.processId;
  return saveRecord(memory, 'run', id, record, {
    ttlSeconds: PIPELINE_RUN_POLICY.retentionSeconds,
    pipeline: pipeline_id,
    mustExist: true,
    onlyOver: isOwn,
  });
}

/** Writes the state of a run in progress, and abandons the run if it was erased or taken over meanwhile. */
export async function saveRun(live: LiveRun): Promise<void> {
  if (await writeRun(live)) return;
  live.abandoned = true;
  live.stop.abort(cancelled());
  throw cancelled();
}

export function emit(live: LiveRun, event: RunEvent): void {
  for (const listener of live.listeners) listener(event);
}

export function emitRunStatus(live: LiveRun): void {
  const { id, status, error_code } = live.record.run;
  const code = error_code === undefined ? {} : { error_code };
  emit(live, { type: 'run', run_id: id, status, ...code, at: isoMs(live.memory.now()) });
}
