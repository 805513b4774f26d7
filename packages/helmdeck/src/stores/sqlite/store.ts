import { randomInt } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import type { Applied, NamespaceRecord, NamespaceRef, Op, Store, Usage } from '../../memory/store.ts';
import { startCheckpointer } from './checkpointer.ts';
import { openSqlite, type SqliteDriver } from './driver.ts';
import { lockFile } from './file-lock.ts';
import { createFreshLog, type FreshRow, freshLogPath, readFreshLog } from './fresh-log.ts';
import { createFreshRows } from './fresh-rows.ts';
import { createGroupCommit } from './group-commit.ts';
import { notInTables } from './logged-rows.ts';
import { createRowReads } from './reads.ts';
import { prepareSchema } from './schema.ts';
import { createTurnReads } from './shared-read-transaction.ts';
import { readUsage } from './usage.ts';
import { createLogSync } from './wal-sync.ts';
import { createSqliteWriter } from './writer.ts';

const CHUNK_ROWS = 500;
const PROBE_BYTES = 65_536;
const PROBE_FRESH_MS = 5_000;
/** Random, so that a namespace that is dropped and made again never looks like its predecessor. */
const randomNumber = () => randomInt(1, 2 ** 47);

export interface SqliteOptions {
  now: () => number;
  onCommit?: (writes: number) => void;
  /** After so many rows that came one by one the next ones go by way of a log; a file for less would not pay. */
  logAfterRows?: number;
}

const LOG_AFTER_ROWS = 16;

/** The default back-end: one file, one process, every acknowledged write on disk. */
export function openSqliteStore(path: string, options: SqliteOptions): Store {
  const lock = lockFile(path);
  let db: SqliteDriver | undefined;
  try {
    db = openSqlite(path);
    prepareSchema(db);
    return createStore(db, path, options, lock);
  } catch (thrown) {
    db?.close();
    lock.release();
    throw thrown;
  }
}

function createStore(
  db: SqliteDriver,
  path: string,
  { now, onCommit, logAfterRows = LOG_AFTER_ROWS }: SqliteOptions,
  lock: { release(): void },
): Store {
  const inode = inodeOf(path);
  const freshLog = createFreshLog(path);
  const fresh = createFreshRows(freshLog, notInTables(db, readFreshLog(path)), {
    // Checkpoints and erasures need the moments in which nobody writes.
    prepare: () => erasing === 0 && !checkpointer.isAtWork() && commits.prepare(),
    settle: () => commits.settle(),
  });
  const writer = createSqliteWriter(db, now, fresh);
  const checkpointer = startCheckpointer(path, () => fresh.settle());
  let closed = false;
  let failing = false;
  let lastCommitMs = 0;
  let loneRows = 0;
  let wipesLog = false;
  let erasing = 0;
  /** A sync that follows a failed one says nothing about what that one lost. */
  let trustsSyncs = true;
  let placing: FreshRow | undefined;
  const log = createLogSync(path);
  const reads = createTurnReads(db, () => commits.isOpen());
  const commits = createGroupCommit(db, log, {
    beforeBegin: reads.end,
    begun() {
      for (placing of fresh.placeable()) writer.place(placing);
      placing = undefined;
    },
    leavesOut(thrown) {
      const culprit = placing;
      placing = undefined;
      if (!culprit || isPassing(thrown)) return false;
      fresh.holdBack(culprit.ref.ns, thrown);
      return true;
    },
    beforeCommit: writer.flush,
    ended() {
      fresh.placed();
      checkpointer.committed();
    },
    synced() {
      if (fresh.holdsBack || !trustsSyncs) return;
      if (wipesLog) wipesLog = !removeLog();
      else freshLog.restart();
    },
    committed(jobs) {
      failing = false;
      lastCommitMs = now();
      onCommit?.(jobs);
    },
    rolledBack() {
      failing = true;
      writer.reset();
      fresh.rolledBack();
    },
    syncFailed() {
      failing = true;
      trustsSyncs = false;
    },
  });

  function assertOpen(): void {
    if (closed) throw new AppError('memory_unavailable', 'The database is closed.', { reason: 'closed' });
  }
  async function write<T>(work: () => T): Promise<T> {
    assertOpen();
    return commits.write(work);
  }
  const rowReads = createRowReads(
    db,
    (ns) => {
      assertOpen();
      return writer.namespace(ns);
    },
    { findFresh: fresh.find, settle, beforeGet: reads.begin },
  );

  /** Puts the fresh rows of a namespace, or of any, into the tables, with all others. */
  function settle(ns?: Uint8Array): void {
    if (fresh.lastSeq(ns) === 0) return;
    commits.settle();
    if (ns) fresh.assertPlaceable(ns);
  }

  /** The short way for a new row that comes alone: into the log now, and into the tables with others. */
  function applyAlone(ref: NamespaceRef, ops: readonly Op[]): Applied | undefined {
    // A log with rows that are nowhere else is left as it is.
    if (failing || !trustsSyncs || fresh.holdsBack || loneRows++ < logAfterRows) return undefined;
    const row = writer.reserve(ref, ops);
    return row && fresh.keep(row) ? { seq: row.seq, deleted: 0 } : undefined;
  }

  /** Removes the log of fresh rows when all of it is elsewhere; false when it stays, to no harm but its traces. */
  function removeLog(): boolean {
    try {
      freshLog.remove();
      return true;
    } catch {
      return false;
    }
  }

  /** Brings all transactions into the database file and onto the disk; false when another program reads their log. */
  function emptyWriteAheadLog(): boolean {
    return db.get<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')?.busy === 0;
  }

  /** Puts what a killed process left in its log into the tables; where that fails, it waits for the disk to recover. */
  function takeUpLog(): void {
    if (!existsSync(freshLogPath(path))) return;
    try {
      commits.settle();
      if (!emptyWriteAheadLog()) log.now();
      if (!fresh.holdsBack) freshLog.remove();
    } catch {
      failing = true;
    }
  }
  takeUpLog();

  /** Removes what dropped namespaces left; may run beside itself, and takes up what a crash interrupted. */
  async function removeDropped(): Promise<void> {
    for (const { no } of db.all<{ no: number }>('SELECT no FROM dropped')) {
      for (let chunk = CHUNK_ROWS; chunk === CHUNK_ROWS; await nextTurn()) {
        chunk = await write(() => writer.removeDropped(no, CHUNK_ROWS));
      }
    }
  }

  /** Leaves nothing of a namespace in any file. */
  async function erase(ns: Uint8Array): Promise<number> {
    const rows = await write(() => {
      wipesLog = true;
      return writer.dropNamespace(ns);
    });
    fresh.discard(ns);
    if (wipesLog) await write(() => {});
    await removeDropped();
    if (!(await checkpointer.truncate()) || wipesLog) {
      throw new AppError(
        'memory_unavailable',
        'The data is erased, but its last traces are still in the write-ahead log.',
        {
          reason: 'wal_busy',
          hint: 'Close programs that read the database files, then erase again.',
        },
      );
    }
    return rows;
  }

  return {
    async apply(ref, ops) {
      assertOpen();
      fresh.assertPlaceable(ref.ns);
      return commits.write(
        () => {
          fresh.assertPlaceable(ref.ns);
          return writer.apply(ref, ops);
        },
        () => applyAlone(ref, ops),
      );
    },

    ...rowReads,

    async usage(nowMs, ns): Promise<Usage[]> {
      assertOpen();
      settle(ns);
      return readUsage(db, nowMs, ns && (writer.namespace(ns)?.no ?? -1));
    },

    async getNamespace(ns) {
      assertOpen();
      return db.get<NamespaceRecord>('SELECT ns, generation, blob FROM namespaces WHERE ns = ?', ns);
    },
    createNamespace: (ns, blob) =>
      write(() => writer.createNamespace(ns, blob, randomNumber(), randomNumber())),
    replaceNamespace: (ref, before, blob) => write(() => writer.replaceNamespace(ref, before, blob)),
    async listNamespaces(limit, afterNs) {
      assertOpen();
      const sql = 'SELECT ns, generation, blob FROM namespaces WHERE ns > ? ORDER BY ns LIMIT ?';
      const first = 'SELECT ns, generation, blob FROM namespaces ORDER BY ns LIMIT ?';
      return afterNs ? db.all<NamespaceRecord>(sql, afterNs, limit) : db.all<NamespaceRecord>(first, limit);
    },
    async dropNamespace(ns) {
      erasing++;
      try {
        return await erase(ns);
      } finally {
        erasing--;
      }
    },

    async sweep(nowMs, limit) {
      assertOpen();
      await removeDropped();
      if (!writer.hasSweepWork(nowMs)) return [];
      return write(() => writer.sweep(nowMs, limit));
    },

    async probe() {
      assertOpen();
      if (inodeOf(path) !== inode) {
        throw new AppError('memory_unavailable', 'The database file was moved or deleted.', {
          reason: 'file_gone',
          hint: 'Put the file back, or restore a backup, and restart the server.',
        });
      }
      if (!failing && now() - lastCommitMs < PROBE_FRESH_MS) return;
      // After a failure only a write as large as real ones proves that the disk takes them again.
      const bytes = failing ? PROBE_BYTES : 1;
      await write(() => db.run('INSERT OR REPLACE INTO probe (no, body) VALUES (1, zeroblob(?))', bytes));
      if (bytes > 1) await write(() => db.run('DELETE FROM probe'));
    },

    async close() {
      if (closed) return;
      await commits.drained();
      closed = true;
      fresh.close();
      reads.end();
      await checkpointer.close();
      log.close();
      try {
        settle();
        // What is in the log of fresh rows stays there until it is elsewhere on the disk.
        if (emptyWriteAheadLog() && !fresh.holdsBack) removeLog();
      } finally {
        db.close();
        lock.release();
      }
    },
  };
}

/** An error of the moment, after which the same rows can be written. */
function isPassing(thrown: unknown): boolean {
  const reason = thrown instanceof AppError ? thrown.reason : undefined;
  return reason !== undefined && reason !== 'damaged';
}

/** Tells one file from another of the same name; 0 when there is none. */
function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
}
