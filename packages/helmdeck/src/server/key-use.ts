import { existsSync } from 'node:fs';
import { type Canary, canaryOf } from '../memory/crypto/canary.ts';
import type { Keyring } from '../memory/crypto/keyring.ts';
import {
  belongsTo,
  everyRecord,
  isSystem,
  isWrappedUnder,
  MEMORY_REALM,
  recordKeys,
} from '../memory/crypto/namespace-record.ts';
import type { NamespaceRecord } from '../memory/store.ts';
import { openStore } from '../stores/open.ts';
import { hasTables } from '../stores/sqlite/schema.ts';
import type { Config } from './config/config.ts';
import { isFile, isInMemory } from './config/config-values.ts';
import { readDatabaseFile } from './database-file.ts';

/** Which of the configured keys the namespaces of a database depend on. */
export interface KeyUse {
  canary: Canary;
  namespaces: number;
  /** Namespaces that are not under the key the database is at, and can be re-wrapped. */
  outdated: number;
  /** Namespaces that no configured key opens. */
  unreadable: number;
}

/** Reads every record of a database, also while servers use it; changes nothing. */
export async function readKeyUse(config: Pick<Config, 'db'>, keyring: Keyring): Promise<KeyUse> {
  const records = await readRecords(config);
  const canary = canaryOf(
    records.find((record) => isSystem(record)),
    keyring,
  );
  const use: KeyUse = { canary, namespaces: 0, outdated: 0, unreadable: 0 };
  const keyId = canary.keyId === undefined ? keyring.currentId : Buffer.from(canary.keyId, 'hex');
  for (const record of records) {
    if (!belongsTo(MEMORY_REALM, record) || isSystem(record)) continue;
    use.namespaces++;
    if (!recordKeys(keyring, record)) use.unreadable++;
    else if (!isWrappedUnder(keyId, record)) use.outdated++;
  }
  return use;
}

/** Whether the configured current key opens everything, so that no earlier one is needed. */
export function dependsOnCurrentKeyOnly(use: KeyUse, keyring: Keyring): boolean {
  const { canary, outdated, unreadable } = use;
  if (outdated > 0 || unreadable > 0) return false;
  if (canary.state === 'empty') return true;
  const isAtCurrent = canary.keyId === keyring.currentId.toString('hex');
  return canary.state === 'fits' && isAtCurrent && canary.needed.length === 0;
}

async function readRecords({ db }: Pick<Config, 'db'>): Promise<NamespaceRecord[]> {
  if (isInMemory(db) || (isFile(db) && !existsSync(db))) return [];
  if (isFile(db))
    return readDatabaseFile(db, (file) =>
      hasTables(file) ? file.all<NamespaceRecord>('SELECT ns, generation, blob FROM namespaces') : [],
    );
  const store = await openStore(db, { now: Date.now });
  try {
    const records: NamespaceRecord[] = [];
    for await (const record of everyRecord(store)) records.push(record);
    return records;
  } finally {
    await store.close();
  }
}
