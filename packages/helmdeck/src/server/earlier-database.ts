import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppError } from '../errors.ts';
import { type Config, savedSecret } from './config/config.ts';
import { isFile } from './config/config-values.ts';
import { snapshotFolder } from './snapshot-files.ts';

// Notices that a database that was here is gone, so that a start does not begin a new, empty memory without a word.

const MARK_TEXT =
  'Helmdeck has used the database beside this file. If the database is missing, it does not begin a new one by itself.\n';
const MARK_SUFFIX = '.created';
const markPath = (db: string) => db + MARK_SUFFIX;

/** Whether the configured database is a file that does not exist or is empty. */
export function isDatabaseFileMissing({ db }: Pick<Config, 'db'>): boolean {
  return isFile(db) && (statSync(db, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/** For a database without content: throws if something of an earlier database is left. */
export function assertNoEarlierDatabase(config: Pick<Config, 'db' | 'dataDir'>): void {
  // Its log is refused by the store, with a better explanation.
  if (!isFile(config.db) || (statSync(`${config.db}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  const traces = existsSync(markPath(config.db)) ? ['the file that ends with ".created"'] : [];
  // Snapshots and the token may belong to another database in this folder.
  if (!hasOtherDatabase(config)) {
    if (namesIn(snapshotFolder(config)).some((name) => name.endsWith('.snapshot')))
      traces.push('snapshots of search images');
    if (savedSecret(config.dataDir, 'HELMDECK_TOKEN') !== undefined)
      traces.push('a token in the secrets file');
  }
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

/** Whether the data folder holds a database that was used, other than the configured one. */
function hasOtherDatabase({ db, dataDir }: Pick<Config, 'db' | 'dataDir'>): boolean {
  const marked = namesIn(dataDir).filter((name) => name.endsWith(MARK_SUFFIX));
  const databases = marked.map((name) => join(dataDir, name.slice(0, -MARK_SUFFIX.length)));
  return databases.some((path) => resolve(path) !== resolve(db) && existsSync(path));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // there is no such folder
  }
}
