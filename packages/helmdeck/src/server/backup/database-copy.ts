import { closeSync, existsSync, fsyncSync, openSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { backup as copyPages, DatabaseSync } from 'node:sqlite';
import { AppError } from '../../errors.ts';
import { openSqlite } from '../../stores/sqlite/driver.ts';
import { insertLogged } from '../../stores/sqlite/leftover-append-log.ts';
import type { OnProgress } from '../../surfaces/cli/deps.ts';
import type { Config } from '../config/config.ts';
import { damageOf, type FileContents, lookInto, readContents, requireFile } from '../doctor/database-file.ts';

const PAGES_AT_ONCE = 1_000;

/** What of the configuration a backup needs; small enough to hand to a thread of its own. */
export type BackupSource = Pick<Config, 'db' | 'memoryKey' | 'memoryKeysPrevious' | 's3Account'>;

/** The database to copy; refuses what is not ours before anything is made. */
export function requireDatabase(config: BackupSource): string {
  const database = requireFile(config, 'backup');
  if (!existsSync(database))
    throw new AppError('not_found', 'There is no database yet.', { hint: 'Check HELMDECK_DB.' });
  lookInto(database, readContents);
  return database;
}

/** Copies the database as it is at this moment, whether a server uses it or not, and checks the copy. */
export async function copyDatabase(
  database: string,
  target: string,
  onProgress: OnProgress,
): Promise<FileContents> {
  closeSync(openSync(target, 'wx', 0o600));
  await copy(database, target, onProgress);
  return finish(target, database);
}

/** The name of a copy that this process makes beside the database. */
export function copyName(database: string): string {
  return `${database}.backup-${process.pid}`;
}

/** Removes what processes left behind that were killed while they copied. */
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
    // An open read transaction pins one moment; without it every commit of the server would start the copy anew.
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM sqlite_master').get();
    await copyPages(source, target, {
      rate: PAGES_AT_ONCE,
      progress: ({ totalPages, remainingPages }) => onProgress(totalPages - remainingPages, totalPages),
    });
  } finally {
    source.close();
  }
}

/** Checks the copy and makes it one plain file that is safely on the disk. */
function finish(path: string, database: string): FileContents {
  const db = openSqlite(path);
  try {
    const damage = damageOf(db);
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
    const contents = readContents(db);
    db.exec('PRAGMA journal_mode = DELETE');
    return contents;
  } finally {
    db.close();
    const handle = openSync(path, 'r+');
    fsyncSync(handle);
    closeSync(handle);
  }
}
