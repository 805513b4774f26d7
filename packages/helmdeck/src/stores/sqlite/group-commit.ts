import { AppError, toAppError } from '../../errors.ts';
import { StoreConflict } from '../../memory/store.ts';
import type { SqliteDriver } from './driver.ts';
import type { LogSync } from './wal-sync.ts';

interface Job {
  work: () => unknown;
  /** A shorter way to the disk for a job that comes alone; nothing where it cannot go that way. */
  alone?: () => unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** A job that is committed, and what to tell its caller once that is on disk. */
interface Written {
  job: Job;
  settle(): void;
}

/** With so many writes waiting, the main thread has better to do than to wait for the disk. */
export const FULL_GROUP = 32;
/** After so many writes that came alone, the next one waits for no others. */
const ALONE_FOR = 16;
const SETTLE_WAIT_MS = 20;

export interface GroupCommitHooks {
  /** Last chance to end what no transaction may begin in. */
  beforeBegin(): void;
  /** First writes of every transaction: what reached the disk before it on the shorter way, and is not in it yet. */
  begun(): void;
  /** Whether those writes are to blame for an error, and will be left out when the transaction is tried again. */
  leavesOut(thrown: unknown): boolean;
  /** Last writes of the transaction, such as counters. */
  beforeCommit(): void;
  /** The transaction is in the file, though maybe not on the disk yet. */
  ended(): void;
  /** Every transaction so far is on the disk. */
  synced(): void;
  /** So many writes are on disk. */
  committed(jobs: number): void;
  rolledBack(): void;
  /** What was committed could not be made durable. */
  syncFailed(): void;
}

/**
 * Writes that arrive together share one transaction and one sync of the log; each is answered only after a sync that
 * began after its commit. While one group is being synced the next one gathers; a full one is committed meanwhile,
 * and shares the next sync with what else is waiting for it. Who has written alone for a while waits for no group.
 *
 * A job checks its preconditions before it writes anything, so a StoreConflict fails that job alone. Any other error
 * may leave half a job behind: the transaction is undone, and unless it is the disk that fails, every job gets a
 * transaction of its own, so that one bad row fails only those who touch it.
 */
export function createGroupCommit(db: SqliteDriver, log: LogSync, hooks: GroupCommitHooks) {
  let queue: Job[] = [];
  let unsynced: Written[] = [];
  let scheduled = false;
  let syncing = false;
  let busy = false;
  let loneWrites = 0;
  let isOpen = false;
  let idle: Promise<void> = Promise.resolve();
  let settleIdle: () => void = () => {};

  function commitSoon(): void {
    if (scheduled || (syncing && queue.length < FULL_GROUP)) return;
    scheduled = true;
    const isEarly = !syncing && loneWrites >= ALONE_FOR;
    if (isEarly) commitQueue();
    setImmediate(() => {
      scheduled = false;
      if (isEarly && queue.length > 0) loneWrites = 0; // it was not alone after all
      commitQueue();
    });
  }

  function commitQueue(): void {
    const jobs = queue;
    queue = [];
    if (jobs.length === 1) loneWrites++;
    else if (jobs.length > 1) loneWrites = 0;
    const isDone = jobs.length === 0 || (jobs.length === 1 && !syncing && doneAlone(jobs[0]!));
    if (!isDone) for (const written of commit(jobs)) unsynced.push(written);
    if (!syncing) void sync();
  }

  async function sync(): Promise<void> {
    syncing = true;
    while (unsynced.length > 0) {
      const written = unsynced;
      unsynced = [];
      await acknowledge(written);
    }
    syncing = false;
    if (scheduled) return;
    if (queue.length > 0) {
      commitSoon();
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
    hooks.synced();
    hooks.committed(written.length);
  }

  /** Takes the shorter way, on which a job is on disk at once. */
  function doneAlone(job: Job): boolean {
    let value: unknown;
    try {
      value = job.alone?.();
    } catch {
      return false; // the long way tells what is wrong
    }
    if (value === undefined) return false;
    job.resolve(value);
    hooks.committed(1);
    return true;
  }

  /** Opens a transaction, unless one is, with what came before it on the shorter way. */
  function begin(waitMs?: number): void {
    if (isOpen && !db.isInTransaction()) rollBack(); // SQLite undoes it by itself after some errors of the disk
    if (!isOpen) open(waitMs);
    hooks.begun();
  }

  function open(waitMs?: number): void {
    hooks.beforeBegin();
    db.waitForLocks(waitMs);
    try {
      db.run('BEGIN IMMEDIATE');
      isOpen = true;
    } finally {
      db.waitForLocks();
    }
  }

  function prepare(): void {
    try {
      if (!isOpen) open(0);
    } catch {
      return; // another program writes; there are other moments
    }
    withoutJobs(() => begin(SETTLE_WAIT_MS));
  }

  function inTransaction(work: () => void, waitMs?: number): void {
    begin(waitMs);
    work();
    hooks.beforeCommit();
    db.run('COMMIT');
    isOpen = false;
    hooks.ended();
  }

  function commit(jobs: readonly Job[]): Written[] {
    const written: Written[] = [];
    try {
      inTransaction(() => {
        for (const job of jobs) written.push({ job, settle: attempt(job) });
      });
    } catch (thrown) {
      rollBack();
      if (hooks.leavesOut(thrown)) return commit(jobs);
      if (jobs.length > 1 && !isStoreFailure(thrown)) return jobs.flatMap((job) => commit([job]));
      for (const job of jobs) job.reject(toAppError(thrown));
      return [];
    }
    return written;
  }

  /** A step with nothing but what is on the disk already. */
  function withoutJobs(step: () => void): void {
    try {
      step();
    } catch (thrown) {
      rollBack();
      if (!hooks.leavesOut(thrown)) throw toAppError(thrown);
      withoutJobs(step);
    }
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
    isOpen = false;
    try {
      db.run('ROLLBACK');
    } catch {
      // SQLite rolls back by itself after some errors; then there is nothing to roll back.
    }
    hooks.rolledBack();
  }

  return {
    /** Runs `work` inside the next transaction; resolves with its value once that is on disk. */
    write<T>(work: () => T, alone?: () => T | undefined): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        queue.push({ work, alone, resolve: resolve as (value: unknown) => void, reject });
        if (!busy) {
          busy = true;
          idle = new Promise((settle) => {
            settleIdle = settle;
          });
        }
        commitSoon();
      });
    },
    /** Begins a transaction with what came on the shorter way, and leaves it open for more. */
    prepare,
    /** Whether one is open. */
    isOpen: () => isOpen,
    /** Commits what came on the shorter way. A read may wait for it, and reads wait for no other program for long. */
    settle: () => withoutJobs(() => inTransaction(() => {}, SETTLE_WAIT_MS)),
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
