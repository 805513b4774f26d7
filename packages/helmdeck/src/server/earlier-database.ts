import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { AppError } from '../errors.ts';
import { type Config, savedSecret } from './config/config.ts';
import { isFile } from './config/config-values.ts';
import { snapshotFolder } from './snapshot-files.ts';

// Notices that a database that was here is gone, so that a start does not begin a new, empty memory without a word.

const MARK_TEXT =
  'Helmdeck has used the database beside this file. If the database is missing, it does not begin a new one by itself.\n';
const markPath = (db: string) => `${db}.created`;

/** Whether the configured database is a file that does not exist or is empty. */
export function isDatabaseFileMissing({ db }: Pick<Config, 'db'>): boolean {
  return isFile(db) && (statSync(db, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/** For a database without content: throws if something of an earlier database is left. */
export function assertNoEarlierDatabase(config: Pick<Config, 'db' | 'dataDir'>): void {
  if (!isFile(config.db)) return;
  const traces = [
    ...(existsSync(markPath(config.db)) ? ['the file that ends with ".created"'] : []),
    ...(hasSnapshots(config) ? ['snapshots of search images'] : []),
    ...(savedSecret(config.dataDir, 'HELMDECK_TOKEN') === undefined ? [] : ['a token in the secrets file']),
  ];
  if (traces.length === 0) return;
  throw new AppError(
    'memory_unavailable',
    `The database is missing or empty, but an earlier one was used here: ${traces.join(', ')}.`,
    {
      reason: 'database_missing',
      hint: 'Check HELMDECK_DB and that its volume is mounted; put the file back or run "helmdeck restore". To begin a new, empty memory, run "helmdeck serve --new-memory" once.',
    },
  );
}

/** Leaves a mark beside the database, so that its loss is noticed. */
export function markDatabase({ db }: Pick<Config, 'db'>): void {
  if (isFile(db) && !existsSync(markPath(db))) writeFileSync(markPath(db), MARK_TEXT, { mode: 0o600 });
}

function hasSnapshots(config: Pick<Config, 'dataDir'>): boolean {
  try {
    return readdirSync(snapshotFolder(config)).some((name) => name.endsWith('.snapshot'));
  } catch {
    return false; // there is no such folder
  }
}
