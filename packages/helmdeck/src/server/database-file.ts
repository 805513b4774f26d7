import { existsSync } from 'node:fs';
import { AppError } from '../errors.ts';
import { type CanaryState, canaryOf } from '../memory/crypto/canary.ts';
import { databaseIdentity } from '../memory/crypto/directory.ts';
import type { Keyring } from '../memory/crypto/keyring.ts';
import { SYSTEM_NS, VAULT_REALM } from '../memory/crypto/namespace-record.ts';
import type { NamespaceRecord } from '../memory/store.ts';
import type { SqliteDriver } from '../stores/sqlite/driver.ts';
import { openSqlite } from '../stores/sqlite/driver.ts';
import { assertSchema, hasTables } from '../stores/sqlite/schema.ts';
import { counted } from '../surfaces/cli/terminal/duration.ts';
import type { Config } from './config/config.ts';
import { isFile } from './config/config-values.ts';

// Inspects a database file without opening its store: what it contains, whether it is damaged, which key opens it.

/** What can be read from a database without a key. */
export interface DatabaseSummary {
  rows: number;
  namespaces: number;
  newestMs: number | undefined;
  canary: NamespaceRecord | undefined;
  /** Identifies the database, also after a key rotation; undefined while it is empty. */
  identity: string | undefined;
  /** The canary of the vault; undefined until the first write to the vault. */
  vaultCanary: NamespaceRecord | undefined;
}

/** The path of the database file, for commands that work on files only; throws if HELMDECK_DB is not a file. */
export function databaseFilePath(config: Pick<Config, 'db'>, command: 'backup' | 'restore'): string {
  if (!isFile(config.db)) {
    throw new AppError(
      'invalid_input',
      `"helmdeck ${command}" works on database files only, and HELMDECK_DB is not a file.`,
      {
        reason: 'not_a_file',
        hint: /^postgres/.test(config.db)
          ? 'Use pg_dump, or copy the database into a file with "helmdeck migrate"; back up the secrets file separately.'
          : "Use the database server's own tools.",
      },
    );
  }
  return config.db;
}

/** Reads everything that needs no key; throws if the file is not a Helmdeck database. */
export function readSummary(db: SqliteDriver): DatabaseSummary {
  if (!hasTables(db))
    return {
      rows: 0,
      namespaces: 0,
      newestMs: undefined,
      canary: undefined,
      identity: undefined,
      vaultCanary: undefined,
    };
  assertSchema(db);
  const count = (table: string) => db.get<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)!.count;
  const record = (ns: Buffer) =>
    db.get<NamespaceRecord>('SELECT ns, generation, blob FROM namespaces WHERE ns = ?', ns);
  return {
    rows: count('rows'),
    namespaces: count('namespaces'),
    newestMs:
      db.get<{ newest: number | null }>('SELECT max(updated) AS newest FROM rows')?.newest ?? undefined,
    canary: record(SYSTEM_NS),
    identity: identityOf(db),
    vaultCanary: record(VAULT_REALM.system),
  };
}

function identityOf(db: SqliteDriver): string | undefined {
  const sql = "SELECT body FROM rows JOIN namespaces ON no = nsno WHERE ns = ? AND kind = 'directory'";
  const row = db.get<{ body: Uint8Array }>(sql, SYSTEM_NS);
  return row && databaseIdentity(row.body).toString('hex');
}

/** Runs SQLite's integrity_check, which also compares indexes with their tables; undefined if the file is intact. */
export function findCorruption(db: SqliteDriver): string | undefined {
  const sql = 'PRAGMA integrity_check(3)';
  const found = db.all<{ integrity_check: string }>(sql).map((row) => row.integrity_check);
  return found.length === 1 && found[0] === 'ok'
    ? undefined
    : `${counted(found.length, 'problem')}, the first: ${found[0]}`;
}

/** Opens a database file read-only and without the process lock, so it works while a server uses the file. */
export function readDatabaseFile<T>(path: string, read: (db: SqliteDriver) => T): T {
  const db = openSqlite(path, { readOnly: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

/** Whether the keyring opens a database, judged by its canary. */
export function keyState({ canary }: Pick<DatabaseSummary, 'canary'>, keyring: Keyring): CanaryState {
  return canaryOf(canary, keyring).state;
}

/** Whether the configured database file exists and was written with a key that is not in the keyring. */
export function isUnderAnotherKey(config: Config, keyring: Keyring): boolean {
  if (!isFile(config.db) || !existsSync(config.db)) return false;
  return keyState(readDatabaseFile(config.db, readSummary), keyring) === 'wrong_key';
}
