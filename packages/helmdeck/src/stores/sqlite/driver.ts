import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import { type StoreErrorText, storeError } from '../store-errors.ts';

/** A thin wrapper of node:sqlite: caches prepared statements, and turns SQLite errors into messages with a hint. */
export interface SqliteDriver {
  /** Returns the number of changed rows. */
  run(sql: string, ...values: SQLInputValue[]): number;
  get<T>(sql: string, ...values: SQLInputValue[]): T | undefined;
  all<T>(sql: string, ...values: SQLInputValue[]): T[];
  /** Like `all`, with each row as an array of its columns: far cheaper for many rows. */
  arrays<T extends unknown[]>(sql: string, ...values: SQLInputValue[]): T[];
  exec(sql: string): void;
  close(): void;
}

/** SQLite up to 3.51.2 can lose committed pages when a checkpoint races with a WAL reset; Helmdeck runs both. */
const OLDEST_SAFE_SQLITE = [3, 51, 3] as const;
const BUSY_TIMEOUT_MS = 5_000;

export function sqliteVersion(): string {
  const db = new DatabaseSync(':memory:');
  try {
    return String(db.prepare('SELECT sqlite_version() AS version').get()?.version);
  } finally {
    db.close();
  }
}

export function isSafeSqlite(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, least] of OLDEST_SAFE_SQLITE.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

/** Opens a database file, readable by its owner only. */
export function openSqlite(path: string, options: { readOnly?: boolean } = {}): SqliteDriver {
  const version = sqliteVersion();
  if (!isSafeSqlite(version)) {
    throw new AppError(
      'memory_unavailable',
      `This Node brings SQLite ${version}, which can lose data under load.`,
      {
        reason: 'old_sqlite',
        hint: `Use a Node with SQLite ${OLDEST_SAFE_SQLITE.join('.')} or later, such as Node 24.21.`,
      },
    );
  }
  return wrapErrors(() => {
    if (!options.readOnly) createPrivateFile(path); // SQLite gives the -wal and -shm files the same mode
    const db = new DatabaseSync(path, { readOnly: options.readOnly ?? false });
    // The page cache stays at SQLite's default of 2 MB: a commit that split a page of the randomly ordered id index, as
    // nearly every group does, walks the whole cache, which at 64 MiB took longer than writing. The OS caches the file.
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA temp_store = MEMORY;`);
    return driver(db);
  });
}

/**
 * Sets the pragmas that durability and erasure depend on; only once the file is known to be ours, because they change
 * it. `synchronous = NORMAL` leaves the sync of each commit to the group commit, which acknowledges writes after it.
 */
export function useWriteAheadLog(db: SqliteDriver): void {
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
  db.exec('PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = 0;');
}

/** Creates the file and its folder if they do not exist, readable by their owner only. */
export function createPrivateFile(path: string): void {
  wrapErrors(() => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
  });
}

/**
 * Closes the last connection without the checkpoint that SQLite makes then: after a failed sync it would copy frames that
 * are not on the disk, and into an overwritten file frames that do not belong to it. A read-only connection cannot
 * checkpoint, so it is the one that closes last.
 */
export function closeWithoutCheckpoint(db: SqliteDriver, path: string): void {
  const last = new DatabaseSync(path, { readOnly: true });
  try {
    last.prepare('SELECT count(*) FROM sqlite_master').get();
  } catch {
    last.close();
    return; // no longer a database: the connection stays open until the process ends, because closing it writes to the file
  }
  db.close();
  last.close();
}

function driver(db: DatabaseSync): SqliteDriver {
  const statements = new Map<string, StatementSync>();
  const arrayStatements = new Map<string, StatementSync>();
  function prepared(sql: string, known = statements): StatementSync {
    let statement = known.get(sql);
    if (!statement) {
      statement = db.prepare(sql);
      statement.setReturnArrays(known === arrayStatements);
      known.set(sql, statement);
    }
    return statement;
  }
  return {
    run(sql, ...values) {
      try {
        return Number(prepared(sql).run(...values).changes);
      } catch (thrown) {
        throw toStoreError(thrown);
      }
    },
    get<T>(sql: string, ...values: SQLInputValue[]) {
      try {
        return prepared(sql).get(...values) as T | undefined;
      } catch (thrown) {
        throw toStoreError(thrown);
      }
    },
    all: <T>(sql: string, ...values: SQLInputValue[]) =>
      wrapErrors(() => prepared(sql).all(...values) as T[]),
    arrays: <T extends unknown[]>(sql: string, ...values: SQLInputValue[]) =>
      wrapErrors(() => prepared(sql, arrayStatements).all(...values) as unknown as T[]),
    exec: (sql) => wrapErrors(() => db.exec(sql)),
    close: () => db.close(),
  };
}

/** A failed sync: what it should have written may be lost, and SQLite would go on as if nothing had happened. */
export const SYNC_FAILED: StoreErrorText = {
  reason: 'sync_failed',
  message: 'A sync of the disk failed, so nothing is read or stored until the server restarts.',
  hint: 'Check the disk and restart the server: it then recovers every acknowledged write.',
};
const IO_ERROR: StoreErrorText = {
  reason: 'io_error',
  message: 'The disk reported an error; if this was a write, nothing was stored.',
  hint: 'Check the disk; the server recovers once it works again.',
};
const DISK_FULL: StoreErrorText = {
  reason: 'disk_full',
  message: 'The disk is full; nothing was stored.',
  hint: 'Free some space, or forget what is no longer needed; the server then recovers by itself.',
};
const SQLITE_IOERR_FSYNC = 1_034;
const SQLITE_IOERR_DIR_FSYNC = 1_290;

const DAMAGED: StoreErrorText = {
  reason: 'damaged',
  message: 'The database file is damaged.',
  hint: 'Restore a backup with "helmdeck restore".',
};

const PRIMARY_CODE_MASK = 0xff;
const ERROR_TEXTS: Record<number, StoreErrorText> = {
  [SQLITE_IOERR_FSYNC]: SYNC_FAILED,
  [SQLITE_IOERR_DIR_FSYNC]: SYNC_FAILED,
  5: {
    reason: 'database_busy',
    message: 'The database is locked by another program.',
    hint: 'Close the other program and try again.',
  },
  8: {
    reason: 'read_only',
    message: 'The database file cannot be written.',
    hint: 'Check the permissions of the file and its folder.',
  },
  10: IO_ERROR,
  11: DAMAGED,
  13: DISK_FULL,
  14: {
    reason: 'cannot_open',
    message: 'The database file cannot be opened.',
    hint: 'Check HELMDECK_DB and the permissions of its folder.',
  },
  26: {
    reason: 'not_a_database',
    message: 'The file is not a Helmdeck database.',
    hint: 'Check HELMDECK_DB.',
  },
};

export const diskFull = () => storeError(DISK_FULL);

/** The error of a database that the disk cannot read. */
export const ioError = (cause: unknown) => storeError(IO_ERROR, cause);

/** The file contradicts itself where SQLite does not notice. */
export const damagedError = () => storeError(DAMAGED);

/** Whether SQLite reported that a sync of the database, the WAL or their folder failed. */
export function isSyncFailure(thrown: unknown): boolean {
  const reason =
    (thrown as { reason?: string }).reason ?? (toStoreError(thrown) as { reason?: string }).reason;
  return reason === SYNC_FAILED.reason;
}

/** Runs calls of SQLite or of the file system, and turns what they throw into an error that can be shown: without SQL or a path. */
export function wrapErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw toStoreError(thrown);
  }
}

function toStoreError(thrown: unknown): unknown {
  if (thrown instanceof AppError || !(thrown instanceof Error)) return thrown;
  const { errcode, code } = thrown as Error & { errcode?: number; code?: string };
  const known = errcode ?? sqliteCodeOf(code);
  const text =
    known === undefined ? undefined : (ERROR_TEXTS[known] ?? ERROR_TEXTS[known & PRIMARY_CODE_MASK]);
  return text ? storeError(text, thrown) : thrown;
}

function sqliteCodeOf(code: string | undefined): number | undefined {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 13;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 8;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return 14;
  return code === 'EIO' ? 10 : undefined;
}
