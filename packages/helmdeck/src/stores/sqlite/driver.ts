import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import { type StoreErrorText, storeError } from '../store-errors.ts';

/** SQLite up to 3.51.2 can lose committed pages when a checkpoint and a WAL reset race; we run both. */
const OLDEST_SAFE_SQLITE = [3, 51, 3] as const;
const BUSY_TIMEOUT_MS = 5_000;

/** The little of SQLite that the store uses, with every failure turned into a sentence. */
export interface SqliteDriver {
  /** Returns the number of rows it changed. */
  run(sql: string, ...values: SQLInputValue[]): number;
  get<T>(sql: string, ...values: SQLInputValue[]): T | undefined;
  all<T>(sql: string, ...values: SQLInputValue[]): T[];
  /** The same with each row as the list of its columns, which costs far less where there are many. */
  lists<T extends unknown[]>(sql: string, ...values: SQLInputValue[]): T[];
  exec(sql: string): void;
  /** How long a statement waits for a lock of another program; the usual time when none is given. */
  waitForLocks(ms?: number): void;
  isInTransaction(): boolean;
  close(): void;
}

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
  return explaining(() => {
    if (!options.readOnly) createPrivateFile(path); // SQLite gives the -wal and -shm files the same mode
    const db = new DatabaseSync(path, { readOnly: options.readOnly ?? false });
    // The page cache stays at SQLite's 2 MB. A commit that split a page of an index in random order, as nearly every
    // group does, walks through all of the cache: with 64 MiB that took longer than writing. The kernel has the file.
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA temp_store = MEMORY;`);
    return driver(db);
  });
}

/**
 * Turns on what durability and erasure rest on. Not before the file is known to be ours: it changes the file.
 * `NORMAL` leaves the sync of each commit to the group commit, which answers nobody before it.
 */
export function useWriteAheadLog(db: SqliteDriver): void {
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
  db.exec('PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = 0;');
}

/** Makes the file and its folder, for their owner only, where they are not there yet. */
export function createPrivateFile(path: string): void {
  explaining(() => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
  });
}

function driver(db: DatabaseSync): SqliteDriver {
  const statements = new Map<string, StatementSync>();
  const listing = new Map<string, StatementSync>();
  let waitMs = BUSY_TIMEOUT_MS;
  function prepared(sql: string, known = statements): StatementSync {
    let statement = known.get(sql);
    if (!statement) {
      statement = db.prepare(sql);
      statement.setReturnArrays(known === listing);
      known.set(sql, statement);
    }
    return statement;
  }
  return {
    run(sql, ...values) {
      try {
        return Number(prepared(sql).run(...values).changes);
      } catch (thrown) {
        throw explain(thrown);
      }
    },
    get<T>(sql: string, ...values: SQLInputValue[]) {
      try {
        return prepared(sql).get(...values) as T | undefined;
      } catch (thrown) {
        throw explain(thrown);
      }
    },
    all: <T>(sql: string, ...values: SQLInputValue[]) =>
      explaining(() => prepared(sql).all(...values) as T[]),
    lists: <T extends unknown[]>(sql: string, ...values: SQLInputValue[]) =>
      explaining(() => prepared(sql, listing).all(...values) as unknown as T[]),
    exec: (sql) => explaining(() => db.exec(sql)),
    waitForLocks(ms = BUSY_TIMEOUT_MS) {
      if (ms === waitMs) return;
      db.exec(`PRAGMA busy_timeout = ${ms}`);
      waitMs = ms;
    },
    isInTransaction: () => db.isTransaction,
    close: () => db.close(),
  };
}

const PRIMARY_CODE_MASK = 0xff;
const EXPLANATIONS: Record<number, StoreErrorText> = {
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
  10: {
    reason: 'io_error',
    message: 'The disk reported an error; nothing was stored.',
    hint: 'Check the disk; the server goes on once it works again.',
  },
  11: {
    reason: 'damaged',
    message: 'The database file is damaged.',
    hint: 'Restore a backup with "helmdeck restore".',
  },
  13: {
    reason: 'disk_full',
    message: 'The disk is full; nothing was stored.',
    hint: 'Free some space; the server goes on by itself.',
  },
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

/** Runs a piece of SQLite work; what it throws is fit to be shown, without SQL or a path. */
function explaining<T>(work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw explain(thrown);
  }
}

function explain(thrown: unknown): unknown {
  if (thrown instanceof AppError || !(thrown instanceof Error)) return thrown;
  const { errcode, code } = thrown as Error & { errcode?: number; code?: string };
  const known = errcode === undefined ? fileSystemCode(code) : errcode & PRIMARY_CODE_MASK;
  const explanation = known === undefined ? undefined : EXPLANATIONS[known];
  return explanation ? storeError(explanation, thrown) : thrown;
}

function fileSystemCode(code: string | undefined): number | undefined {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 13;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 8;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return 14;
  return code === 'EIO' ? 10 : undefined;
}
