import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import type { BackupReport, ListedBackup, OnProgress } from '../../surfaces/cli/deps.ts';
import type { Config } from '../config/config.ts';
import { type BackupTarget, openBackupTarget } from './backup-target.ts';
import { type BackupSource, copyDatabase, removeCopy, requireDatabase } from './database-copy.ts';
import { newestFirst, uploadBackup } from './upload-backup.ts';

type OnInterrupt = (undo: () => void) => () => void;

/**
 * `helmdeck backup`: to a new file as a plain SQLite copy, to a folder or an S3 bucket as a sealed backup; without a
 * destination, to HELMDECK_BACKUP_URL.
 */
export async function backupDatabase(
  config: BackupSource & Pick<Config, 'backup'>,
  destination: string | undefined,
  onProgress: OnProgress,
  onInterrupt: OnInterrupt,
): Promise<BackupReport> {
  if (destination !== undefined && !isFolderOrBucket(destination))
    return backupToFile(config, destination, onProgress, onInterrupt);
  const target = await backupTarget(config, destination);
  const keep = destination === undefined ? config.backup!.keep : undefined;
  return uploadBackup(config, target, { keep, onProgress, onInterrupt });
}

function isFolderOrBucket(destination: string): boolean {
  if (destination.startsWith('s3:') || destination.endsWith('/')) return true;
  return statSync(destination, { throwIfNoEntry: false })?.isDirectory() === true;
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
  reserveFile(target);
  const discard = () => {
    removeCopy(partial);
    rmSync(target, { force: true });
  };
  const unregister = onInterrupt(discard);
  try {
    const { rows, namespaces } = await copyDatabase(database, partial, onProgress);
    renameSync(partial, target);
    return { file: target, bytes: statSync(target).size, rows, namespaces, sealed: false };
  } catch (thrown) {
    discard();
    throw thrown;
  } finally {
    unregister();
  }
}

/** Creates the file before the copy starts, so that nothing is overwritten, not even a file that appears meanwhile. */
function reserveFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    throw new AppError('conflict', `${path} already exists; a backup never overwrites a file.`, {
      reason: 'file_exists',
      hint: 'Choose another name.',
    });
  }
}

/** All backups in a target, of any database, newest first. */
export async function listBackups(
  config: Pick<Config, 'backup' | 's3Account'>,
  address: string | undefined,
): Promise<ListedBackup[]> {
  const target = await backupTarget(config, address);
  const base = target.address.replace(/\/+$/, '');
  return newestFirst(await target.list()).map(({ name, bytes, atMs, database }) => {
    return { file: `${base}/${name}`, bytes, at: new Date(atMs).toISOString(), database };
  });
}

/** The target at an address; by default HELMDECK_BACKUP_URL. */
export function backupTarget(
  config: Pick<Config, 'backup' | 's3Account'>,
  address = config.backup?.url,
): Promise<BackupTarget> {
  if (address !== undefined) return openBackupTarget(address, config.s3Account);
  throw new AppError('invalid_input', 'No backup target: pass one, or set HELMDECK_BACKUP_URL.', {
    reason: 'no_target',
    hint: 'A target is a new file, a folder or s3://bucket/prefix.',
  });
}
