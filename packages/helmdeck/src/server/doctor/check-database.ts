import { existsSync } from 'node:fs';
import { AppError, toAppError } from '../../errors.ts';
import type { Keyring } from '../../memory/crypto/keyring.ts';
import { openStore } from '../../stores/open.ts';
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
import { keyringOf } from '../open-memory.ts';
import { checkPostgres, isPostgres } from './check-postgres.ts';
import { checkRedis, isRedis } from './check-redis.ts';
import { fail, ok, warn } from './check-result.ts';
import { checkVault } from './check-vault.ts';
import { surveyOrphanedRows } from './orphaned-rows.ts';

const NAME = 'Database';
const MAX_FUTURE_MS = 60_000;

/** Looks into the database file; into every row when no server has it. */
export async function checkDatabase(config: Config, serverRuns: boolean): Promise<Check[]> {
  if (!config.memoryOn) return [];
  if (isPostgres(config.db)) return checkServer(config, await checkPostgres(NAME, config.db));
  if (isRedis(config.db)) return checkServer(config, await checkRedis(NAME, config.db));
  if (!isFile(config.db))
    return [ok(NAME, 'Not a file; the checks of its rows need a file or a running server.')];
  if (!existsSync(config.db)) return [ok(NAME, `${config.db} is not there yet; the first start makes it.`)];
  try {
    const { contents, damage } = readDatabaseFile(config.db, (db) => ({
      contents: readSummary(db),
      damage: serverRuns ? undefined : findCorruption(db),
    }));
    const checks = [
      ok(
        NAME,
        `${config.db}: ${counted(contents.rows, 'row')} in ${counted(contents.namespaces, 'namespace')}.`,
      ),
    ];
    if (damage !== undefined)
      checks.push(
        fail('Integrity', `The file is damaged: ${damage}.`, 'Run "helmdeck restore" with a backup.'),
      );
    else if (!serverRuns) checks.push(ok('Integrity', 'The file is whole.'));
    return [
      ...checks,
      ...checkClock(contents),
      ...(await checkKeyAndRows(config, contents, serverRuns)),
      ...(await checkVault(config, contents)),
    ];
  } catch (thrown) {
    return [failed(NAME, thrown)];
  }
}

/** Without its rows: a server may hold millions, and other nodes use it. */
async function checkServer(
  config: Config,
  { checks, contents }: Awaited<ReturnType<typeof checkPostgres>>,
): Promise<Check[]> {
  if (!contents) return checks;
  const key = await checkKeyAndRows(config, contents, true);
  return [...checks, ...key, ...(await checkVault(config, contents))];
}

function checkClock({ newestMs }: DatabaseSummary): Check[] {
  const aheadMs = (newestMs ?? 0) - Date.now();
  if (aheadMs <= MAX_FUTURE_MS) return [];
  const minutes = Math.round(aheadMs / 60_000);
  return [
    warn('Clock', `The newest row is ${minutes} minutes in the future.`, "Check this machine's clock."),
  ];
}

async function checkKeyAndRows(
  config: Config,
  contents: Pick<DatabaseSummary, 'canary'>,
  serverRuns: boolean,
): Promise<Check[]> {
  let keyring: Keyring;
  try {
    keyring = keyringOf(config);
  } catch {
    return []; // an invalid key was reported already
  }
  const key = await checkKeyFits(contents, keyring);
  if (serverRuns) return [key];
  return [key, ...(await checkRows(config, keyring, key.status === 'ok'))]; // rows say nothing under a wrong key
}

async function checkKeyFits(contents: Pick<DatabaseSummary, 'canary'>, keyring: Keyring): Promise<Check> {
  const name = 'Key fits';
  const state = await keyState(contents, keyring);
  if (state === 'fits') return ok(name, 'The configured key opens the database.');
  if (state === 'empty') return ok(name, 'Nothing is stored yet.');
  if (state === 'damaged')
    return fail(
      name,
      'The key is the right one, but the record that holds the keys of the database is damaged.',
      'Run "helmdeck restore" with a backup; nothing can be read without that record.',
    );
  if (state === 'unfinished')
    return fail(
      name,
      'The database is being filled by a migration that has not ended.',
      'Run "helmdeck migrate" again with the same addresses: it goes on where it stopped.',
    );
  if (state === 'ephemeral_orphan')
    return warn(
      name,
      'The rows were written under a key that died with its process; the next start sweeps them.',
      'Run "helmdeck init", so that it does not happen again.',
    );
  return fail(
    name,
    keyring.ephemeral
      ? 'The database was written under a key, and none is configured.'
      : 'The database was written under another key.',
    'Set HELMDECK_MEMORY_KEY to that key. If it is lost: "helmdeck doctor --purge-unreadable".',
  );
}

/** Takes the lock, so it also tells whether another process holds it. */
async function checkRows(config: Config, keyring: Keyring, keyFits: boolean): Promise<Check[]> {
  const name = 'Rows';
  try {
    const store = await openStore(config.db, { now: Date.now });
    try {
      if (!keyFits) return [];
      const { rows, namespaces, totalRows } = await surveyOrphanedRows(store, keyring, () => {});
      if (rows === 0 && namespaces === 0) return [ok(name, `All ${totalRows} can be read.`)];
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
        'Another process has the database open, but no server answers for this data folder.',
        'Find it with "fuser" on the .lock file beside the database, then stop it or wait.',
      ),
    ];
  }
}

function failed(name: string, thrown: unknown): Check {
  const { message, hint } = toAppError(thrown);
  return fail(name, message, hint);
}
