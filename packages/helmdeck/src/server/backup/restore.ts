import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import { openSqlite } from '../../stores/sqlite/driver.ts';
import { lockDatabase } from '../../stores/sqlite/file-lock.ts';
import { leftoverLogPath, replayLeftoverLog } from '../../stores/sqlite/leftover-append-log.ts';
import type { RestoreReport } from '../../surfaces/cli/deps.ts';
import type { Config } from '../config/config.ts';
import {
  type DatabaseSummary,
  databaseFilePath,
  findCorruption,
  keyState,
  readSummary,
} from '../database-file.ts';
import { keyringOf } from '../open-memory.ts';
import { snapshotFolder } from '../snapshot-files.ts';
import { fetchBackup, findBackup } from './fetch-backup.ts';

/** `helmdeck restore`: replaces the database with a backup, and keeps the previous database beside it. */
export async function restoreDatabase(
  config: Config,
  source: string,
  options: { force: boolean },
  onInterrupt: (undo: () => void) => () => void,
): Promise<RestoreReport> {
  const database = resolve(databaseFilePath(config, 'restore'));
  if (resolve(source) === database)
    throw new AppError('invalid_input', 'The source is the database itself.', { hint: 'Pass a backup.' });
  const found = await findBackup(config, source); // throws before any file is created if there is none
  const lock = lockDatabase(database);
  const copy = `${database}.restoring-${process.pid}`; // beside the database, so that replacing it is one rename
  const discard = () => removeFiles(copy);
  const unregister = onInterrupt(discard);
  try {
    await fetchBackup(config, found, copy);
    const summary = checkCopy(copy);
    const keyFits = await keyOpens(config, summary);
    if (!keyFits && !options.force) {
      throw new AppError('memory_unavailable', 'The configured key does not open this backup.', {
        reason: 'wrong_key',
        hint: 'Set HELMDECK_MEMORY_KEY to the key it was written with, or add --force. Nothing was changed.',
      });
    }
    // Image snapshots are of a later state than the backup, and could not be recognised as such.
    rmSync(snapshotFolder(config), { recursive: true, force: true });
    const keptAside = replaceDatabase(copy, database);
    const { rows, namespaces } = summary;
    return { source: found.address, database, rows, namespaces, kept_aside: keptAside, key_fits: keyFits };
  } finally {
    discard();
    unregister();
    lock.release();
  }
}

/** Checks the copy and turns it into a single file without a WAL. */
function checkCopy(copy: string): DatabaseSummary {
  const db = openSqlite(copy);
  try {
    const summary = readSummary(db);
    if (summary.canary === undefined) {
      throw new AppError('memory_unavailable', 'The file is an empty database, not a Helmdeck backup.', {
        reason: 'not_a_database',
        hint: 'Check the path.',
      });
    }
    const damage = findCorruption(db);
    if (damage !== undefined)
      throw new AppError('memory_unavailable', `The backup is damaged (${damage}).`, {
        reason: 'damaged',
        hint: 'Use an earlier backup.',
      });
    replayLeftoverLog(db, copy);
    db.exec('PRAGMA journal_mode = DELETE');
    return readSummary(db);
  } finally {
    db.close();
  }
}

async function keyOpens(config: Config, summary: DatabaseSummary): Promise<boolean> {
  try {
    return config.memoryKey !== undefined && keyState(summary, keyringOf(config)) === 'fits';
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.reason === 'key_invalid') return false;
    throw thrown;
  }
}

/** Renames the copy to the database, durably; returns the path of the previous database. */
function replaceDatabase(copy: string, database: string): string | null {
  const handle = openSync(copy, 'r+');
  fsyncSync(handle);
  closeSync(handle);
  const previous = existsSync(database) ? keepPrevious(database) : null;
  // SQLite would replay a leftover WAL of the old database into the new one.
  for (const path of [`${database}-wal`, `${database}-shm`, leftoverLogPath(database)])
    rmSync(path, { force: true });
  renameSync(copy, database);
  const folder = openSync(dirname(database), 'r');
  fsyncSync(folder);
  closeSync(folder);
  return previous;
}

/** Renames the current database, after moving its WAL into it; a damaged one is kept with its log files. */
function keepPrevious(database: string): string {
  const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const previous = freeName(`${database}.before-restore-${stamp}`);
  try {
    const db = openSqlite(database);
    replayLeftoverLog(db, database);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close(); // the last connection to close deletes the WAL
  } catch {
    // A damaged database may be the reason for the restore.
  }
  if (existsSync(`${database}-wal`)) renameSync(`${database}-wal`, `${previous}-wal`);
  if (existsSync(leftoverLogPath(database))) renameSync(leftoverLogPath(database), leftoverLogPath(previous));
  renameSync(database, previous);
  return previous;
}

function freeName(wanted: string): string {
  let name = wanted;
  for (let number = 2; existsSync(name); number++) name = `${wanted}-${number}`;
  return name;
}

function removeFiles(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
  rmSync(leftoverLogPath(path), { force: true });
}
