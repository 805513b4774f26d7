import { setImmediate as endOfTick } from 'node:timers/promises';
import { AppError, toAppError } from '../../errors.ts';
import { StoreConflict } from '../../memory/store.ts';
import { storeError } from '../store-errors.ts';
import { isSyncFailure, type SqliteDriver, SYNC_FAILED } from './driver.ts';
import type { WalSync } from './wal-sync.ts';

// Group commit: writes that arrive together share one transaction and one sync of the WAL.

/** A write that waits for its transaction. */
interface Job {
  work: () => unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** A write whose transaction is in the WAL; its caller gets the result after the next sync of the WAL. */
interface CommittedJob {
  job: Job;
  acknowledge(): void;
}

/** A group of this size is committed while the previous one is still being synced, instead of after it. */
export const FULL_GROUP = 32;

export interface GroupCommitHooks {
  /** Before BEGIN: ends the connection's read transaction, if one is open. */
  beforeBegin(): void;
  /** Before COMMIT: the last writes of the transaction, such as counters. */
  beforeCommit(): void;
  /** After the sync of a group, before it is acknowledged; what it throws rejects the group. */
  beforeAcknowledge(): void;
  /** Called with the number of writes of a group after it was committed and synced, and how long the sync took. */
  onDurable(writes: number, syncSeconds: number): void;
  /** A transaction was rolled back, or a group could not be acknowledged. */
  onFailure(): void;
  /** A sync failed: from now on every write is refused. */
  onStopped(error: AppError): void;
}

/**
 * idle: nothing queued. gathering: the first write of a group waits for the end of the tick, so that others join it.
 * syncing: a group is committed and its `fdatasync` runs on the thread pool while the next group is queued.
 */
type State = 'idle' | 'gathering' | 'syncing';

/**
 * A write is acknowledged only after a sync that began after its COMMIT. A sync that fails stops the store for good: the
 * kernel drops the pages that it could not write, so a later sync may succeed without them.
 *
 * A job checks its preconditions before it writes anything, so a StoreConflict fails that job alone. Any other error
 * may leave half a job behind: the transaction is rolled back and, unless the database itself fails, each job is retried
 * in a transaction of its own, so that one bad row fails only the job that touches it.
 */
export function createGroupCommit(db: SqliteDriver, wal: WalSync, hooks: GroupCommitHooks) {
  let state: State = 'idle';
  let queue: Job[] = [];
  let committed: CommittedJob[] = [];
  let running: Promise<void> = Promise.resolve();
  let stopped: AppError | undefined;

  async function run(): Promise<void> {
    while (queue.length > 0) {
      state = 'gathering';
      await endOfTick();
      commitQueue();
      state = 'syncing';
      while (committed.length > 0) {
        const group = committed;
        committed = [];
        await syncAndAcknowledge(group);
      }
    }
    state = 'idle';
  }

  function commitQueue(): void {
    if (queue.length === 0) return;
    const jobs = queue;
    queue = [];
    if (stopped) for (const job of jobs) job.reject(stopped);
    else for (const job of commit(jobs)) committed.push(job);
  }

  function commit(jobs: readonly Job[]): CommittedJob[] {
    try {
      hooks.beforeBegin();
      db.run('BEGIN IMMEDIATE');
      const done = jobs.map(execute);
      hooks.beforeCommit();
      db.run('COMMIT');
      return done;
    } catch (thrown) {
      rollBack();
      if (isSyncFailure(thrown)) stop(thrown);
      else if (jobs.length > 1 && !isStoreFailure(thrown)) return jobs.flatMap((job) => commit([job]));
      for (const job of jobs) job.reject(toAppError(thrown));
      return [];
    }
  }

  function execute(job: Job): CommittedJob {
    try {
      const value = job.work();
      return { job, acknowledge: () => job.resolve(value) };
    } catch (thrown) {
      if (!(thrown instanceof StoreConflict)) throw thrown;
      return { job, acknowledge: () => job.reject(thrown) };
    }
  }

  function rollBack(): void {
    try {
      db.run('ROLLBACK');
    } catch {
      // After some errors SQLite has already rolled back by itself, or BEGIN failed.
    }
    hooks.onFailure();
  }

  async function syncAndAcknowledge(group: readonly CommittedJob[]): Promise<void> {
    const startMs = performance.now();
    try {
      if (!stopped) await wal.sync();
    } catch (thrown) {
      stop(thrown);
    }
    try {
      if (stopped) throw notDurable(stopped);
      hooks.beforeAcknowledge();
    } catch (thrown) {
      hooks.onFailure();
      for (const { job } of group) job.reject(thrown);
      return;
    }
    const syncSeconds = (performance.now() - startMs) / 1000;
    for (const { acknowledge } of group) acknowledge();
    hooks.onDurable(group.length, syncSeconds);
  }

  /** Refuses every write from now on, and does not acknowledge those that wait for a sync. */
  function stop(cause: unknown): void {
    if (stopped) return;
    stopped = syncFailed(cause);
    hooks.onStopped(stopped);
  }

  return {
    stop,
    /** Runs `work` inside the next transaction; resolves with its value once that transaction is synced. */
    write<T>(work: () => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
        if (state === 'idle') running = run();
        else if (state === 'syncing' && queue.length >= FULL_GROUP) commitQueue();
      });
    },
    /** Resolves when every queued write has been acknowledged or rejected. */
    drained: () => running,
  };
}

/** Whether the disk or the database file failed, and not a job. A damaged page fails only the jobs that touch it. */
function isStoreFailure(thrown: unknown): boolean {
  return thrown instanceof AppError && thrown.code === 'memory_unavailable' && thrown.reason !== 'damaged';
}

function syncFailed(cause: unknown): AppError {
  return isSyncFailure(cause) ? (cause as AppError) : storeError(SYNC_FAILED, cause);
}

/** The write is in the WAL, but whether the WAL is on the disk is unknown. */
function notDurable(cause: unknown): AppError {
  return new AppError(
    'memory_unavailable',
    'The disk did not confirm the write: it may or may not be there after the server restarts.',
    { reason: 'not_durable', hint: 'Check the disk, then store it again: the same key is one fact.', cause },
  );
}
