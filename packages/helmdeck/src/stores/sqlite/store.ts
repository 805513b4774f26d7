import { randomInt } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import type { NamespaceRecord, Op, RowReads, Store } from '../../memory/store.ts';
import { type Checkpointer, startCheckpointer } from './checkpointer.ts';
import { canReadFiles, type DataFiles, holdDataFiles } from './data-files.ts';
import { openDiskReserve } from './disk-reserve.ts';
import { closeWithoutCheckpoint, diskFull, ioError, openSqlite, type SqliteDriver } from './driver.ts';
import { lockDatabase } from './file-lock.ts';
import { createGroupCommit } from './group-commit.ts';
import { replayLeftoverLog } from './leftover-append-log.ts';
import { createReadRetry } from './read-retry.ts';
import { createRowReads } from './reads.ts';
import { prepareSchema } from './schema.ts';
import { createSharedReadTransaction } from './shared-read-transaction.ts';
import { readTotals, readUsage } from './usage.ts';
import { recoverWal } from './wal-recovery.ts';
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
  /** Called with what an operator should know about the files. */
  onWarning?: (warning: string) => void;
  /** A sync failed: the store refuses everything from now on, and the process should end and start again. */
  onStopped?: (error: AppError) => void;
}

/** The default back-end: one file, one process, every acknowledged write on disk. */
export function openSqliteStore(path: string, options: SqliteOptions): Store {
  const { onWarning = () => {} } = options;
  const lock = lockDatabase(path);
  let db: SqliteDriver | undefined;
  try {
    recoverWal(path, onWarning);
    db = openSqlite(path);
    prepareSchema(db);
    replayLeftoverLog(db, path, onWarning);
    return createStore(db, path, options, lock);
  } catch (thrown) {
    db?.close();
    lock.release();
    const isDamage = thrown instanceof AppError && thrown.reason === 'damaged';
    throw isDamage && !canReadFiles(path) ? ioError(thrown) : thrown;
  }
}

function createStore(
  db: SqliteDriver,
  path: string,
  { now, onCommit, onStopped }: SqliteOptions,
  lock: { release(): void },
): Store {
  const writer = createWriter(db, now);
  const wal = createWalSync(path);
  const files = holdDataFiles(path);
  const reserve = openDiskReserve(path);
  const retryRead = createReadRetry(files);
  const sharedRead = createSharedReadTransaction(db);
  const health = createHealth(files, now);
  let closed = false;
  let stopped: AppError | undefined;

  const commits = createGroupCommit(db, wal, {
    beforeBegin() {
      files.assertInPlace(); // also before the write, so that a refused one is not seen
      sharedRead.end();
    },
    beforeCommit: writer.flush,
    beforeAcknowledge: files.assertInPlace,
    onDurable(writes, syncSeconds) {
      health.succeeded();
      checkpointer.committed();
      onCommit?.(writes, syncSeconds);
    },
    onFailure() {
      health.failed();
      writer.reset();
    },
    onStopped(error) {
      stopped = error;
      checkpointer.stop();
      onStopped?.(error);
    },
  });
  const checkpointer = startCheckpointer(
    path,
    () => commits.stop(new Error('the sync of a checkpoint failed')),
    files.duringCheckpoint,
  );

  function assertOpen(): void {
    if (closed) throw new AppError('memory_unavailable', 'The database is closed.', { reason: 'closed' });
    const unusable = stopped ?? files.overwritten();
    if (unusable) throw unusable;
  }
  const write = <T>(work: () => T): Promise<T> =>
    retryRead(() => {
      assertOpen();
      if (!reserve.isHeld()) throw diskFull();
      return commits.write(work);
    });
  /** A write that deletes. On a full disk it may use the reserve, which other writes may not use up meanwhile. */
  async function remove<T>(work: () => T): Promise<T> {
    assertOpen();
    for (const makeRoom of [reserve.release, checkpointer.truncate]) {
      try {
        return await retryRead(() => commits.write(work));
      } catch (thrown) {
        if (!(thrown instanceof AppError) || thrown.reason !== 'disk_full') throw thrown;
        await makeRoom();
      }
    }
    return commits.write(work);
  }
  const read: Read = (work) =>
    retryRead(() => {
      assertOpen();
      return work();
    });

  /** Deletes the rows of dropped namespaces, in chunks; also finishes what a crash interrupted. Safe to run twice concurrently. */
  async function deleteDropped(): Promise<void> {
    for (const { no } of db.all<{ no: number }>('SELECT no FROM dropped')) {
      for (let deleted = DELETE_CHUNK_ROWS; deleted === DELETE_CHUNK_ROWS; await yieldToEventLoop()) {
        deleted = await remove(() => writer.deleteDroppedRows(no, DELETE_CHUNK_ROWS));
      }
    }
  }

  return {
    apply: (ref, ops) => (ops.every(mayUseReserve) ? remove : write)(() => writer.apply(ref, ops)),

    ...retriedReads(createRowReads(db, writer.namespace, sharedRead.begin), read),

    usage: (nowMs, ns) => read(() => readUsage(db, nowMs, ns && (writer.namespace(ns)?.no ?? -1))),

    totals: () => read(() => readTotals(db)),

    getNamespace: (ns) =>
      read(() => db.get<NamespaceRecord>('SELECT ns, generation, blob FROM namespaces WHERE ns = ?', ns)),
    createNamespace: (ns, blob) =>
      write(() => writer.createNamespace(ns, blob, randomNumber(), randomNumber())),
    replaceNamespace: (ref, before, blob) => write(() => writer.replaceNamespace(ref, before, blob)),
    listNamespaces: (limit, afterNs) =>
      read(() => {
        const sql = 'SELECT ns, generation, blob FROM namespaces WHERE ns > ? ORDER BY ns LIMIT ?';
        const first = 'SELECT ns, generation, blob FROM namespaces ORDER BY ns LIMIT ?';
        return afterNs ? db.all<NamespaceRecord>(sql, afterNs, limit) : db.all<NamespaceRecord>(first, limit);
      }),
    async dropNamespace(ns) {
      const rows = await remove(() => writer.dropNamespace(ns));
      await deleteDropped();
      await truncateWal(checkpointer);
      return rows;
    },

    async sweep(nowMs, limit) {
      assertOpen();
      files.assertInPlace(); // a server that only reads notices it here
      await deleteDropped();
      if (!writer.hasSweepWork(nowMs)) return [];
      return remove(() => writer.sweep(nowMs, limit));
    },

    async probe() {
      assertOpen();
      const bytes = health.probeBytes();
      if (!reserve.isHeld()) throw diskFull();
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
        if (stopped || files.overwritten()) closeWithoutCheckpoint(db, path);
        else db.close(); // the last connection checkpoints the WAL and deletes it
      } finally {
        files.close();
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

/** Deletes, and the rows of the access audit that record them. */
const mayUseReserve = (op: Op) => op.type !== 'put' || op.row.kind === 'access';

/** Runs a read of an open store, once more after an error of the disk. */
type Read = <T>(work: () => T | Promise<T>) => Promise<T>;

function retriedReads(reads: RowReads, read: Read): RowReads {
  return {
    get: (ns, id) => read(() => reads.get(ns, id)),
    scan: (ns, scan) => read(() => reads.scan(ns, scan)),
    marks: (ns, kind, afterSeq, limit) => read(() => reads.marks(ns, kind, afterSeq, limit)),
    tombstones: (ns, afterSeq, limit) => read(() => reads.tombstones(ns, afterSeq, limit)),
    position: (ns) => read(() => reads.position(ns)),
  };
}

/** Remembers how the last commit went, and decides how much a probe has to write. */
function createHealth(files: DataFiles, now: () => number) {
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
      files.assertInPlace();
      if (isFailing) return PROBE_BYTES;
      return now() - lastCommitMs < PROBE_MAX_AGE_MS ? 0 : 1;
    },
  };
}
