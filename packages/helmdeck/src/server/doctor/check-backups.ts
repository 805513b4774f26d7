import { existsSync } from 'node:fs';
import { toAppError } from '../../errors.ts';
import type { Check } from '../../surfaces/cli/deps.ts';
import { byteSize, relativeTime } from '../../surfaces/cli/terminal/duration.ts';
import { openBackupTarget } from '../backup/backup-target.ts';
import { backupsOf, newestFirst } from '../backup/upload-backup.ts';
import type { Config } from '../config/config.ts';
import { readDatabaseFile, readSummary } from '../database-file.ts';
import { fail, ok, warn } from './check-result.ts';

const NAME = 'Backups';

/** Checks that the target of scheduled backups is reachable and holds a recent backup of this database. */
export async function checkBackups(config: Config, nowMs: number): Promise<Check[]> {
  const { backup } = config;
  if (!backup) return [];
  if (config.memoryKey === undefined)
    return [fail(NAME, 'No memory key is set, so backups could never be opened.', 'Run "helmdeck init".')];
  try {
    const target = await openBackupTarget(backup.url, config.s3Account);
    // The backups of a database that is gone cannot be told from those of others in the same place.
    const backups = existsSync(config.db)
      ? await backupsOf(target, readDatabaseFile(config.db, readSummary).identity ?? '')
      : newestFirst(await target.list());
    const [newest, ...others] = backups;
    if (!newest)
      return [
        warn(NAME, `There are none in ${target.address} yet.`, 'Start the server, or run "helmdeck backup".'),
      ];
    const message = `${others.length + 1} in ${target.address}, the newest made ${relativeTime(new Date(newest.atMs).toISOString(), nowMs)} (${byteSize(newest.bytes)}).`;
    if (nowMs - newest.atMs <= 2 * backup.everyMs) return [ok(NAME, message)];
    return [
      fail(NAME, `${message} That is too old.`, 'Search the log of the server for "THE BACKUP FAILED".'),
    ];
  } catch (thrown) {
    const { message, hint } = toAppError(thrown);
    return [fail(NAME, message, hint)];
  }
}
