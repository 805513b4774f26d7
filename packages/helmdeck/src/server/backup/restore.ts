import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import { openSqlite } from '../../stores/sqlite/driver.ts';
import { lockDatabase } from '../../stores/sqlite/file-lock.ts';
import { leftoverLogPath, replayLeftoverLog } from '../../stores/sqlite/leftover-append-log.ts';
import type { RestoreReport } from '../../surfaces/cli/deps.ts';
import type { Config } from '../config/config.ts';
import {
  canaryState,
  damageOf,
  type FileContents,
  readContents,
  requireFile,
} from '../doctor/database-file.ts';
import { keyringOf } from '../open-memory.ts';
import { snapshotFolder } from '../snapshot-files.ts';
import { fetchBackup, findBackup } from './fetch-backup.ts';

/** Puts a backup in the place of the database; what was there is kept beside it. */
export async function restoreDatabase(
  config: Config,
  source: string,
  options: { force: boolean },
  onInterrupt: (undo: () => void) => () => void,
): Promise<RestoreReport> {
  const database = resolve(requireFile(config, 'restore'));
  if (resolve(source) === database)
    throw new AppError('invalid_input', 'This is the database itself.', { hint: 'Name a backup.' });
  const chosen = await findBackup(config, source); // says that there is none before anything is made
  const lock = lockDatabase(database);
  const copy = `${database}.restoring-${process.pid}`;
  const discard = () => removeFiles(copy);
  const forgetUndo = onInterrupt(discard);
  try {
    await fetchBackup(config, chosen, copy);
    const contents = checkCopy(copy);
    const keyFits = await fits(config, contents);
    if (!keyFits && !options.force) {
      throw new AppError('memory_unavailable', 'The configured key does not open this backup.', {
        reason: 'wrong_key',
        hint: 'Set HELMDECK_MEMORY_KEY to the key it was written with, or add --force. Nothing was changed.',
      });
    }
    // They show a later state than the backup has, and nothing would tell so.
    rmSync(snapshotFolder(config), { recursive: true, force: true });
    const keptAside = putInPlace(copy, database);
    const { rows, namespaces } = contents;
    return { source: chosen.address, database, rows, namespaces, kept_aside: keptAside, key_fits: keyFits };
  } finally {
    discard();
    forgetUndo();
    lock.release();
  }
}

/** The copy lies beside the database, so that putting it in place is one rename. */
function checkCopy(copy: string): FileContents {
  const db = openSqlite(copy);
  try {
    const contents = readContents(db);
    if (contents.canary === undefined) {
      throw new AppError('memory_unavailable', 'The file is an empty database, not a backup of Helmdeck.', {
        reason: 'not_a_database',
        hint: 'Check the path.',
      });
    }
    const damage = damageOf(db);
    if (damage !== undefined)
      throw new AppError('memory_unavailable', `The backup is damaged (${damage}).`, {
        reason: 'damaged',
        hint: 'Use an earlier one.',
      });
    replayLeftoverLog(db, copy);
    db.exec('PRAGMA journal_mode = DELETE');
    return readContents(db);
  } finally {
    db.close();
  }
}

async function fits(config: Config, contents: FileContents): Promise<boolean> {
  try {
    return config.memoryKey !== undefined && (await canaryState(contents, keyringOf(config))) === 'fits';
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.reason === 'key_invalid') return false;
    throw thrown;
  }
}

function putInPlace(copy: string, database: string): string | null {
  const handle = openSync(copy, 'r+');
  fsyncSync(handle);
  closeSync(handle);
  const aside = existsSync(database) ? setAside(database) : null;
  // A log left by the old database would be played into the new one.
  for (const path of [`${database}-wal`, `${database}-shm`, leftoverLogPath(database)])
    rmSync(path, { force: true });
  renameSync(copy, database);
  const folder = openSync(dirname(database), 'r');
  fsyncSync(folder);
  closeSync(folder);
  return aside;
}

/** Keeps the present database, with all that is still in its log; a damaged one is kept as it is. */
function setAside(database: string): string {
  const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const aside = freeName(`${database}.before-restore-${stamp}`);
  try {
    const db = openSqlite(database);
    replayLeftoverLog(db, database);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close(); // the last one to close takes the log away
  } catch {
    // Not readable: that may be why somebody restores.
  }
  if (existsSync(`${database}-wal`)) renameSync(`${database}-wal`, `${aside}-wal`);
  if (existsSync(leftoverLogPath(database))) renameSync(leftoverLogPath(database), leftoverLogPath(aside));
  renameSync(database, aside);
  return aside;
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
