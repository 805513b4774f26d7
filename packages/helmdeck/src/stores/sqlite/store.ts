import { randomInt } from 'node:crypto';
import { statSync } from 'node:fs';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import type { NamespaceRecord, Store } from '../../memory/store.ts';
import { type Checkpointer, startCheckpointer } from './checkpointer.ts';
import { openSqlite, type SqliteDriver } from './driver.ts';
import { lockDatabase } from './file-lock.ts';
import { createGroupCommit } from './group-commit.ts';
import { replayLeftoverLog } from './leftover-append-log.ts';
import { createRowReads } from './reads.ts';
import { prepareSchema } from './schema.ts';
import { createSharedReadTransaction } from './shared-read-transaction.ts';
import { readTotals, readUsage } from './usage.ts';
import { createWalSync } from './wal-sync.ts';
import { createWriter } from './writer.ts';

// The SQLite back-end: opens a database file and implements `Store` with the parts in this folder.

const DELETE_CHUNK_ROWS = 500;
/** A probe trusts a commit that was synced this recently. */
const PROBE_MAX_AGE_MS = 5_000;
/** As large as real writes: after a failure only this proves that the disk takes them again. */
const PROBE_BYTES = 65_536;
/** A generation or an epoch: random, so that a namespace that is dropped and created again never looks like the old one. */
const randomNumber = () => randomInt(1, 2 ** 47);

export interface SqliteOptions {
  now: () => number;
  /** Called after each synced commit with the number of writes in it. */
  onCommit?: (writes: number, seconds: number) => void;
}

/** The default back-end: one file, one process, every acknowledged write on disk. */
export function openSqliteStore(path: string, options: SqliteOptions): Store {
  const lock = lockDatabase(path);
  let db: SqliteDriver | undefined;
  try {
    db = openSqlite(path);
    prepareSchema(db);
    replayLeftoverLog(db, path);
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
  { now, onCommit }: SqliteOptions,
  lock: { release(): void },
): Store {
  const writer = createWriter(db, now);
  const checkpointer = startCheckpointer(path);
  const wal = createWalSync(path);
  const sharedRead = createSharedReadTransaction(db);
  const health = createHealth(path, now);
  let closed = false;

  const commits = createGroupCommit(db, wal, {
    beforeBegin: sharedRead.end,
    beforeCommit: writer.flush,
    onDurable(writes, syncSeconds) {
      health.succeeded();
      checkpointer.committed();
      onCommit?.(writes, syncSeconds);
    },
    onFailure() {
      health.failed();
      writer.reset();
    },
  });

  function assertOpen(): void {
    if (closed) throw new AppError('memory_unavailable', 'The database is closed.', { reason: 'closed' });
  }
  async function write<T>(work: () => T): Promise<T> {
    assertOpen();
    return commits.write(work);
  }
  function findNamespace(ns: Uint8Array) {
    assertOpen();
    return writer.namespace(ns);
  }

  /** Deletes the rows of dropped namespaces, in chunks; also finishes what a crash interrupted. Safe to run twice concurrently. */
  async function deleteDropped(): Promise<void> {
    for (const { no } of db.all<{ no: number }>('SELECT no FROM dropped')) {
      for (let deleted = DELETE_CHUNK_ROWS; deleted === DELETE_CHUNK_ROWS; await yieldToEventLoop()) {
        deleted = await write(() => writer.deleteDroppedRows(no, DELETE_CHUNK_ROWS));
      }
    }
  }

  return {
    apply: (ref, ops) => write(() => writer.apply(ref, ops)),

    ...createRowReads(db, findNamespace, sharedRead.begin),

    async usage(nowMs, ns) {
      assertOpen();
      return readUsage(db, nowMs, ns && (findNamespace(ns)?.no ?? -1));
    },

    async totals() {
      assertOpen();
      return readTotals(db);
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
      const rows = await write(() => writer.dropNamespace(ns));
      await deleteDropped();
      await truncateWal(checkpointer);
      return rows;
    },

    async sweep(nowMs, limit) {
      assertOpen();
      await deleteDropped();
      if (!writer.hasSweepWork(nowMs)) return [];
      return write(() => writer.sweep(nowMs, limit));
    },

    async probe() {
      assertOpen();
      const bytes = health.probeBytes();
      if (bytes === 0) return;
      await write(() => db.run('INSERT OR REPLACE INTO probe (no, body) VALUES (1, zeroblob(?))', bytes));
      if (bytes > 1) await write(() => db.run('DELETE FROM probe'));
    },

    async close() {
      if (closed) return;
      await commits.drained();
      closed = true;
      sharedRead.end();
      await checkpointer.close();
      wal.close();
      try {
        db.close(); // the last connection checkpoints the WAL and deletes it
      } finally {
        lock.release();
      }
    },
  };
}

/** Deleted rows stay readable in the WAL until it is truncated. */
async function truncateWal(checkpointer: Checkpointer): Promise<void> {
  if (await checkpointer.truncate()) return;
  throw new AppError(
    'memory_unavailable',
    'The data is erased, but its last traces are still in the write-ahead log.',
    {
      reason: 'wal_busy',
      hint: 'Close programs that read the database files, then erase again.',
    },
  );
}

/** Remembers how the last commit went, and decides how much a probe has to write. */
function createHealth(path: string, now: () => number) {
  const inode = inodeOf(path);
  let isFailing = false;
  let lastCommitMs = 0;
  return {
    succeeded(): void {
      isFailing = false;
      lastCommitMs = now();
    },
    failed(): void {
      isFailing = true;
    },
    /** How many bytes a probe has to write; 0 if a recent commit is proof enough. Throws if the file is gone. */
    probeBytes(): number {
      if (inodeOf(path) !== inode) {
        throw new AppError('memory_unavailable', 'The database file was moved or deleted.', {
          reason: 'file_gone',
          hint: 'Put the file back, or restore a backup, and restart the server.',
        });
      }
      if (isFailing) return PROBE_BYTES;
      return now() - lastCommitMs < PROBE_MAX_AGE_MS ? 0 : 1;
    },
  };
}

/** Distinguishes the file from another one with the same name; 0 if there is none. */
function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
}
