import { createReadStream } from 'node:fs';
import type { BackupReport, OnProgress } from '../../surfaces/cli/deps.ts';
import { requireKey } from '../open-memory.ts';
import { type BackupPlace, backupName, type KeptBackup } from './backup-target.ts';
import {
  type BackupSource,
  copyDatabase,
  copyName,
  removeCopy,
  removeStaleCopies,
  requireDatabase,
} from './database-copy.ts';
import { sealBackup } from './sealed-backup.ts';

const READ_BYTES = 1_048_576;
/** As many characters of a database's identity as its backups carry in their names. */
const IDENTITY_CHARS = 8;

export interface ToPlaceOptions {
  /** How many backups of this database stay; all when absent. */
  keep?: number;
  onProgress?: OnProgress;
  onInterrupt?: (undo: () => void) => () => void;
  now?: () => number;
}

/** Makes a checked copy beside the database, seals it into its place, and lets go of the oldest ones. */
export async function backupToPlace(
  config: BackupSource,
  place: BackupPlace,
  options: ToPlaceOptions = {},
): Promise<BackupReport> {
  const { onProgress = () => {}, onInterrupt = () => () => {}, now = Date.now } = options;
  const keyring = requireKey(config);
  const database = requireDatabase(config);
  const copy = copyName(database);
  const discard = () => removeCopy(copy);
  removeStaleCopies(database);
  const forgetUndo = onInterrupt(discard);
  try {
    const { rows, namespaces, identity = '' } = await copyDatabase(database, copy, onProgress);
    const own = identity.slice(0, IDENTITY_CHARS);
    const name = backupName(own, now());
    let bytes = 0;
    const counted = async function* () {
      for await (const chunk of sealBackup(createReadStream(copy, { highWaterMark: READ_BYTES }), keyring)) {
        bytes += chunk.length;
        yield chunk;
      }
    };
    await place.write(name, counted());
    const removed = options.keep === undefined ? 0 : await removeOldest(place, own, options.keep);
    return {
      file: `${place.address.replace(/\/+$/, '')}/${name}`,
      bytes,
      rows,
      namespaces,
      sealed: true,
      removed,
    };
  } finally {
    discard();
    forgetUndo();
  }
}

/** The backups of one database, newest first. */
export async function backupsOf(place: BackupPlace, identity: string): Promise<KeptBackup[]> {
  const own = identity.slice(0, IDENTITY_CHARS);
  return newestFirst((await place.list()).filter(({ database }) => database === own));
}

export function newestFirst(backups: readonly KeptBackup[]): KeptBackup[] {
  return [...backups].sort((a, b) => b.atMs - a.atMs);
}

async function removeOldest(place: BackupPlace, own: string, keep: number): Promise<number> {
  const old = (await backupsOf(place, own)).slice(keep);
  for (const { name } of old) await place.delete(name);
  return old.length;
}
