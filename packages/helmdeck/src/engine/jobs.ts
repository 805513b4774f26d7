import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type ErrorEnvelope, errorEnvelope, toAppError } from '../errors.ts';
import { isoMs } from '../memory/facts/remember.ts';
import { createMemory, type Memory, type MemoryParts } from '../memory/memory.ts';
import { type Caller, namespaceOf } from '../memory/namespace.ts';
import { BoundedMap } from '../runtime/bounded-map.ts';
import { assertMayRun, type Engine, type RunRequest, type RunResult } from './engine.ts';
import { findRecord, saveRecord, walkRecords } from './history/records.ts';
import type { PackLogger } from './pack/pack.ts';
import { createWriteRetryQueue } from './write-retry-queue.ts';

export type JobStatus = 'running' | 'succeeded' | 'failed' | 'cancelled';

/** A run that nobody waits for, as its owner sees it. */
export interface Job {
  job_id: string;
  pack: string;
  version: string;
  status: JobStatus;
  progress?: { percent: number; message?: string };
  /** The answer the run would have given at once. */
  result?: RunResult;
  error?: ErrorEnvelope;
  created_at: string;
  ended_at?: string;
}

export interface Jobs {
  /** Starts a run and answers at once. */
  start(request: RunRequest): Promise<Job>;
  /** `not_found` for a job of somebody else too. */
  get(caller: Caller, id: string): Promise<Job>;
  /** Newest first, without results. */
  list(caller: Caller): Promise<Job[]>;
  /** `not_cancellable` once it has ended. */
  cancel(caller: Caller, id: string): Promise<Job>;
  /** Waits until every job has written down how it ended. */
  close(): Promise<void>;
}

const JOB_POLICY = Object.freeze({
  keepSeconds: 86_400,
  maxListed: 200,
  maxRunningPerCaller: 64,
  maxResultChars: 4_194_304,
  maxKeptWithoutMemory: 100,
});

/** A job as it is kept: while it runs, with the process that runs it. */
type KeptJob = Job & { processId?: string };

const CANCEL_WAIT_MS = 15_000;
const CANCEL_LOOK_MS = 200;

interface Running {
  job: Job;
  caller: Caller;
  stop: AbortController;
  ended: Promise<unknown>;
}

interface JobParts {
  engine: Engine;
  /** Without memory, only this process knows of its jobs, and only of the latest ones. */
  memory?: MemoryParts;
  now: () => number;
  log: PackLogger;
}

export function createJobs({ engine, memory: parts, now, log }: JobParts): Jobs {
  const running = new Map<string, Running>();
  const endedHere = new BoundedMap<string, Job>(JOB_POLICY.maxKeptWithoutMemory);
  /** Jobs that have ended, and whose end the store did not take yet. */
  const late = createWriteRetryQueue<Job>();
  const nameOf = (caller: Caller, id: string) => `${namespaceOf(caller).toString('latin1')}\0${id}`;
  const memoryOf = (caller: Caller): Memory | undefined => parts && createMemory(parts, caller);

  const runningOf = (caller: Caller) =>
    [...running.values()].filter((each) => namespaceOf(each.caller).equals(namespaceOf(caller)));

  function ended(job: Job, how: Partial<Job>): Job {
    const { progress: _, ...rest } = job;
    return { ...rest, ...how, ended_at: isoMs(now()) };
  }

  async function run(mine: Running, request: RunRequest): Promise<Job> {
    try {
      const result = await engine.execute({
        ...request,
        signal: mine.stop.signal,
        onProgress: ({ percent, message }) => {
          mine.job = { ...mine.job, progress: { percent, ...(message === undefined ? {} : { message }) } };
        },
      });
      if (JSON.stringify(result).length > JOB_POLICY.maxResultChars)
        throw new AppError('invalid_output', 'The result is too large to be kept.', { reason: 'too_large' });
      return ended(mine.job, { status: 'succeeded', result });
    } catch (thrown) {
      const status = mine.stop.signal.aborted ? 'cancelled' : 'failed';
      return ended(mine.job, { status, error: errorEnvelope(toAppError(thrown)) });
    }
  }

  async function finish(mine: Running, request: RunRequest): Promise<void> {
    mine.job = await run(mine, request);
    const { job } = mine;
    const name = nameOf(mine.caller, job.job_id);
    const memory = memoryOf(mine.caller);
    const options = { ttlSeconds: JOB_POLICY.keepSeconds, mustExist: true };
    const save = async () => memory && saveRecord(memory, 'job', job.job_id, job, options);
    if (!memory) endedHere.set(name, job);
    await save().catch((thrown) => {
      log.warn({ code: toAppError(thrown).code }, 'the end of a job could not be kept yet');
      late.keep(name, job, save);
    });
    running.delete(name);
  }

  /** A job that claims to run, but in a process that is gone, was cut off by its end. */
  async function honest({ processId, ...job }: KeptJob): Promise<Job> {
    if (job.status !== 'running') return job;
    if (processId !== undefined && (await parts?.leases.isAlive(processId))) return job;
    const error = new AppError('handler_failed', 'The server ended while this job was running.', {
      reason: 'server_restarted',
      hint: 'Start it again.',
    });
    return { ...job, status: 'failed', error: errorEnvelope(error) };
  }

  /** A job that this process knows better than the store. */
  const here = (name: string) => running.get(name)?.job ?? late.get(name) ?? endedHere.get(name);

  async function get(caller: Caller, id: string): Promise<Job> {
    const known = here(nameOf(caller, id));
    if (known) return known;
    const memory = memoryOf(caller);
    const kept = memory && (await findRecord<KeptJob>(memory, 'job', id));
    if (kept) return honest(kept);
    throw new AppError('not_found', 'There is no such job; it may have expired.');
  }

  /** Has the process that runs a job stop it. */
  async function cancelElsewhere(caller: Caller, id: string): Promise<Job> {
    let job = await get(caller, id);
    if (job.status !== 'running') throw new AppError('not_cancellable', 'This job has already ended.');
    await parts?.leases.requestStop(id);
    const untilMs = performance.now() + CANCEL_WAIT_MS;
    while (job.status === 'running' && performance.now() < untilMs) {
      await sleep(CANCEL_LOOK_MS);
      job = await get(caller, id);
    }
    return job;
  }

  return {
    get,
    async start(request) {
      const { caller } = request;
      const pack = engine.packs.get(request.pack, request.version);
      assertMayRun(pack, request.scopes);
      if (runningOf(caller).length >= JOB_POLICY.maxRunningPerCaller) {
        throw new AppError('resource_exhausted', `At most ${JOB_POLICY.maxRunningPerCaller} jobs at once.`, {
          reason: 'too_many_jobs',
          retryAfterSeconds: 5,
        });
      }
      const job: Job = {
        job_id: `job_${randomBytes(8).toString('hex')}`,
        pack: pack.name,
        version: pack.version,
        status: 'running',
        created_at: isoMs(now()),
      };
      const memory = memoryOf(caller);
      // Known to the store before it starts, so that an answered job is never lost without a word.
      const kept: KeptJob = { ...job, processId: memory?.leases.processId };
      if (memory) await saveRecord(memory, 'job', job.job_id, kept, { ttlSeconds: JOB_POLICY.keepSeconds });
      const started: Running = { job, caller, stop: new AbortController(), ended: Promise.resolve() };
      running.set(nameOf(caller, job.job_id), started);
      const heedNoMore = memory?.leases.onStopRequest(job.job_id, () => started.stop.abort());
      started.ended = finish(started, { ...request, version: pack.version }).finally(heedNoMore);
      return job;
    },
    async list(caller) {
      const memory = memoryOf(caller);
      const jobs: Job[] = [];
      if (!memory) return runningOf(caller).map(({ job }) => job);
      for await (const { value } of walkRecords<KeptJob>(memory, 'job')) {
        const { result: _, ...job } = here(nameOf(caller, value.job_id)) ?? (await honest(value));
        jobs.push(job);
        if (jobs.length === JOB_POLICY.maxListed) break;
      }
      return jobs;
    },
    async cancel(caller, id) {
      const live = running.get(nameOf(caller, id));
      if (!live) return cancelElsewhere(caller, id);
      live.stop.abort();
      await live.ended;
      return live.job;
    },
    async close() {
      await Promise.all([...running.values()].map((each) => each.ended));
      await late.close();
    },
  };
}
