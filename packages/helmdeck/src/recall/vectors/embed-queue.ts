import { setTimeout as sleep } from 'node:timers/promises';
import { type Embedder, type EmbeddingError, type EmbeddingErrorKind, toEmbeddingError } from './embedder.ts';
import { createPendingJobs, type EmbedJob, type PendingJob } from './pending-jobs.ts';
import { meanDirection, textWindows } from './text-windows.ts';

export interface EmbedQueueOptions {
  embedder: Embedder;
  /**
   * Stores the vector of a text and, for a long one, those of its windows. Retried later if it rejects; must resolve if the
   * fact no longer exists. `text` is the text that was added, cut to 8,000 characters.
   */
  save(id: string, vector: Float32Array, text: string, windows: readonly Float32Array[]): Promise<void>;
  log: QueueLog;
  now: () => number;
  /** Sleeps; rejects when the signal aborts. */
  delay?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Jitter of the backoff, from 0 to 1: spreads the retries of several nodes. */
  random?: () => number;
}

export interface QueueLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface EmbedQueueStatus {
  state: 'idle' | 'working' | 'backing_off';
  /** Jobs without a saved vector, including those in progress. */
  waiting: number;
  done: number;
  /** Jobs given up: the endpoint accepts other texts, but not these. */
  failed: number;
  lastError?: { kind: EmbeddingErrorKind | 'save'; message: string; fix?: string; atMs: number };
  /** When the last vector was saved. */
  lastOkMs?: number;
}

/** Embeds texts in the background, in batches and with exponential backoff. Its methods never throw. */
export interface EmbedQueue {
  /** Enqueues a text, replacing a pending one with the same id; false if the queue is full. */
  add(job: EmbedJob): boolean;
  remove(id: string): void;
  status(): EmbedQueueStatus;
  /** Resolves when the queue is empty or closed. */
  drained(): Promise<void>;
  close(): Promise<void>;
}

const BATCH_JOBS = 64;
const BATCH_UNITS = 100_000;
const MAX_TEXT_UNITS = 8_000;
/** A longer text is embedded window by window: models cut long texts, and one vector for several topics is near none of them. */
const WINDOW_UNITS = 320;
const MAX_WINDOWS = 8;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 60_000;
/** How often a text may fail by itself while the probe succeeds, before it is given up. */
const MAX_SUSPICIONS = { permanent: 2, transient: 4 };
/** How often saving a vector may fail while others are saved. */
const MAX_SAVE_ATTEMPTS = 5;
/** How often saving may fail while no other is saved either: about a quarter of an hour. */
const MAX_SAVE_ATTEMPTS_IN_OUTAGE = 20;
/** Every model accepts this text: if it fails too, the batch is not to blame. */
const PROBE = 'A short sentence.';

export function createEmbedQueue(options: EmbedQueueOptions): EmbedQueue {
  const { embedder, now } = options;
  const delay = options.delay ?? ((ms, signal) => sleep(ms, undefined, { signal, ref: false }));
  const random = options.random ?? Math.random;
  const jobs = createPendingJobs();
  const closing = new AbortController();
  const status: EmbedQueueStatus = { state: 'idle', waiting: 0, done: 0, failed: 0 };
  let backoffs = 0;
  let isFailing = false;
  let isRunning = false;
  let work: Promise<void> | undefined;

  function reportFailure(kind: EmbeddingErrorKind | 'save', message: string, fix?: string): void {
    status.lastError = { kind, message, fix, atMs: now() };
    // Logged once per outage, not once per attempt.
    if (!isFailing) options.log.warn({ kind, waiting: jobs.size, fix }, message);
    isFailing = true;
  }

  function reportRecovery(): void {
    if (isFailing) options.log.info({ waiting: jobs.size, failed: status.failed }, 'Embeddings resumed.');
    isFailing = false;
    backoffs = 0;
  }

  async function backOff(minMs = 0): Promise<void> {
    status.state = 'backing_off';
    const fullMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** backoffs++);
    const ms = Math.max(minMs, fullMs * (0.5 + random() / 2));
    await delay(ms, closing.signal).catch(() => {});
    status.state = 'working';
  }

  function giveUp(job: PendingJob): void {
    jobs.finish(job);
    status.failed++;
  }

  async function save(batch: PendingJob[]): Promise<void> {
    const current = batch.filter(jobs.isCurrent);
    const saves = await Promise.allSettled(
      current.map(async (job) => options.save(job.id, job.vector!, job.text, job.windows ?? [])),
    );
    const [saved, failures] = [true, false].map((isSaved) =>
      current.filter((job, at) => jobs.isCurrent(job) && (saves[at]!.status === 'fulfilled') === isSaved),
    );
    for (const job of saved!) jobs.finish(job);
    status.done += saved!.length;
    if (saved!.length > 0) status.lastOkMs = now();
    for (const job of failures!) {
      if (++job.attempts >= (saved!.length > 0 ? MAX_SAVE_ATTEMPTS : MAX_SAVE_ATTEMPTS_IN_OUTAGE))
        giveUp(job);
      else jobs.moveToEnd(job);
    }
    if (failures!.length === 0) return reportRecovery();
    reportFailure('save', 'Vectors could not be saved.');
    if (saved!.length === 0) await backOff();
  }
  async function endpointWorks(): Promise<boolean> {
    return embedder.embed([PROBE], 'document', closing.signal).then(
      () => true,
      () => false,
    );
  }

  /** Probes whether a text of the batch is to blame. If so, bisects the batch to find it; if not, backs off. */
  async function onBatchFailed(batch: PendingJob[], error: EmbeddingError): Promise<void> {
    reportFailure(error.kind, error.message, error.fix);
    for (const job of batch) job.attempts++;
    const [first] = batch as [PendingJob];
    const isTransient = error.kind === 'unreachable' || error.kind === 'timeout';
    const isSuspect = error.kind !== 'rate_limited' && (!isTransient || first.attempts > 1);
    const isToBlame = isSuspect && (await endpointWorks());
    if (isToBlame && batch.length > 1) {
      const half = Math.ceil(batch.length / 2);
      return jobs.putBack(batch.slice(0, half), batch.slice(half));
    }
    // Never on the first failure: the endpoint may have recovered between the text and the probe.
    const maxSuspicions = isTransient ? MAX_SUSPICIONS.transient : MAX_SUSPICIONS.permanent;
    if (isToBlame && ++first.suspicions >= maxSuspicions) return giveUp(first);
    jobs.putBack(batch);
    if (!isToBlame || isTransient) await backOff(error.retryAfterMs);
  }

  async function embed(batch: PendingJob[]): Promise<void> {
    try {
      const windows = batch.map(({ text }) => textWindows(text, WINDOW_UNITS, MAX_WINDOWS));
      const vectors = await embedder.embed(windows.flat(), 'document', closing.signal);
      let at = 0;
      for (const [number, job] of batch.entries()) {
        const ofJob = vectors.slice(at, at + windows[number]!.length);
        at += ofJob.length;
        job.vector = meanDirection(ofJob);
        if (ofJob.length > 1) job.windows = ofJob;
      }
    } catch (thrown) {
      if (!closing.signal.aborted) await onBatchFailed(batch, toEmbeddingError(thrown));
      return;
    }
    for (const job of batch) job.attempts = 0; // from here on counts failed saves
    await save(batch);
  }

  async function run(): Promise<void> {
    try {
      while (!closing.signal.aborted) {
        const batch = jobs.take(BATCH_JOBS, BATCH_UNITS);
        if (batch.length === 0) return;
        status.state = 'working';
        const [made, texts] = [true, false].map((isMade) =>
          batch.filter((job) => (job.vector !== undefined) === isMade),
        );
        if (made!.length > 0) await save(made!);
        if (texts!.length > 0) await embed(texts!);
      }
    } finally {
      isRunning = false;
      status.state = 'idle';
    }
  }

  /** Starts in a microtask, so that texts added together are embedded together. */
  function start(): void {
    if (isRunning) return;
    isRunning = true;
    work = Promise.resolve().then(run);
  }

  return {
    add({ id, text }) {
      if (closing.signal.aborted) return false;
      const isAdded = jobs.add({ id, text: text.slice(0, MAX_TEXT_UNITS) });
      if (isAdded) start();
      return isAdded;
    },
    remove: jobs.remove,
    status: () => ({ ...status, waiting: jobs.size }),
    async drained() {
      while (isRunning) await work;
    },
    async close() {
      closing.abort();
      await work;
    },
  };
}
