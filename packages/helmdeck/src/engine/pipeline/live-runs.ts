import { createHash } from 'node:crypto';
import { AppError } from '../../errors.ts';
import type { Memory } from '../../memory/memory.ts';
import { type Caller, namespaceOf } from '../../memory/namespace.ts';
import { callerMapKey, isSameCaller } from '../caller-map-key.ts';
import { canonicalJson } from '../canonical-json.ts';
import { type LiveRun, PIPELINE_RUN_POLICY } from './live-run.ts';
import { notResumable } from './resume.ts';
import type { RunRecord } from './run-state.ts';

/** The pipeline runs that this process executes, by owner and id and by what identical calls have in common. */
export interface LiveRuns {
  /** Adds a run; refuses a second execution of the same run, and more runs than a caller may have at once. */
  add(memory: Memory, record: RunRecord, outputs: Map<string, unknown>): LiveRun;
  get(caller: Caller, runId: string): LiveRun | undefined;
  /** The run that an identical call joins instead of starting its own. */
  findIdentical(caller: Caller, pipelineId: string, inputs: object): LiveRun | undefined;
  ofCaller(caller: Caller): LiveRun[];
  all(): LiveRun[];
  /** From here on an identical call starts a new run. */
  stopCoalescing(live: LiveRun): void;
  remove(live: LiveRun): void;
}

export function createLiveRuns(): LiveRuns {
  const byId = new Map<string, LiveRun>();
  const byFingerprint = new Map<string, LiveRun>();

  const ofCaller = (caller: Caller) =>
    [...byId.values()].filter(({ memory }) => isSameCaller(memory.caller, caller));

  function stopCoalescing(live: LiveRun): void {
    deleteIfSame(byFingerprint, live.fingerprint, live);
  }

  return {
    add(memory, record, outputs) {
      const { caller } = memory;
      if (ofCaller(caller).length >= PIPELINE_RUN_POLICY.maxLivePerCaller) throw tooManyRuns();
      const { id, pipeline_id, inputs } = record.run;
      const mapKey = callerMapKey(caller, id);
      const other = byId.get(mapKey);
      if (other) throw notResumable(other.record.run);
      const live: LiveRun = {
        memory,
        record,
        outputs,
        fingerprint: fingerprintOf(caller, pipeline_id, inputs),
        stop: new AbortController(),
        listeners: new Set(),
        ended: Promise.resolve(),
      };
      byId.set(mapKey, live);
      if (!byFingerprint.has(live.fingerprint)) byFingerprint.set(live.fingerprint, live);
      return live;
    },
    get: (caller, runId) => byId.get(callerMapKey(caller, runId)),
    findIdentical: (caller, pipelineId, inputs) =>
      byFingerprint.get(fingerprintOf(caller, pipelineId, inputs)),
    ofCaller,
    all: () => [...byId.values()],
    stopCoalescing,
    remove(live) {
      stopCoalescing(live);
      deleteIfSame(byId, callerMapKey(live.memory.caller, live.record.run.id), live);
    },
  };
}

/** A later run may have taken the key. */
function deleteIfSame(runs: Map<string, LiveRun>, key: string, live: LiveRun): void {
  if (runs.get(key) === live) runs.delete(key);
}

function fingerprintOf(caller: Caller, pipelineId: string, inputs: object): string {
  const parts = [namespaceOf(caller).toString('base64'), pipelineId, canonicalJson(inputs)];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}

function tooManyRuns(): AppError {
  const message = `At most ${PIPELINE_RUN_POLICY.maxLivePerCaller} pipeline runs at once.`;
  return new AppError('resource_exhausted', message, { reason: 'too_many_runs', retryAfterSeconds: 5 });
}
