/** A text that shall have a vector. */
export interface EmbedJob {
  id: string;
  text: string;
}

export interface WaitingJob extends Readonly<EmbedJob> {
  /** How often it failed, as a text or later as a vector. */
  attempts: number;
  /** How often it failed alone while another text did not. */
  suspicions: number;
  /** Made, but not saved. */
  vector?: Float32Array;
  isTaken: boolean;
}

/** What waits for a vector: one text for each id, oldest first, but parts of a batch that failed before all others. */
export interface WaitingJobs {
  readonly size: number;
  /** In place of an earlier one with that id; false when there is no room for another. */
  add(job: EmbedJob): boolean;
  remove(id: string): void;
  /** The next batch, or what is left of a batch that was put back. */
  take(maxJobs: number, maxUnits: number): WaitingJob[];
  /** They are tried again, each batch for itself, before anything else. */
  putBack(...batches: WaitingJob[][]): void;
  /** It is tried again after all others. */
  toTheEnd(job: WaitingJob): void;
  finish(job: WaitingJob): void;
  /** Whether it is still wanted: not removed, not replaced. */
  isCurrent(job: WaitingJob): boolean;
}

const MAX_JOBS = 200_000;
/** Two bytes each: whatever does not fit is added again when its namespace is loaded the next time. */
const MAX_UNITS = 64_000_000;

export function createWaitingJobs(maxJobs = MAX_JOBS, maxUnits = MAX_UNITS): WaitingJobs {
  const jobs = new Map<string, WaitingJob>();
  const again: WaitingJob[][] = [];
  let units = 0;

  function remove(id: string): void {
    const job = jobs.get(id);
    if (job === undefined) return;
    units -= job.text.length;
    jobs.delete(id);
  }

  const isCurrent = (job: WaitingJob) => jobs.get(job.id) === job;

  function fresh(most: number, mostUnits: number): WaitingJob[] {
    const batch: WaitingJob[] = [];
    let batchUnits = 0;
    // Those that are taken are never more than a batch, so this looks at few.
    for (const job of jobs.values()) {
      if (job.isTaken) continue;
      batchUnits += job.text.length;
      if (batch.length === most || (batch.length > 0 && batchUnits > mostUnits)) break;
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
        remove(id); // the old text is not what it shall be found by any more
        return false;
      }
      jobs.delete(id);
      jobs.set(id, { id, text, attempts: 0, suspicions: 0, isTaken: false });
      units = unitsAfter;
      return true;
    },
    remove,
    take(most, mostUnits) {
      while (again.length > 0) {
        const batch = again.shift()!.filter(isCurrent);
        if (batch.length > 0) return batch;
      }
      return fresh(most, mostUnits);
    },
    putBack(...batches) {
      again.unshift(...batches);
    },
    toTheEnd(job) {
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
