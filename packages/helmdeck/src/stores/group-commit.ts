import { AppError, toAppError } from '../errors.ts';
import { StoreConflict } from '../memory/store.ts';
import type { SqliteDriver } from './sqlite-driver.ts';

interface Job {
  work: () => unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export interface GroupCommitHooks {
  /** Last writes of the transaction, such as counters. */
  beforeCommit(): void;
  committed(jobs: number): void;
  rolledBack(): void;
}

/**
 * Writes that arrive together share one transaction and one fsync; each is answered only after its commit.
 * A job checks its preconditions before it writes anything, so a StoreConflict fails that job alone. Any other error
 * may leave half a job behind: the transaction is undone, and unless it is the disk that fails, every job gets a
 * transaction of its own, so that one bad row fails only those who touch it.
 */
export function createGroupCommit(db: SqliteDriver, hooks: GroupCommitHooks) {
  let queue: Job[] = [];
  let idle: Promise<void> = Promise.resolve();
  let settleIdle: () => void = () => {};

  function flush(): void {
    const jobs = queue;
    queue = [];
    commit(jobs);
    settleIdle();
  }

  function commit(jobs: readonly Job[]): void {
    const outcomes: (() => void)[] = [];
    try {
      db.run('BEGIN IMMEDIATE');
      for (const job of jobs) outcomes.push(attempt(job));
      hooks.beforeCommit();
      db.run('COMMIT');
    } catch (thrown) {
      rollBack();
      if (jobs.length > 1 && !isStoreFailure(thrown)) for (const job of jobs) commit([job]);
      else for (const job of jobs) job.reject(toAppError(thrown));
      return;
    }
    for (const settle of outcomes) settle();
    hooks.committed(jobs.length);
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
        if (queue.length > 1) return;
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
