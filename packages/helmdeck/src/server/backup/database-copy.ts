import { closeSync, existsSync, fsyncSync, openSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { backup as copyPages, DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import { openSqlite } from '../../stores/sqlite/driver.ts';
import { insertLogged } from '../../stores/sqlite/leftover-append-log.ts';
import type { OnProgress } from '../../surfaces/cli/deps.ts';
import type { Config } from '../config/config.ts';
import {
  type DatabaseSummary,
  databaseFilePath,
  findCorruption,
  readDatabaseFile,
  readSummary,
} from '../database-file.ts';

// Makes a consistent, checked copy of a database file, even while a server uses it: the first step of every backup.

const PAGES_PER_STEP = 1_000;

/** The settings that a backup needs, in a form that can be passed to a worker thread. */
export type BackupSource = Pick<Config, 'db' | 'memoryKey' | 'memoryKeysPrevious' | 's3Account'>;

/** The path of the database to back up; throws if it is not a Helmdeck database, before any file is created. */
export function requireDatabase(config: BackupSource): string {
  const database = databaseFilePath(config, 'backup');
  if (!existsSync(database))
    throw new AppError('not_found', 'There is no database yet.', { hint: 'Check HELMDECK_DB.' });
  readDatabaseFile(database, readSummary);
  return database;
}

/** Copies a consistent snapshot of the database to a new file, and checks the copy. */
export async function copyDatabase(
  database: string,
  target: string,
  onProgress: OnProgress,
): Promise<DatabaseSummary> {
  closeSync(openSync(target, 'wx', 0o600));
  await copy(database, target, onProgress);
  return checkAndSync(target, database);
}

/** The path of this process's temporary copy, beside the database. */
export function temporaryCopyPath(database: string): string {
  return `${database}.backup-${process.pid}`;
}

/** Removes temporary copies of processes that were killed. */
export function removeStaleCopies(database: string): void {
  const prefix = `${basename(database)}.backup-`;
  for (const name of readdirSync(dirname(database)).filter((each) => each.startsWith(prefix))) {
    const pid = Number(/^\d+/.exec(name.slice(prefix.length))?.[0]);
    if (pid === process.pid || !isRunning(pid)) rmSync(join(dirname(database), name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export function removeCopy(path: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

async function copy(database: string, target: string, onProgress: OnProgress): Promise<void> {
  const source = new DatabaseSync(database, { readOnly: true, timeout: 5_000 });
  try {
    // The open read transaction pins a snapshot; without it every commit of the server would restart the copy.
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM sqlite_master').get();
    await copyPages(source, target, {
      rate: PAGES_PER_STEP,
      progress: ({ totalPages, remainingPages }) => onProgress(totalPages - remainingPages, totalPages),
    });
  } finally {
    source.close();
  }
}

/** Checks the copy, adds the rows of a leftover append log, and syncs it as a single file without a WAL. */
function checkAndSync(path: string, database: string): DatabaseSummary {
  const db = openSqlite(path);
  try {
    const damage = findCorruption(db);
    if (damage !== undefined) {
      throw new AppError(
        'memory_unavailable',
        `The copy is damaged (${damage}), so the database may be too.`,
        {
          reason: 'damaged',
          hint: 'Run "helmdeck doctor".',
        },
      );
    }
    insertLogged(db, database);
    const summary = readSummary(db);
    db.exec('PRAGMA journal_mode = DELETE');
    return summary;
  } finally {
    db.close();
    const handle = openSync(path, 'r+');
    fsyncSync(handle);
    closeSync(handle);
  }
}
