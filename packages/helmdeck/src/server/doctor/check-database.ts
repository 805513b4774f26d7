import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppError, toAppError } from '../../errors.ts';
import type { Keyring } from '../../memory/crypto/keyring.ts';
import { openStore } from '../../stores/open.ts';
import {
  assertDatabaseOfLog,
  countDroppedFrames,
  droppedFramesWarning,
} from '../../stores/sqlite/wal-recovery.ts';
import type { Check } from '../../surfaces/cli/deps.ts';
import { counted } from '../../surfaces/cli/terminal/duration.ts';
import type { Config } from '../config/config.ts';
import { isFile } from '../config/config-values.ts';
import {
  type DatabaseSummary,
  findCorruption,
  keyState,
  readDatabaseFile,
  readSummary,
} from '../database-file.ts';
import { assertNoEarlierDatabase, isDatabaseFileMissing } from '../earlier-database.ts';
import { keyringOf } from '../open-memory.ts';
import { checkPostgres, isPostgres } from './check-postgres.ts';
import { checkRedis, isRedis } from './check-redis.ts';
import { fail, ok, warn } from './check-result.ts';
import { checkRotation } from './check-rotation.ts';
import { checkVault } from './check-vault.ts';
import { surveyOrphanedRows } from './orphaned-rows.ts';

const NAME = 'Database';
const MAX_CLOCK_AHEAD_MS = 60_000;

/** The server that runs on the data folder, and whether it can use its database. */
export type ServerState = 'none' | 'memory on' | 'memory off';

/** Checks the database and its keys; of a file that no server uses, also its integrity and every row. */
export async function checkDatabase(config: Config, server: ServerState): Promise<Check[]> {
  const serverRuns = server !== 'none';
  if (!config.memoryOn) return [];
  if (isPostgres(config.db)) return checkDatabaseServer(config, await checkPostgres(NAME, config.db));
  if (isRedis(config.db)) return checkDatabaseServer(config, await checkRedis(NAME, config.db));
  if (!isFile(config.db)) return [ok(NAME, 'Not a file: its rows are not checked.')];
  try {
    if (!serverRuns) assertDatabaseOfLog(config.db);
    if (!serverRuns && isDatabaseFileMissing(config)) assertNoEarlierDatabase(config);
    if (!existsSync(config.db)) return missing(config.db, server);
    const droppedFrames = serverRuns ? 0 : countDroppedFrames(config.db);
    const { summary, damage } = readDatabaseFile(config.db, (db) => ({
      summary: readSummary(db),
      damage: serverRuns ? undefined : findCorruption(db),
    }));
    const checks = [
      ok(
        NAME,
        `${resolve(config.db)}: ${counted(summary.rows, 'row')} in ${counted(summary.namespaces, 'namespace')}.`,
      ),
    ];
    if (damage !== undefined)
      checks.push(
        fail('Integrity', `The file is damaged: ${damage}.`, 'Run "helmdeck restore" with a backup.'),
      );
    else if (!serverRuns) checks.push(ok('Integrity', 'The file is intact.'));
    if (droppedFrames > 0)
      checks.push(warn('Log', droppedFramesWarning(droppedFrames), 'Compare with a backup.'));
    return [
      ...checks,
      ...checkClock(summary),
      ...(await checkKeyAndRows(config, summary, serverRuns)),
      ...(await checkVault(config, summary)),
    ];
  } catch (thrown) {
    return [failed(NAME, thrown)];
  }
}

function missing(db: string, server: ServerState): Check[] {
  const path = resolve(db);
  if (server === 'memory off') return []; // the server has said why
  if (server === 'none') return [ok(NAME, `${path} does not exist yet; the first start creates it.`)];
  return [
    warn(
      NAME,
      `${path} does not exist, so the server uses another database, which is not checked.`,
      'Set HELMDECK_DB here as it is set for the server.',
    ),
  ];
}

/** Does not check rows: a database server may hold millions, and other nodes use it. */
async function checkDatabaseServer(
  config: Config,
  { checks, summary }: Awaited<ReturnType<typeof checkPostgres>>,
): Promise<Check[]> {
  if (!summary) return checks;
  const key = await checkKeyAndRows(config, summary, true);
  return [...checks, ...key, ...(await checkVault(config, summary))];
}

function checkClock({ newestMs }: DatabaseSummary): Check[] {
  const aheadMs = (newestMs ?? 0) - Date.now();
  if (aheadMs <= MAX_CLOCK_AHEAD_MS) return [];
  const minutes = Math.round(aheadMs / 60_000);
  return [
    warn(
      'Clock',
      `The newest row is ${counted(minutes, 'minute')} in the future.`,
      "Check this machine's clock.",
    ),
  ];
}

async function checkKeyAndRows(
  config: Config,
  summary: Pick<DatabaseSummary, 'canary'>,
  serverRuns: boolean,
): Promise<Check[]> {
  let keyring: Keyring;
  try {
    keyring = keyringOf(config);
  } catch {
    return []; // already reported by the check of the configuration
  }
  const key = checkKeyFits(summary, keyring);
  const rotation = summary.canary ? await checkRotation(config, keyring) : [];
  if (serverRuns) return [key, ...rotation];
  // Under a wrong key every row is unreadable.
  return [key, ...rotation, ...(await checkRows(config, keyring, key.status === 'ok'))];
}

function checkKeyFits(summary: Pick<DatabaseSummary, 'canary'>, keyring: Keyring): Check {
  const name = 'Key fits';
  const state = keyState(summary, keyring);
  if (state === 'fits') return ok(name, 'The configured key opens the database.');
  if (state === 'empty') return ok(name, 'Nothing is stored yet.');
  if (state === 'damaged')
    return fail(
      name,
      'The key is correct, but the key record of the database is damaged.',
      'Run "helmdeck restore" with a backup; without that record no data can be read.',
    );
  if (state === 'unfinished')
    return fail(
      name,
      'The database is the destination of a migration that has not finished.',
      'Run "helmdeck migrate" again with the same addresses: it continues where it stopped.',
    );
  if (state === 'rotation_unfinished')
    return fail(
      name,
      'A key rotation is not finished, and an earlier key that it needs is not set.',
      'Add that key to HELMDECK_MEMORY_KEY_PREVIOUS. If it is lost: "helmdeck doctor --purge-unreadable".',
    );
  if (state === 'ephemeral_orphan')
    return warn(
      name,
      'The rows were written under an ephemeral key that no longer exists; the next start deletes them.',
      'Run "helmdeck init" to create a permanent key.',
    );
  return fail(
    name,
    keyring.ephemeral
      ? 'The database was written under a key, and none is configured.'
      : 'The database was written under another key.',
    'Set HELMDECK_MEMORY_KEY to that key. If it is lost: "helmdeck doctor --purge-unreadable".',
  );
}

/** Decrypts every row. Opening the store takes its lock, so this also detects another process that uses the file. */
async function checkRows(config: Config, keyring: Keyring, keyFits: boolean): Promise<Check[]> {
  const name = 'Rows';
  try {
    const store = await openStore(config.db, { now: Date.now });
    try {
      if (!keyFits) return [];
      const { rows, namespaces, totalRows } = await surveyOrphanedRows(store, keyring, () => {});
      if (rows === 0 && namespaces === 0) return [ok(name, `All ${counted(totalRows, 'row')} can be read.`)];
      const message = `${rows} of ${counted(totalRows, 'row')} and ${counted(namespaces, 'namespace')} cannot be read.`;
      return [fail(name, message, 'Restore a backup, or run "helmdeck doctor --purge-unreadable".')];
    } finally {
      await store.close();
    }
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.reason !== 'second_process') return [failed(name, thrown)];
    return [
      fail(
        'Lock',
        'Another process has the database open, but no server responds for this data folder.',
        'Find it with "fuser" on the .lock file beside the database, then stop it or wait.',
      ),
    ];
  }
}

function failed(name: string, thrown: unknown): Check {
  const { message, hint } = toAppError(thrown);
  return fail(name, message, hint);
}
