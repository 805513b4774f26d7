import type { NamespaceRecord, Store } from '../store.ts';
import { type Keyring, wrappedKeyId } from './keyring.ts';

/**
 * Whose keyring a namespace belongs to. Memory and the vault share a store and nothing else: each has a canary, a
 * directory key and data keys of its own, and walks over its own records only.
 */
export interface Realm {
  /** The namespace that holds what belongs to no caller. Its id is fixed: its record is the canary. */
  readonly system: Buffer;
  owns(flag: number | undefined): boolean;
  flag(keyring: Keyring): number;
}

const PINNED = 0;
const EPHEMERAL = 1;
const VAULT = 2;
const UNFINISHED = 3;

export const SYSTEM_NS = Buffer.alloc(16);

export const MEMORY_REALM: Realm = {
  system: SYSTEM_NS,
  owns: (flag) => flag !== VAULT,
  flag: (keyring) => (keyring.ephemeral ? EPHEMERAL : PINNED),
};

export const VAULT_REALM: Realm = {
  system: Buffer.alloc(16, 0xff),
  owns: (flag) => flag === VAULT,
  flag: () => VAULT,
};

export const DATA_KEY_BYTES = 32;
const PAGE_RECORDS = 500;

/** All namespace records of a store, whosever they are. */
export async function* everyRecord(store: Store): AsyncGenerator<NamespaceRecord> {
  let after: Uint8Array | undefined;
  for (;;) {
    const page = await store.listNamespaces(PAGE_RECORDS, after);
    yield* page;
    if (page.length < PAGE_RECORDS) return;
    after = page.at(-1)!.ns;
  }
}

/** All namespace records of a realm, its system's included. */
export async function* everyNamespace(store: Store, realm = MEMORY_REALM): AsyncGenerator<NamespaceRecord> {
  for await (const record of everyRecord(store)) if (realm.owns(record.blob[0])) yield record;
}

/** Whether the keyring still opens this namespace. */
export function opensNamespace(keyring: Keyring, record: NamespaceRecord): boolean {
  return unwrapRecord(keyring, record) !== undefined;
}

export function isSystem(record: { ns: Uint8Array }, realm = MEMORY_REALM): boolean {
  return realm.system.equals(record.ns);
}

/** Its key died with the process that made it. */
export function isEphemeral(record: NamespaceRecord): boolean {
  return record.blob[0] === EPHEMERAL;
}

/** Stands in the canary's place while a database is being filled from another one, so that nobody takes it for whole. */
export function unfinishedBlob(identity: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([UNFINISHED]), identity]);
}

export function isUnfinished(record: NamespaceRecord): boolean {
  return record.blob[0] === UNFINISHED;
}

/** Which master key wrapped the record. */
export function recordKeyId(record: NamespaceRecord): Buffer {
  return wrappedKeyId(record.blob.subarray(1));
}

/** A record is `flag | wrapped(data key | name)`. The flag is clear because it must be read without the key. */
export function recordBlob(
  realm: Realm,
  keyring: Keyring,
  ns: Buffer,
  dataKey: Uint8Array,
  name: Uint8Array = new Uint8Array(),
): Buffer {
  const flag = Buffer.from([realm.flag(keyring)]);
  return Buffer.concat([flag, keyring.wrap(paddedName(dataKey, name), Buffer.concat([flag, ns]))]);
}

/** The data key and the name in a record; `undefined` when no key of the ring opens it. */
export function unwrapRecord(
  keyring: Keyring,
  record: NamespaceRecord,
): { dataKey: Buffer; name: Buffer | undefined } | undefined {
  if (!(record.blob instanceof Uint8Array)) return undefined; // a database lets any type into any column
  const context = Buffer.concat([record.blob.subarray(0, 1), record.ns]);
  const plain = keyring.unwrap(record.blob.subarray(1), context);
  if (!plain) return undefined;
  const nameLength = plain.readUInt16BE(DATA_KEY_BYTES);
  const name = plain.subarray(DATA_KEY_BYTES + 2, DATA_KEY_BYTES + 2 + nameLength);
  return { dataKey: plain.subarray(0, DATA_KEY_BYTES), name: nameLength > 0 ? name : undefined };
}

/** Names are padded to 64 bytes, so that their length does not tell who it is. */
function paddedName(dataKey: Uint8Array, name: Uint8Array): Buffer {
  const plain = Buffer.alloc(DATA_KEY_BYTES + 2 + Math.ceil(Math.max(name.length, 1) / 64) * 64);
  plain.set(dataKey);
  plain.writeUInt16BE(name.length, DATA_KEY_BYTES);
  plain.set(name, DATA_KEY_BYTES + 2);
  return plain;
}
