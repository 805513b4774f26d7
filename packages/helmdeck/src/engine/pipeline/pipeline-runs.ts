import { randomBytes } from 'node:crypto';
import { AppError, toAppError } from '../../errors.ts';
import type { Source } from '../../memory/entry.ts';
import type { Memory } from '../../memory/memory.ts';
import type { Caller } from '../../memory/namespace.ts';
import { isoMs } from '../../memory/times.ts';
import { callerMapKey } from '../caller-map-key.ts';
import type { Engine } from '../engine.ts';
import { findRecord, saveRecord, walkRecords } from '../history/records.ts';
import type { RunHistory } from '../history/run-history.ts';
import type { PackLogger } from '../pack/pack.ts';
import { cancelled } from '../run-error.ts';
import { createWriteRetryQueue, type WriteRetryQueue } from '../write-retry-queue.ts';
import { registerActiveRun, unregisterActiveRun } from './active-runs.ts';
import type { Pipeline } from './definition.ts';
import { waitForOtherProcess } from './follow-run.ts';
import { validInputs } from './inputs.ts';
import { emitRunStatus, type LiveRun, PIPELINE_RUN_POLICY, writeRun } from './live-run.ts';
import { createLiveRuns, type LiveRuns } from './live-runs.ts';
import type { Pipelines } from './pipelines.ts';
import { resumedRun } from './resume.ts';
import { interruption, markInterrupted, recordOutcome, takeoverPending } from './run-end.ts';
import { hasEnded, type PipelineRun, type RunEvent, type RunRecord } from './run-state.ts';
import { runToEnd } from './run-steps.ts';

/** The caller that starts a run: their memory, and the scopes of their token. */
export interface Starter {
  memory: Memory;
  scopes: ReadonlySet<string>;
  source: Source;
}

export interface StartedRun {
  run_id: string;
  pipeline_id: string;
  status: 'pending';
  /** An identical run was already in progress, and this is its id. */
  coalesced: boolean;
}

/** Runs of pipelines. Each is visible only to the caller who started it. */
export interface PipelineRuns {
  start(starter: Starter, pipelineId: string, inputs: unknown): Promise<StartedRun>;
  /** A new run of the pipeline as it is now, with the inputs of an earlier run. */
  rerun(starter: Starter, runId: string): Promise<StartedRun>;
  /** Continues a failed or cancelled run with the first step that did not succeed. */
  resume(starter: Starter, runId: string): Promise<StartedRun>;
  cancel(memory: Memory, runId: string): Promise<PipelineRun>;
  get(memory: Memory, runId: string): Promise<PipelineRun>;
  list(
    memory: Memory,
    page: { pipelineId?: string; limit: number; beforeSeq?: number },
  ): Promise<{ runs: PipelineRun[]; lastSeq?: number }>;
  /** Emits the events of a run from now on; undefined when this process does not execute it. */
  subscribe(caller: Caller, runId: string, listener: (event: RunEvent) => void): (() => void) | undefined;
  /**
   * Takes over a run whose process is gone. On a shared store this process continues it with the step that was
   * interrupted; otherwise, or after too many takeovers, the run is marked as interrupted and can be resumed.
   */
  takeOver(memory: Memory, record: RunRecord): Promise<void>;
  /** Cancels every run of a caller without recording it, because the caller's data is about to be erased. */
  stopAll(caller: Caller): void;
  /** How many runs this process is executing. */
  running(): number;
  /** Stops all runs and waits until their state is written. */
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
  const { pipelines, history, processId, now } = parts;
  const liveRuns = createLiveRuns();
  /** Ended runs whose record is not written yet. */
  const retries = createWriteRetryQueue<RunRecord>();
  const begin = createBegin({ ...parts, liveRuns, retries });

  /** The record, if this process has a newer state of it than the store. */
  function findHere(caller: Caller, runId: string): RunRecord | undefined {
    return liveRuns.get(caller, runId)?.record ?? retries.get(callerMapKey(caller, runId));
  }

  async function find(memory: Memory, runId: string): Promise<RunRecord> {
    const record = findHere(memory.caller, runId) ?? (await findRecord<RunRecord>(memory, 'run', runId));
    if (!record) throw new AppError('not_found', 'There is no such run; it may have expired.');
    return record;
  }

  async function start({ memory, scopes, source }: Starter, pipelineId: string, given: unknown) {
    const pipeline = await pipelines.get(memory, pipelineId);
    const inputs = validInputs(given);
    const identical = liveRuns.findIdentical(memory.caller, pipelineId, inputs);
    if (identical) return startedRun(identical.record.run, true);
    const run = newRun(pipeline, inputs, now());
    return begin(
      memory,
      { run, definition: pipeline.steps, scopes: [...scopes], source, processId },
      new Map(),
    );
  }

  return {
    start,
    async rerun(starter, runId) {
      const { run } = await find(starter.memory, runId);
      return start(starter, run.pipeline_id, run.inputs);
    },
    async resume({ memory, scopes, source }, runId) {
      const live = liveRuns.get(memory.caller, runId);
      // Its status changes a moment before that is written.
      if (live && hasEnded(live.record.run.status)) await live.ended;
      const { run, definition, external } = await find(memory, runId);
      const { run: resumed, outputs } = resumedRun(run);
      const record = { run: resumed, definition, scopes: [...scopes], source, external, processId };
      return begin(memory, record, outputs);
    },
    async cancel(memory, runId) {
      const live = liveRuns.get(memory.caller, runId);
      if (!live) return cancelInOtherProcess(memory, await find(memory, runId));
      live.stop.abort(cancelled());
      await live.ended;
      return live.record.run;
    },
    get: async (memory, runId) => (await find(memory, runId)).run,
    async list(memory, { pipelineId, limit, beforeSeq }) {
      const runs: PipelineRun[] = [];
      const walk = walkRecords<RunRecord>(memory, 'run', { pipeline: pipelineId, beforeSeq });
      for await (const { value, seq } of walk) {
        runs.push((findHere(memory.caller, value.run.id) ?? value).run);
        if (runs.length === limit) return { runs, lastSeq: seq };
      }
      return { runs };
    },
    subscribe(caller, runId, listener) {
      const listeners = liveRuns.get(caller, runId)?.listeners;
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
    running: () => liveRuns.all().length,
    stopAll(caller) {
      for (const live of liveRuns.ofCaller(caller)) {
        live.abandoned = true;
        live.stop.abort(cancelled());
      }
    },
    async close() {
      const closing = interruption('closing', 'The server is closing.');
      for (const live of liveRuns.all()) {
        // On a shared store another process takes the run over from the last state that was written.
        if (live.memory.store.sharing) live.abandoned = true;
        live.stop.abort(closing);
      }
      await Promise.all(liveRuns.all().map(({ ended }) => ended));
      await retries.close();
    },
  };
}

interface BeginParts extends PipelineRunParts {
  liveRuns: LiveRuns;
  retries: WriteRetryQueue<RunRecord>;
}

/** Registers and stores a run, then executes it in the background. */
function createBegin({ engine, history, processId, now, log, liveRuns, retries }: BeginParts) {
  async function writeOutcome(live: LiveRun): Promise<void> {
    const { memory, record } = live;
    const write = async () => {
      if (await writeRun(live)) await unregisterActiveRun(memory, record.run.id);
    };
    await write().catch((thrown) => {
      const message = 'the outcome of a pipeline run could not be written, will retry';
      log.warn({ code: toAppError(thrown).code }, message);
      retries.enqueue(callerMapKey(memory.caller, record.run.id), record, write);
    });
  }

  async function execute(live: LiveRun): Promise<void> {
    await runToEnd(engine, live);
    live.unsubscribeStop?.();
    live.record.run.ended_at = isoMs(now());
    liveRuns.stopCoalescing(live);
    if (!live.abandoned) recordOutcome(live, history, now());
    if (!live.abandoned) await writeOutcome(live);
    emitRunStatus(live);
    liveRuns.remove(live);
  }

  /** The registry entry first: a record without one would not be found after a crash. */
  async function save({ memory, record }: LiveRun): Promise<void> {
    const { id: runId, pipeline_id: pipeline } = record.run;
    const ns = memory.directory.idOf(memory.caller).toString('hex');
    await registerActiveRun(memory, { runId, ns, processId });
    const ttlSeconds = PIPELINE_RUN_POLICY.retentionSeconds;
    await saveRecord(memory, 'run', runId, record, { ttlSeconds, pipeline });
  }

  return async (memory: Memory, record: RunRecord, outputs: Map<string, unknown>): Promise<StartedRun> => {
    const { id } = record.run;
    // Known here before it is stored, so that a concurrent identical call finds it.
    const live = liveRuns.add(memory, record, outputs);
    retries.drop(callerMapKey(memory.caller, id));
    const saved = save(live);
    live.ended = saved.then(
      () => {
        live.unsubscribeStop = memory.leases.onStopRequest(id, () => live.stop.abort(cancelled()));
        return execute(live);
      },
      () => liveRuns.remove(live),
    );
    await saved;
    return startedRun(record.run, false);
  };
}

async function cancelInOtherProcess(memory: Memory, { run, processId }: RunRecord): Promise<PipelineRun> {
  if (hasEnded(run.status)) throw new AppError('not_cancellable', 'This run has already ended.');
  if (!(await memory.leases.isAlive(processId))) throw takeoverPending();
  await memory.leases.requestStop(run.id);
  return waitForOtherProcess(memory, run);
}

function newRun(pipeline: Pipeline, inputs: Record<string, unknown>, nowMs: number): PipelineRun {
  return {
    id: `run_${randomBytes(8).toString('hex')}`,
    pipeline_id: pipeline.id,
    status: 'pending',
    inputs,
    steps: pipeline.steps.map(({ id, pack }) => ({ step_id: id, pack, status: 'pending' })),
    started_at: isoMs(nowMs),
  };
}

function startedRun({ id, pipeline_id }: PipelineRun, coalesced: boolean): StartedRun {
  return { run_id: id, pipeline_id, status: 'pending', coalesced };
}
