import { AppError } from '../../errors.ts';
import type { NamespaceRecord, Store } from '../store.ts';
import { KEY_ID_BYTES, type Keyring } from './keyring.ts';
import {
  isEphemeral,
  isUnfinished,
  MEMORY_REALM,
  type Realm,
  recordBlob,
  recordKeyId,
  unwrapRecord,
} from './namespace-record.ts';

/**
 * The canary is the record of a realm's system namespace. The key that wraps it is the one the database is at: every
 * process wraps with that key, whichever one is configured as its current key. A key rotation first moves the canary to
 * the new key, and the canary lists the earlier keys until nothing depends on them.
 */
export interface Canary {
  state: CanaryState;
  /** The key the database is at; absent in an empty or unfinished database. */
  keyId?: string;
  /** Earlier keys that may still wrap data keys, as far as the configured keys can read it. */
  needed: readonly string[];
}

/** Whether the keyring fits the database. `rotation_unfinished`: it opens the canary, but an earlier key is missing. */
export type CanaryState =
  | 'empty'
  | 'fits'
  | 'rotation_unfinished'
  | 'wrong_key'
  | 'damaged'
  | 'ephemeral_orphan'
  | 'unfinished';

/** Compares the keyring with the canary, without opening memory. */
export async function checkCanary(
  store: Pick<Store, 'getNamespace'>,
  keyring: Keyring,
  realm: Realm = MEMORY_REALM,
): Promise<Canary> {
  return canaryOf(await store.getNamespace(realm.system), keyring);
}

export function canaryOf(record: NamespaceRecord | undefined, keyring: Keyring): Canary {
  if (!record) return { state: 'empty', needed: [] };
  if (isUnfinished(record)) return { state: 'unfinished', needed: [] };
  const keyId = recordKeyId(record).toString('hex');
  const opened = unwrapRecord(keyring, record);
  if (opened) {
    const needed = splitIds(opened.name);
    const isComplete = needed.every((id) => keyring.has(Buffer.from(id, 'hex')));
    return { state: isComplete ? 'fits' : 'rotation_unfinished', keyId, needed };
  }
  // A record that names a key of the ring is damaged, not an orphan: sweeping would destroy rows a backup can still save.
  const isKnown = keyring.has(recordKeyId(record));
  const state = isKnown ? 'damaged' : isEphemeral(record) ? 'ephemeral_orphan' : 'wrong_key';
  return { state, keyId, needed: [] };
}

/** The canary under another key of the ring, or with another list of earlier keys. */
export function canaryBlob(
  realm: Realm,
  keyring: Keyring,
  dataKey: Uint8Array,
  content: { keyId: string; needed: readonly string[] },
): Buffer {
  const name = Buffer.from(content.needed.join(''), 'hex');
  return recordBlob(realm, keyring, realm.system, { dataKey, name }, Buffer.from(content.keyId, 'hex'));
}

function splitIds(name: Buffer | undefined): string[] {
  const hex = name?.toString('hex') ?? '';
  return hex.match(new RegExp(`.{${KEY_ID_BYTES * 2}}`, 'g')) ?? [];
}

/** Throws the reason why memory cannot be used with this keyring. */
export function assertKeyFits({ state, keyId, needed }: Canary, keyring: Keyring): void {
  if (state === 'wrong_key' || state === 'ephemeral_orphan') {
    throw new AppError(
      'memory_unavailable',
      keyring.ephemeral
        ? `This database was written under a pinned key (id ${keyId}), and no key is configured.`
        : `This database was written under another key (id ${keyId}; yours is ${keyring.currentId.toString('hex')}).`,
      {
        reason: 'wrong_key',
        hint: 'Set HELMDECK_MEMORY_KEY to the key the database was written with. Nothing was changed.',
      },
    );
  }
  if (state === 'rotation_unfinished') {
    const missing = needed.filter((id) => !keyring.has(Buffer.from(id, 'hex')));
    throw new AppError(
      'memory_unavailable',
      `A key rotation is not finished: some data still needs an earlier key (id ${missing.join(', ')}), which is not set.`,
      {
        reason: 'rotation_unfinished',
        hint: 'Add that key to HELMDECK_MEMORY_KEY_PREVIOUS until the rotation is finished. Nothing was changed.',
      },
    );
  }
  if (state === 'unfinished') {
    throw new AppError(
      'memory_unavailable',
      'This database is being filled by a migration that has not ended.',
      {
        reason: 'migration_unfinished',
        hint: 'Run "helmdeck migrate" again with the same addresses: it resumes where it stopped.',
      },
    );
  }
  if (state === 'damaged') {
    throw new AppError('memory_unavailable', 'The record that proves the key is damaged.', {
      reason: 'canary_damaged',
      hint: 'Restore a backup with "helmdeck restore". Nothing was changed.',
    });
  }
}
