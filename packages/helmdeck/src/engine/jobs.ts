import { randomBytes } from 'node:crypto';
import { AppError, type ErrorEnvelope, errorEnvelope, toAppError } from '../errors.ts';
import { createMemory, type Memory, type MemoryParts } from '../memory/memory.ts';
import type { Caller } from '../memory/namespace.ts';
import { isoMs } from '../memory/times.ts';
import { BoundedMap } from '../runtime/bounded-map.ts';
import { callerMapKey, isSameCaller } from './caller-map-key.ts';
import { assertMayRun, type Engine, type RunRequest, type RunResult } from './engine.ts';
import { findRecord, saveRecord, walkRecords } from './history/records.ts';
import type { Pack, PackLogger } from './pack/pack.ts';
import { pollUntil } from './poll-until.ts';
import { createWriteRetryQueue } from './write-retry-queue.ts';

export type JobStatus = 'running' | 'succeeded' | 'failed' | 'cancelled';

/** A run in the background, as its owner sees it. */
export interface Job {
  job_id: string;
  pack: string;
  version: string;
  status: JobStatus;
  progress?: { percent: number; message?: string };
  /** What a synchronous run would have returned. */
  result?: RunResult;
  error?: ErrorEnvelope;
  created_at: string;
  ended_at?: string;
}

/** Runs packs in the background. Each caller sees only their own jobs. */
export interface Jobs {
  /** Starts a run and returns at once. */
  start(request: RunRequest): Promise<Job>;
  /** `not_found` for another caller's job too. */
  get(caller: Caller, id: string): Promise<Job>;
  /** Newest first, without results. */
  list(caller: Caller): Promise<Job[]>;
  /** `not_cancellable` once it has ended. */
  cancel(caller: Caller, id: string): Promise<Job>;
  /** How many jobs this process is running. */
  running(): number;
  /** Waits until the outcome of every job is written. */
  close(): Promise<void>;
}

const JOB_POLICY = Object.freeze({
  retentionSeconds: 86_400,
  maxListed: 200,
  maxRunningPerCaller: 64,
  maxResultChars: 4_194_304,
  maxRetainedWithoutMemory: 100,
});

/** A job as it is stored: while it runs, with the process that runs it. */
type JobRecord = Job & { processId?: string };

interface RunningJob {
  job: Job;
  caller: Caller;
  stop: AbortController;
  ended: Promise<unknown>;
}

interface JobParts {
  engine: Engine;
  /** Without memory, only this process knows its jobs, and only the latest of those that have ended. */
  memory?: MemoryParts;
  now: () => number;
  log: PackLogger;
}

export function createJobs({ engine, memory: parts, now, log }: JobParts): Jobs {
  const running = new Map<string, RunningJob>();
  /** Only used while memory is off. */
  const endedWithoutMemory = new BoundedMap<string, Job>(JOB_POLICY.maxRetainedWithoutMemory);
  /** Ended jobs whose record is not written yet. */
  const retries = createWriteRetryQueue<Job>();
  const memoryOf = (caller: Caller): Memory | undefined => parts && createMemory(parts, caller);

  const runningOf = (caller: Caller) =>
    [...running.values()].filter((each) => isSameCaller(each.caller, caller));

  async function runToEnd(current: RunningJob, request: RunRequest): Promise<void> {
    current.job = await execute(engine, current, request, now);
    const { job } = current;
    const mapKey = callerMapKey(current.caller, job.job_id);
    const memory = memoryOf(current.caller);
    const options = { ttlSeconds: JOB_POLICY.retentionSeconds, mustExist: true };
    const save = async () => memory && saveRecord(memory, 'job', job.job_id, job, options);
    if (!memory) endedWithoutMemory.set(mapKey, job);
    await save().catch((thrown) => {
      log.warn({ code: toAppError(thrown).code }, 'the outcome of a job could not be written, will retry');
      retries.enqueue(mapKey, job, save);
    });
    running.delete(mapKey);
  }

  /** The job, if this process has a newer state of it than the store. */
  function findHere(caller: Caller, id: string): Job | undefined {
    const mapKey = callerMapKey(caller, id);
    return running.get(mapKey)?.job ?? retries.get(mapKey) ?? endedWithoutMemory.peek(mapKey);
  }

  async function get(caller: Caller, id: string): Promise<Job> {
    const job = findHere(caller, id);
    if (job) return job;
    const memory = memoryOf(caller);
    const record = memory && (await findRecord<JobRecord>(memory, 'job', id));
    if (record) return fromRecord(record, parts?.leases);
    throw new AppError('not_found', 'There is no such job; it may have expired.');
  }

  /** Asks the process that runs the job to cancel it, and waits for that. */
  async function cancelInOtherProcess(caller: Caller, id: string): Promise<Job> {
    const job = await get(caller, id);
    if (job.status !== 'running') throw new AppError('not_cancellable', 'This job has already ended.');
    await parts?.leases.requestStop(id);
    return pollUntil(
      job,
      ({ status }) => status !== 'running',
      () => get(caller, id),
    );
  }

  return {
    get,
    running: () => running.size,
    async start(request) {
      const { caller } = request;
      const pack = engine.packs.get(request.pack, request.version);
      assertMayRun(pack, request.scopes);
      if (runningOf(caller).length >= JOB_POLICY.maxRunningPerCaller) throw tooManyJobs();
      const job = newJob(pack, now());
      const memory = memoryOf(caller);
      // Stored before it starts, so that a job whose id was returned is known even after a crash.
      const record: JobRecord = { ...job, processId: memory?.leases.processId };
      const options = { ttlSeconds: JOB_POLICY.retentionSeconds };
      if (memory) await saveRecord(memory, 'job', job.job_id, record, options);
      const started: RunningJob = { job, caller, stop: new AbortController(), ended: Promise.resolve() };
      running.set(callerMapKey(caller, job.job_id), started);
      const unsubscribe = memory?.leases.onStopRequest(job.job_id, () => started.stop.abort());
      started.ended = runToEnd(started, { ...request, version: pack.version }).finally(unsubscribe);
      return job;
    },
    async list(caller) {
      const memory = memoryOf(caller);
      const jobs: Job[] = [];
      if (!memory) return runningOf(caller).map(({ job }) => job);
      for await (const { value } of walkRecords<JobRecord>(memory, 'job')) {
        const { result: _, ...job } =
          findHere(caller, value.job_id) ?? (await fromRecord(value, memory.leases));
        jobs.push(job);
        if (jobs.length === JOB_POLICY.maxListed) break;
      }
      return jobs;
    },
    async cancel(caller, id) {
      const current = running.get(callerMapKey(caller, id));
      if (!current) return cancelInOtherProcess(caller, id);
      current.stop.abort();
      await current.ended;
      return current.job;
    },
    async close() {
      await Promise.all([...running.values()].map((each) => each.ended));
      await retries.close();
    },
  };
}

function newJob(pack: Pack, nowMs: number): Job {
  return {
    job_id: `job_${randomBytes(8).toString('hex')}`,
    pack: pack.name,
    version: pack.version,
    status: 'running',
    created_at: isoMs(nowMs),
  };
}

/** Runs the pack; returns the job with its result or error. */
async function execute(
  engine: Engine,
  current: RunningJob,
  request: RunRequest,
  now: () => number,
): Promise<Job> {
  const end = (how: Partial<Job>): Job => {
    const { progress: _, ...job } = current.job;
    return { ...job, ...how, ended_at: isoMs(now()) };
  };
  try {
    const result = await engine.execute({
      ...request,
      signal: current.stop.signal,
      onProgress: ({ percent, message }) => {
        const progress = { percent, ...(message === undefined ? {} : { message }) };
        current.job = { ...current.job, progress };
      },
    });
    assertStorable(result);
    return end({ status: 'succeeded', result });
  } catch (thrown) {
    const status = current.stop.signal.aborted ? 'cancelled' : 'failed';
    return end({ status, error: errorEnvelope(toAppError(thrown)) });
  }
}

/** A stored job; one that was running in a process that is gone has failed. */
async function fromRecord(
  { processId, ...job }: JobRecord,
  leases: MemoryParts['leases'] | undefined,
): Promise<Job> {
  if (job.status !== 'running') return job;
  if (processId !== undefined && (await leases?.isAlive(processId))) return job;
  const error = new AppError('handler_failed', 'The server stopped while this job was running.', {
    reason: 'server_restarted',
    hint: 'Start it again.',
  });
  return { ...job, status: 'failed', error: errorEnvelope(error) };
}

function assertStorable(result: RunResult): void {
  if (JSON.stringify(result).length > JOB_POLICY.maxResultChars)
    throw new AppError('invalid_output', 'The result is too large to store.', { reason: 'too_large' });
}

function tooManyJobs(): AppError {
  return new AppError('resource_exhausted', `At most ${JOB_POLICY.maxRunningPerCaller} jobs at once.`, {
    reason: 'too_many_jobs',
    retryAfterSeconds: 5,
  });
}
