import { setTimeout as sleep } from 'node:timers/promises';
import { type Embedder, type EmbeddingError, type EmbeddingErrorKind, toEmbeddingError } from './embedder.ts';
import { createWaitingJobs, type EmbedJob, type WaitingJob } from './waiting-jobs.ts';

export interface EmbedQueueOptions {
  embedder: Embedder;
  /**
   * Keeps a vector; when it rejects, it is called again later. It resolves, too, when there is nothing left to keep it for.
   * The text is the one that was added, up to 8,000 characters of it.
   */
  save(id: string, vector: Float32Array, text: string): Promise<void>;
  log: QueueLog;
  now: () => number;
  /** Waits so long, or until the signal. */
  delay?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Between 0 and 1; spreads the retries of several nodes. */
  random?: () => number;
}

export interface QueueLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface EmbedQueueStatus {
  state: 'idle' | 'working' | 'backing_off';
  /** Not yet saved, those being worked on included. */
  waiting: number;
  done: number;
  /** Given up: the endpoint takes other texts, but not these. */
  failed: number;
  lastError?: { kind: EmbeddingErrorKind | 'save'; message: string; fix?: string; atMs: number };
  /** When a vector was saved last. */
  lastOkMs?: number;
}

/** Makes vectors in the background. Nothing it does throws into whoever asks for it. */
export interface EmbedQueue {
  /** Takes a text, in place of an earlier one with that id; false when too much waits already. */
  add(job: EmbedJob): boolean;
  remove(id: string): void;
  status(): EmbedQueueStatus;
  /** When nothing waits any more, or it was closed. */
  drained(): Promise<void>;
  close(): Promise<void>;
}

const BATCH_JOBS = 64;
const BATCH_UNITS = 100_000;
const MAX_TEXT_UNITS = 8_000;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;
/** How often a text may fail alone, while the endpoint takes another one, until it is given up. */
const MAX_SUSPICIONS = { surely: 2, perhaps: 4 };
/** How often a vector may not be saved while others are. */
const MAX_SAVES = 5;
/** How often while no other is saved either: about a quarter of an hour. */
const MAX_LONE_SAVES = 20;
/** Read by every model: if it fails as well, the texts are not to blame. */
const PROBE = 'A short sentence.';

export function createEmbedQueue(options: EmbedQueueOptions): EmbedQueue {
  const { embedder, now } = options;
  const delay = options.delay ?? ((ms, signal) => sleep(ms, undefined, { signal, ref: false }));
  const random = options.random ?? Math.random;
  const jobs = createWaitingJobs();
  const closing = new AbortController();
  const status: EmbedQueueStatus = { state: 'idle', waiting: 0, done: 0, failed: 0 };
  let pauses = 0;
  let isTroubled = false;
  let isRunning = false;
  let work: Promise<void> | undefined;

  function trouble(kind: EmbeddingErrorKind | 'save', message: string, fix?: string): void {
    status.lastError = { kind, message, fix, atMs: now() };
    // Once for each time it begins, not once for each attempt.
    if (!isTroubled) options.log.warn({ kind, waiting: jobs.size, fix }, message);
    isTroubled = true;
  }

  function recovered(): void {
    if (isTroubled) options.log.info({ waiting: jobs.size, failed: status.failed }, 'Embeddings go on.');
    isTroubled = false;
    pauses = 0;
  }

  async function pause(atLeastMs = 0): Promise<void> {
    status.state = 'backing_off';
    const fullMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** pauses++);
    const ms = Math.max(atLeastMs, fullMs * (0.5 + random() / 2));
    await delay(ms, closing.signal).catch(() => {});
    status.state = 'working';
  }

  function giveUp(job: WaitingJob): void {
    jobs.finish(job);
    status.failed++;
  }

  async function save(batch: WaitingJob[]): Promise<void> {
    const wanted = batch.filter(jobs.isCurrent);
    const saves = await Promise.allSettled(
      wanted.map(async (job) => options.save(job.id, job.vector!, job.text)),
    );
    const [saved, failures] = [true, false].map((isSaved) =>
      wanted.filter((job, at) => jobs.isCurrent(job) && (saves[at]!.status === 'fulfilled') === isSaved),
    );
    for (const job of saved!) jobs.finish(job);
    status.done += saved!.length;
    if (saved!.length > 0) status.lastOkMs = now();
    for (const job of failures!) {
      if (++job.attempts >= (saved!.length > 0 ? MAX_SAVES : MAX_LONE_SAVES)) giveUp(job);
      else jobs.toTheEnd(job);
    }
    if (failures!.length === 0) return recovered();
    trouble('save', 'Vectors could not be saved.');
    if (saved!.length === 0) await pause();
  }

  /** True when the endpoint works as such. */
  async function endpointWorks(): Promise<boolean> {
    return embedder.embed([PROBE], 'document', closing.signal).then(
      () => true,
      () => false,
    );
  }

  /** Finds out whether a text is to blame: then the batch is halved until it is alone. Otherwise everything waits. */
  async function failed(batch: WaitingJob[], error: EmbeddingError): Promise<void> {
    trouble(error.kind, error.message, error.fix);
    for (const job of batch) job.attempts++;
    const [first] = batch as [WaitingJob];
    const mayPass = error.kind === 'unreachable' || error.kind === 'timeout';
    const isSuspect = error.kind !== 'rate_limited' && (!mayPass || first.attempts > 1);
    const isToBlame = isSuspect && (await endpointWorks());
    if (isToBlame && batch.length > 1) {
      const half = Math.ceil(batch.length / 2);
      return jobs.putBack(batch.slice(0, half), batch.slice(half));
    }
    // Not at the first time: the endpoint may have come back between the text and the probe.
    if (isToBlame && ++first.suspicions >= (mayPass ? MAX_SUSPICIONS.perhaps : MAX_SUSPICIONS.surely))
      return giveUp(first);
    jobs.putBack(batch);
    if (!isToBlame || mayPass) await pause(error.retryAfterMs);
  }

  async function embed(batch: WaitingJob[]): Promise<void> {
    try {
      const texts = batch.map(({ text }) => text);
      const vectors = await embedder.embed(texts, 'document', closing.signal);
      for (const [at, job] of batch.entries()) job.vector = vectors[at];
    } catch (thrown) {
      if (!closing.signal.aborted) await failed(batch, toEmbeddingError(thrown));
      return;
    }
    for (const job of batch) job.attempts = 0; // from here on it counts how often it could not be saved
    await save(batch);
  }

  async function workOff(): Promise<void> {
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

  /** Begins a little later, so that what is added together is embedded together. */
  function start(): void {
    if (isRunning) return;
    isRunning = true;
    work = Promise.resolve().then(workOff);
  }

  return {
    add({ id, text }) {
      if (closing.signal.aborted) return false;
      const isTaken = jobs.add({ id, text: text.slice(0, MAX_TEXT_UNITS) });
      if (isTaken) start();
      return isTaken;
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
