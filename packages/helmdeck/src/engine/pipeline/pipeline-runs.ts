import { createHash, randomBytes } from 'node:crypto';
import { AppError, toAppError } from '../../errors.ts';
import type { Source } from '../../memory/entry.ts';
import { isoMs } from '../../memory/facts/remember.ts';
import type { Memory } from '../../memory/memory.ts';
import { type Caller, namespaceOf } from '../../memory/namespace.ts';
import { canonicalJson } from '../canonical-json.ts';
import type { Engine } from '../engine.ts';
import { findRecord, saveRecord, walkRecords } from '../history/records.ts';
import type { RunHistory } from '../history/run-history.ts';
import type { PackLogger } from '../pack/pack.ts';
import { cancelled } from '../run-error.ts';
import { createWriteRetryQueue } from '../write-retry-queue.ts';
import { enterRoll, leaveRoll } from './active-runs.ts';
import { endedElsewhere } from './follow-run.ts';
import { validInputs } from './inputs.ts';
import { type LiveRun, PIPELINE_RUN_POLICY, tell, writeRun } from './live-run.ts';
import type { Pipelines } from './pipelines.ts';
import { notResumable, resumedRun } from './resume.ts';
import { changingHands, interruption, markInterrupted, noteEnd } from './run-end.ts';
import { hasEnded, type PipelineRun, type RunEvent, type RunRecord } from './run-state.ts';
import { failureOf, isCancelled, runSteps, stopReason } from './run-steps.ts';

/** Whoever starts a run: their memory, and what their token may do. */
export interface Starter {
  memory: Memory;
  scopes: ReadonlySet<string>;
  source: Source;
}

export interface StartedRun {
  run_id: string;
  pipeline_id: string;
  status: 'pending';
  /** The same run with the same inputs was already going on. */
  coalesced: boolean;
}

/** Runs of pipelines: each belongs to the caller who started it, and to nobody else. */
export interface PipelineRuns {
  start(starter: Starter, pipelineId: string, inputs: unknown): Promise<StartedRun>;
  /** A new run of the pipeline as it is now, with the inputs of an earlier run. */
  rerun(starter: Starter, runId: string): Promise<StartedRun>;
  /** Goes on with a run that failed or was cancelled, from the step it did not finish. */
  resume(starter: Starter, runId: string): Promise<StartedRun>;
  cancel(memory: Memory, runId: string): Promise<PipelineRun>;
  get(memory: Memory, runId: string): Promise<PipelineRun>;
  list(
    memory: Memory,
    page: { pipelineId?: string; limit: number; beforeSeq?: number },
  ): Promise<{ runs: PipelineRun[]; lastSeq?: number }>;
  /** Tells what happens to a run from now on; nothing when it has ended. */
  subscribe(caller: Caller, runId: string, listener: (event: RunEvent) => void): (() => void) | undefined;
  /**
   * Sees to a run whose process is gone: on a shared store it goes on here, with the step that was cut off; elsewhere, and
   * when that happened too often, it says that it was cut off and waits to be resumed.
   */
  takeOver(memory: Memory, record: RunRecord): Promise<void>;
  /** Stops every run of a caller without a trace, because everything of that caller is about to go. */
  stopAll(caller: Caller): void;
  /** Stops what runs and waits until that is written down. */
  close(): Promise<void>;
}

interface PipelineRunParts {
  engine: Engine;
  pipelines: Pipelines;
  history: RunHistory;
  processId: string;
  now: () => number;
  log: PackLogger;
}

export function createPipelineRuns(parts: PipelineRunParts): PipelineRuns {
  const { engine, pipelines, history, processId, now, log } = parts;
  const live = new Map<string, LiveRun>();
  const byFingerprint = new Map<string, LiveRun>();
  /** Runs that have ended, and whose end the store did not take yet. */
  const late = createWriteRetryQueue<RunRecord>();
  const nameOf = (caller: Caller, id: string) => `${namespaceOf(caller).toString('latin1')}\0${id}`;
  const liveOf = (caller: Caller) =>
    [...live.values()].filter(({ memory }) => namespaceOf(memory.caller).equals(namespaceOf(caller)));

  /** From the first step that is left to the end, whatever that is. */
  async function drive(mine: LiveRun): Promise<void> {
    const { run } = mine.record;
    const name = nameOf(mine.memory.caller, run.id);
    const tooLate = new AppError('timeout', 'The run took longer than 30 minutes.', { reason: 'deadline' });
    const timer = setTimeout(() => mine.stop.abort(tooLate), PIPELINE_RUN_POLICY.deadlineMs).unref();
    try {
      run.status = 'running';
      tellRun(mine);
      await runSteps(engine, mine);
      run.status = 'succeeded';
    } catch (thrown) {
      const error = stopReason(mine) ?? toAppError(thrown);
      run.status = isCancelled(error) ? 'cancelled' : 'failed';
      Object.assign(run, failureOf(error));
    }
    clearTimeout(timer);
    mine.heedNoMore?.();
    run.ended_at = isoMs(now());
    leave(mine, byFingerprint, mine.fingerprint);
    if (!mine.erased) noteEnd(mine, history, now());
    if (!mine.erased) await writeEnd(mine, name);
    tellRun(mine);
    leave(mine, live, name);
  }

  async function writeEnd(mine: LiveRun, name: string): Promise<void> {
    const write = async () => {
      if (await writeRun(mine)) await leaveRoll(mine.memory, mine.record.run.id);
    };
    await write().catch((thrown) => {
      log.warn({ code: toAppError(thrown).code }, 'the end of a pipeline run could not be kept yet');
      late.keep(name, mine.record, write);
    });
  }

  function tellRun(mine: LiveRun): void {
    const { id, status, error_code } = mine.record.run;
    const code = error_code === undefined ? {} : { error_code };
    tell(mine, { type: 'run', run_id: id, status, ...code, at: isoMs(now()) });
  }

  async function begin(
    memory: Memory,
    record: RunRecord,
    outputs: Map<string, unknown>,
  ): Promise<StartedRun> {
    const { id: run_id, pipeline_id, inputs } = record.run;
    const fingerprint = fingerprintOf(memory.caller, pipeline_id, inputs);
    if (liveOf(memory.caller).length >= PIPELINE_RUN_POLICY.maxLivePerCaller) {
      const message = `At most ${PIPELINE_RUN_POLICY.maxLivePerCaller} pipeline runs at once.`;
      throw new AppError('resource_exhausted', message, { reason: 'too_many_runs', retryAfterSeconds: 5 });
    }
    const name = nameOf(memory.caller, run_id);
    const other = live.get(name);
    if (other) throw notResumable(other.record.run);
    const mine: LiveRun = {
      memory,
      record,
      outputs,
      stop: new AbortController(),
      listeners: new Set(),
      fingerprint,
      ended: Promise.resolve(),
    };
    // Known before it is written, so that an identical call that comes meanwhile finds it.
    live.set(name, mine);
    if (!byFingerprint.has(fingerprint)) byFingerprint.set(fingerprint, mine);
    late.drop(name);
    const options = { ttlSeconds: PIPELINE_RUN_POLICY.keepSeconds, pipeline: pipeline_id };
    const entry = { runId: run_id, ns: memory.directory.idOf(memory.caller).toString('hex'), processId };
    const saved = enterRoll(memory, entry).then(() => saveRecord(memory, 'run', run_id, record, options));
    mine.ended = saved.then(
      () => {
        mine.heedNoMore = memory.leases.onStopRequest(run_id, () => mine.stop.abort(cancelled()));
        return drive(mine);
      },
      () => {
        leave(mine, live, name);
        leave(mine, byFingerprint, fingerprint);
      },
    );
    await saved;
    return { run_id, pipeline_id, status: 'pending', coalesced: false };
  }

  /** The record of a run that this process knows better than the store. */
  function here(caller: Caller, runId: string): RunRecord | undefined {
    const name = nameOf(caller, runId);
    return live.get(name)?.record ?? late.get(name);
  }

  async function findRun(memory: Memory, runId: string): Promise<RunRecord> {
    const record = here(memory.caller, runId) ?? (await findRecord<RunRecord>(memory, 'run', runId));
    if (!record) throw new AppError('not_found', 'There is no such run; it may have expired.');
    return record;
  }

  async function start(
    { memory, scopes, source }: Starter,
    pipelineId: string,
    given: unknown,
  ): Promise<StartedRun> {
    const pipeline = await pipelines.get(memory, pipelineId);
    const inputs = validInputs(given);
    const same = byFingerprint.get(fingerprintOf(memory.caller, pipelineId, inputs));
    if (same) {
      const { id: run_id } = same.record.run;
      return { run_id, pipeline_id: pipelineId, status: 'pending', coalesced: true };
    }
    const run: PipelineRun = {
      id: `run_${randomBytes(8).toString('hex')}`,
      pipeline_id: pipelineId,
      status: 'pending',
      inputs,
      steps: pipeline.steps.map(({ id, pack }) => ({ step_id: id, pack, status: 'pending' })),
      started_at: isoMs(now()),
    };
    const record = { run, definition: pipeline.steps, scopes: [...scopes], source, processId };
    return begin(memory, record, new Map());
  }

  return {
    start,
    async rerun(starter, runId) {
      const { run } = await findRun(starter.memory, runId);
      return start(starter, run.pipeline_id, run.inputs);
    },
    async resume({ memory, scopes, source }, runId) {
      const last = live.get(nameOf(memory.caller, runId));
      // It is seen to have ended a moment before that is written down.
      if (last && hasEnded(last.record.run.status)) await last.ended;
      const { run, definition } = await findRun(memory, runId);
      const { run: resumed, outputs } = resumedRun(run);
      return begin(memory, { run: resumed, definition, scopes: [...scopes], source, processId }, outputs);
    },
    async cancel(memory, runId) {
      const mine = live.get(nameOf(memory.caller, runId));
      if (mine) {
        mine.stop.abort(cancelled());
        await mine.ended;
        return mine.record.run;
      }
      const { run, processId: doer } = await findRun(memory, runId);
      if (hasEnded(run.status)) throw new AppError('not_cancellable', 'This run has already ended.');
      if (!(await memory.leases.isAlive(doer))) throw changingHands();
      await memory.leases.requestStop(runId);
      return endedElsewhere(memory, run);
    },
    get: async (memory, runId) => (await findRun(memory, runId)).run,
    async list(memory, { pipelineId, limit, beforeSeq }) {
      const runs: PipelineRun[] = [];
      const walk = walkRecords<RunRecord>(memory, 'run', { pipeline: pipelineId, beforeSeq });
      for await (const { value, seq } of walk) {
        runs.push((here(memory.caller, value.run.id) ?? value).run);
        if (runs.length === limit) return { runs, lastSeq: seq };
      }
      return { runs };
    },
    subscribe(caller, runId, listener) {
      const listeners = live.get(nameOf(caller, runId))?.listeners;
      listeners?.add(listener);
      return listeners && (() => void listeners.delete(listener));
    },
    async takeOver(memory, record) {
      const takeovers = (record.takeovers ?? 0) + 1;
      if (!memory.store.sharing || takeovers > PIPELINE_RUN_POLICY.maxTakeovers)
        return markInterrupted({ memory, record }, history);
      const { run, outputs } = resumedRun({ ...record.run, status: 'failed' });
      await begin(memory, { ...record, run, processId, takeovers }, outputs).catch(() =>
        markInterrupted({ memory, record }, history),
      );
    },
    stopAll(caller) {
      for (const mine of liveOf(caller)) {
        mine.erased = true;
        mine.stop.abort(cancelled());
      }
    },
    async close() {
      const closing = interruption('closing', 'The server is closing.');
      for (const mine of live.values()) {
        // Where others share the store one of them goes on with it: nothing is written down but what was done.
        if (mine.memory.store.sharing) mine.erased = true;
        mine.stop.abort(closing);
      }
      await Promise.all([...live.values()].map(({ ended }) => ended));
      await late.close();
    },
  };
}

/** Takes a run out of a map, unless another one took its place. */
function leave(run: LiveRun, runs: Map<string, LiveRun>, name: string): void {
  if (runs.get(name) === run) runs.delete(name);
}

function fingerprintOf(caller: Caller, pipelineId: string, inputs: object): string {
  const parts = [namespaceOf(caller).toString('base64'), pipelineId, canonicalJson(inputs)];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
