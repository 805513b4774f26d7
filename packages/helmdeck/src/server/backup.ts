import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { backup as copyPages, DatabaseSync } from 'node:sqlite';
import { AppError } from '../errors.ts';
import { openSqlite } from '../stores/sqlite-driver.ts';
import type { BackupReport, OnProgress } from '../surfaces/cli/deps.ts';
import type { Config } from './config.ts';
import { damageOf, lookInto, readContents, requireFile } from './database-file.ts';

const PAGES_AT_ONCE = 1_000;

/** Copies the database as it is at this moment, whether a server uses it or not, and checks the copy. */
export async function backupDatabase(
  config: Config,
  file: string,
  onProgress: OnProgress,
  onInterrupt: (undo: () => void) => () => void,
): Promise<BackupReport> {
  const database = requireFile(config, 'backup');
  if (!existsSync(database))
    throw new AppError('not_found', 'There is no database yet.', { hint: 'Check HELMDECK_DB.' });
  lookInto(database, readContents); // refuses what is not ours before anything is made
  const target = resolve(file);
  const partial = `${target}.${process.pid}.partial`;
  takeName(target);
  const discard = () => {
    for (const path of [partial, `${partial}-journal`, `${partial}-wal`, `${partial}-shm`, target])
      rmSync(path, { force: true });
  };
  const forgetUndo = onInterrupt(discard);
  try {
    closeSync(openSync(partial, 'wx', 0o600));
    await copy(database, partial, onProgress);
    const contents = finish(partial);
    renameSync(partial, target);
    return { file: target, bytes: statSync(target).size, ...contents };
  } catch (thrown) {
    discard();
    throw thrown;
  } finally {
    forgetUndo();
  }
}

/** Taking the name first: nothing is ever overwritten, not even what appears while we copy. */
function takeName(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    throw new AppError('conflict', `${path} already exists; a backup never overwrites.`, {
      reason: 'file_exists',
      hint: 'Choose another name.',
    });
  }
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
function finish(path: string): { rows: number; namespaces: number } {
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
    const { rows, namespaces } = readContents(db);
    db.exec('PRAGMA journal_mode = DELETE');
    return { rows, namespaces };
  } finally {
    db.close();
    const handle = openSync(path, 'r+');
    fsyncSync(handle);
    closeSync(handle);
  }
}
