/** A text to embed. */
export interface EmbedJob {
  id: string;
  text: string;
}

export interface PendingJob extends Readonly<EmbedJob> {
  /** Failed attempts to embed it, then failed attempts to save its vector. */
  attempts: number;
  /** How often it failed by itself while the probe succeeded. */
  suspicions: number;
  /** Embedded, but not saved yet. */
  vector?: Float32Array;
  /** The vectors of its windows, if it has several. */
  windows?: readonly Float32Array[];
  isTaken: boolean;
}

/** The jobs of the embed queue: one text per id, oldest first; batches that were put back come before all others. */
export interface PendingJobs {
  readonly size: number;
  /** Replaces a job with the same id; false if the queue is full. */
  add(job: EmbedJob): boolean;
  remove(id: string): void;
  /** The next batch, or what is still current of one that was put back. */
  take(maxJobs: number, maxUnits: number): PendingJob[];
  /** Retries these batches next, each by itself. */
  putBack(...batches: PendingJob[][]): void;
  /** Retries a job after all others. */
  moveToEnd(job: PendingJob): void;
  finish(job: PendingJob): void;
  /** Whether it was neither removed nor replaced. */
  isCurrent(job: PendingJob): boolean;
}

const MAX_JOBS = 200_000;
/** UTF-16 units of all texts, two bytes each. A text that does not fit is queued again when its image is next loaded. */
const MAX_UNITS = 64_000_000;

export function createPendingJobs(maxJobs = MAX_JOBS, maxUnits = MAX_UNITS): PendingJobs {
  const jobs = new Map<string, PendingJob>();
  const retries: PendingJob[][] = [];
  let units = 0;

  function remove(id: string): void {
    const job = jobs.get(id);
    if (job === undefined) return;
    units -= job.text.length;
    jobs.delete(id);
  }

  const isCurrent = (job: PendingJob) => jobs.get(job.id) === job;

  function nextBatch(maxBatchJobs: number, maxBatchUnits: number): PendingJob[] {
    const batch: PendingJob[] = [];
    let batchUnits = 0;
    // At most one batch is taken at a time, so this skips few jobs.
    for (const job of jobs.values()) {
      if (job.isTaken) continue;
      batchUnits += job.text.length;
      if (batch.length === maxBatchJobs || (batch.length > 0 && batchUnits > maxBatchUnits)) break;
      batch.push(job);
    }
    for (const job of batch) job.isTaken = true;
    return batch;
  }

  return {
    get size() {
      return jobs.size;
    },
    add({ id, text }) {
      const before = jobs.get(id);
      const unitsAfter = units + text.length - (before?.text.length ?? 0);
      if ((before === undefined && jobs.size >= maxJobs) || unitsAfter > maxUnits) {
        remove(id); // the old text is outdated
        return false;
      }
      jobs.delete(id);
      jobs.set(id, { id, text, attempts: 0, suspicions: 0, isTaken: false });
      units = unitsAfter;
      return true;
    },
    remove,
    take(maxBatchJobs, maxBatchUnits) {
      while (retries.length > 0) {
        const batch = retries.shift()!.filter(isCurrent);
        if (batch.length > 0) return batch;
      }
      return nextBatch(maxBatchJobs, maxBatchUnits);
    },
    putBack(...batches) {
      retries.unshift(...batches);
    },
    moveToEnd(job) {
      job.isTaken = false;
      jobs.delete(job.id);
      jobs.set(job.id, job);
    },
    finish(job) {
      if (isCurrent(job)) remove(job.id);
    },
    isCurrent,
  };
}
