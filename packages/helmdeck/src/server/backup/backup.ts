import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import type { BackupReport, ListedBackup, OnProgress } from '../../surfaces/cli/deps.ts';
import type { Config } from '../config/config.ts';
import { type BackupPlace, openBackupPlace } from './backup-target.ts';
import { type BackupSource, copyDatabase, removeCopy, requireDatabase } from './database-copy.ts';
import { backupToPlace, newestFirst } from './upload-backup.ts';

type OnInterrupt = (undo: () => void) => () => void;

/** To a new file as a plain copy, to a folder or a bucket sealed as a whole; without a target to the configured place. */
export async function backupDatabase(
  config: BackupSource & Pick<Config, 'backup'>,
  target: string | undefined,
  onProgress: OnProgress,
  onInterrupt: OnInterrupt,
): Promise<BackupReport> {
  if (target !== undefined && !isPlace(target)) return backupToFile(config, target, onProgress, onInterrupt);
  const place = await configuredPlace(config, target);
  const keep = target === undefined ? config.backup!.keep : undefined;
  return backupToPlace(config, place, { keep, onProgress, onInterrupt });
}

function isPlace(target: string): boolean {
  if (target.startsWith('s3:') || target.endsWith('/')) return true;
  return statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
}

async function backupToFile(
  config: BackupSource,
  file: string,
  onProgress: OnProgress,
  onInterrupt: OnInterrupt,
): Promise<BackupReport> {
  const database = requireDatabase(config);
  const target = resolve(file);
  const partial = `${target}.${process.pid}.partial`;
  takeName(target);
  const discard = () => {
    removeCopy(partial);
    rmSync(target, { force: true });
  };
  const forgetUndo = onInterrupt(discard);
  try {
    const { rows, namespaces } = await copyDatabase(database, partial, onProgress);
    renameSync(partial, target);
    return { file: target, bytes: statSync(target).size, rows, namespaces, sealed: false };
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

/** What lies at a place, newest first, of whichever database. */
export async function listBackups(
  config: Pick<Config, 'backup' | 's3Account'>,
  address: string | undefined,
): Promise<ListedBackup[]> {
  const place = await configuredPlace(config, address);
  const base = place.address.replace(/\/+$/, '');
  return newestFirst(await place.list()).map(({ name, bytes, atMs, database }) => {
    return { file: `${base}/${name}`, bytes, at: new Date(atMs).toISOString(), database };
  });
}

export function configuredPlace(
  config: Pick<Config, 'backup' | 's3Account'>,
  address = config.backup?.url,
): Promise<BackupPlace> {
  if (address !== undefined) return openBackupPlace(address, config.s3Account);
  throw new AppError('invalid_input', 'Where? There is no HELMDECK_BACKUP_URL.', {
    reason: 'no_target',
    hint: 'Name a file, a folder or s3://bucket/prefix, or set HELMDECK_BACKUP_URL.',
  });
}
