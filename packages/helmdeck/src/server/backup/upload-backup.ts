import { createReadStream } from 'node:fs';
import type { BackupReport, OnProgress } from '../../surfaces/cli/deps.ts';
import { requireKey } from '../open-memory.ts';
import { type BackupTarget, backupName, type StoredBackup } from './backup-target.ts';
import {
  type BackupSource,
  copyDatabase,
  removeCopy,
  removeStaleCopies,
  requireDatabase,
  temporaryCopyPath,
} from './database-copy.ts';
import { sealBackup } from './sealed-backup.ts';

// Makes a sealed backup of a database in a target, a folder or an S3 bucket, and lists those that are there.

const READ_BYTES = 1_048_576;
/** The part of a database's identity that the names of its backups contain. */
const IDENTITY_CHARS = 8;

export interface UploadOptions {
  /** The number of backups of this database to keep; all by default. */
  keep?: number;
  onProgress?: OnProgress;
  onInterrupt?: (undo: () => void) => () => void;
  now?: () => number;
}

/** Makes a checked copy beside the database, uploads it sealed, and deletes the oldest backups beyond `keep`. */
export async function uploadBackup(
  config: BackupSource,
  target: BackupTarget,
  options: UploadOptions = {},
): Promise<BackupReport> {
  const { onProgress = () => {}, onInterrupt = () => () => {}, now = Date.now } = options;
  const keyring = requireKey(config);
  const database = requireDatabase(config);
  const copy = temporaryCopyPath(database);
  const discard = () => removeCopy(copy);
  removeStaleCopies(database);
  const unregister = onInterrupt(discard);
  try {
    const { rows, namespaces, identity = '' } = await copyDatabase(database, copy, onProgress);
    const databaseId = identity.slice(0, IDENTITY_CHARS);
    const name = backupName(databaseId, now());
    let bytes = 0;
    const counted = async function* () {
      for await (const chunk of sealBackup(createReadStream(copy, { highWaterMark: READ_BYTES }), keyring)) {
        bytes += chunk.length;
        yield chunk;
      }
    };
    await target.write(name, counted());
    const removed = options.keep === undefined ? 0 : await deleteOldest(target, databaseId, options.keep);
    return {
      file: `${target.address.replace(/\/+$/, '')}/${name}`,
      bytes,
      rows,
      namespaces,
      sealed: true,
      removed,
    };
  } finally {
    discard();
    unregister();
  }
}

/** The backups of one database, newest first. */
export async function backupsOf(target: BackupTarget, identity: string): Promise<StoredBackup[]> {
  const databaseId = identity.slice(0, IDENTITY_CHARS);
  return newestFirst((await target.list()).filter(({ database }) => database === databaseId));
}

export function newestFirst(backups: readonly StoredBackup[]): StoredBackup[] {
  return [...backups].sort((a, b) => b.atMs - a.atMs);
}

async function deleteOldest(target: BackupTarget, databaseId: string, keep: number): Promise<number> {
  const old = (await backupsOf(target, databaseId)).slice(keep);
  for (const { name } of old) await target.delete(name);
  return old.length;
}
