import { AppError, toAppError } from '../errors.ts';
import { StoreConflict } from '../memory/store.ts';
import type { LogSync } from './log-sync.ts';
import type { SqliteDriver } from './sqlite-driver.ts';

interface Job {
  work: () => unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** A job that is committed, and what to tell its caller once that is on disk. */
interface Written {
  job: Job;
  settle(): void;
}

export interface GroupCommitHooks {
  /** Last chance to end what no transaction may begin in. */
  beforeBegin(): void;
  /** Last writes of the transaction, such as counters. */
  beforeCommit(): void;
  /** So many writes are on disk. */
  committed(jobs: number): void;
  rolledBack(): void;
  /** What was committed could not be made durable. */
  syncFailed(): void;
}

/**
 * Writes that arrive together share one transaction and one sync of the log; each is answered only after that sync.
 * While one group is being synced the next one gathers.
 *
 * A job checks its preconditions before it writes anything, so a StoreConflict fails that job alone. Any other error
 * may leave half a job behind: the transaction is undone, and unless it is the disk that fails, every job gets a
 * transaction of its own, so that one bad row fails only those who touch it.
 */
export function createGroupCommit(db: SqliteDriver, log: LogSync, hooks: GroupCommitHooks) {
  let queue: Job[] = [];
  let busy = false;
  let idle: Promise<void> = Promise.resolve();
  let settleIdle: () => void = () => {};

  async function flush(): Promise<void> {
    const jobs = queue;
    queue = [];
    const written = commit(jobs);
    if (written.length > 0) await acknowledge(written);
    if (queue.length > 0) {
      setImmediate(flush);
      return;
    }
    busy = false;
    settleIdle();
  }

  async function acknowledge(written: readonly Written[]): Promise<void> {
    try {
      if (written.length === 1) log.now();
      else await log.soon();
    } catch (thrown) {
      hooks.syncFailed();
      for (const { job } of written) job.reject(uncertain(thrown));
      return;
    }
    for (const { settle } of written) settle();
    hooks.committed(written.length);
  }

  function commit(jobs: readonly Job[]): Written[] {
    const written: Written[] = [];
    try {
      hooks.beforeBegin();
      db.run('BEGIN IMMEDIATE');
      for (const job of jobs) written.push({ job, settle: attempt(job) });
      hooks.beforeCommit();
      db.run('COMMIT');
    } catch (thrown) {
      rollBack();
      if (jobs.length > 1 && !isStoreFailure(thrown)) return jobs.flatMap((job) => commit([job]));
      for (const job of jobs) job.reject(toAppError(thrown));
      return [];
    }
    return written;
  }

  function attempt(job: Job): () => void {
    try {
      const value = job.work();
      return () => job.resolve(value);
    } catch (thrown) {
      if (!(thrown instanceof StoreConflict)) throw thrown;
      return () => job.reject(thrown);
    }
  }

  function rollBack(): void {
    try {
      db.run('ROLLBACK');
    } catch {
      // SQLite rolls back by itself after some errors; then there is nothing to roll back.
    }
    hooks.rolledBack();
  }

  return {
    /** Runs `work` inside the next transaction; resolves with its value once that is on disk. */
    write<T>(work: () => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
        if (busy) return;
        busy = true;
        idle = new Promise((settle) => {
          settleIdle = settle;
        });
        setImmediate(flush);
      });
    },
    /** Resolves when nothing is queued. */
    drained: () => idle,
  };
}

/** The disk or the file is to blame, not a job. */
function isStoreFailure(thrown: unknown): boolean {
  return thrown instanceof AppError && thrown.code === 'memory_unavailable';
}

/** The write is in the log, but nobody knows whether the log is on the disk. */
function uncertain(cause: unknown): AppError {
  return new AppError(
    'memory_unavailable',
    'The disk did not confirm the write; it may be lost when power fails.',
    { reason: 'not_durable', hint: 'Check the disk, then store it again: the same key is one fact.', cause },
  );
}
