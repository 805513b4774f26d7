import { existsSync } from 'node:fs';
import { AppError } from '../../errors.ts';
import { checkCanary, databaseIdentity } from '../../memory/crypto/directory.ts';
import type { Keyring } from '../../memory/crypto/keyring.ts';
import { SYSTEM_NS, VAULT_REALM } from '../../memory/crypto/namespace-record.ts';
import type { NamespaceRecord } from '../../memory/store.ts';
import type { SqliteDriver } from '../../stores/sqlite/driver.ts';
import { openSqlite } from '../../stores/sqlite/driver.ts';
import { assertSchema, hasTables } from '../../stores/sqlite/schema.ts';
import type { Config } from '../config/config.ts';
import { isFile } from '../config/config-values.ts';

/** What a database file says about itself without any key. */
export interface FileContents {
  rows: number;
  namespaces: number;
  newestMs: number | undefined;
  canary: NamespaceRecord | undefined;
  /** Tells one database from another, whatever its keys; absent while it is empty. */
  identity: string | undefined;
  /** The vault's; absent while nobody has written to it. */
  vaultCanary: NamespaceRecord | undefined;
}

/** The path of the database file; refuses where there is none. */
export function requireFile(config: Pick<Config, 'db'>, what: string): string {
  if (!isFile(config.db)) {
    throw new AppError('invalid_input', `${what} works on database files, and HELMDECK_DB is not one.`, {
      reason: 'not_a_file',
      hint: /^postgres/.test(config.db)
        ? 'Use pg_dump, or copy it into a file with "helmdeck migrate"; keep the secrets file apart from both.'
        : "Use the database server's own tools.",
    });
  }
  return config.db;
}

/** Reads what needs no key; refuses a file that is not a Helmdeck database. */
export function readContents(db: SqliteDriver): FileContents {
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

/** SQLite's own check of a file; `undefined` when it is whole. */
export function damageOf(db: SqliteDriver): string | undefined {
  const found = db.all<{ quick_check: string }>('PRAGMA quick_check(3)').map((row) => row.quick_check);
  return found.length === 1 && found[0] === 'ok'
    ? undefined
    : `${found.length} problems, such as: ${found[0]}`;
}

/** Looks into a file without the lock, so also while a server uses it. */
export function lookInto<T>(path: string, look: (db: SqliteDriver) => T): T {
  const db = openSqlite(path, { readOnly: true });
  try {
    return look(db);
  } finally {
    db.close();
  }
}

/** What the keyring makes of a file's canary. */
export async function canaryState(contents: Pick<FileContents, 'canary'>, keyring: Keyring) {
  return (await checkCanary({ getNamespace: async () => contents.canary }, keyring)).state;
}

/** Whether a database is there that was written under a key of somebody's, so that a new key would not open it. */
export async function needsItsKey(config: Config, keyring: Keyring): Promise<boolean> {
  if (!isFile(config.db) || !existsSync(config.db)) return false;
  return (await canaryState(lookInto(config.db, readContents), keyring)) === 'wrong_key';
}
