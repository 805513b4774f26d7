import { randomBytes } from 'node:crypto';
import type { NamespaceRecord, Store } from '../store.ts';
import { type Keyring, wrappedKeyId } from './keyring.ts';
import { type NamespaceKeys, namespaceKeys } from './sealed.ts';

/**
 * Reads and writes the record of a namespace: a plaintext flag, then the wrapped data key and the name of its caller.
 *
 * A realm is the set of namespaces under one keyring. Memory and the vault share a store and nothing else: each has a
 * canary, a directory key and data keys of its own, and walks over its own records only.
 */
export interface Realm {
  /** The namespace for rows that have no caller. Its id is fixed: its record is the canary. */
  readonly system: Buffer;
  owns(flag: number | undefined): boolean;
  flag(keyring: Keyring): number;
}

const PINNED = 0;
const EPHEMERAL = 1;
const VAULT = 2;
const UNFINISHED = 3;
/** Memory's second namespace of a caller, for run records. */
const RUNS = 4;
/** No namespace yet: a process is about to create it. */
const RESERVED = 5;

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
const RESERVATION_BYTES = 16;

/** All namespace records of a store, in every realm. */
export async function* everyRecord(store: Store): AsyncGenerator<NamespaceRecord> {
  let after: Uint8Array | undefined;
  for (;;) {
    const page = await store.listNamespaces(PAGE_RECORDS, after);
    yield* page;
    if (page.length < PAGE_RECORDS) return;
    after = page.at(-1)!.ns;
  }
}

/** All namespace records of a realm, including its system namespace. */
export async function* everyNamespace(store: Store, realm = MEMORY_REALM): AsyncGenerator<NamespaceRecord> {
  for await (const record of everyRecord(store)) if (belongsTo(realm, record)) yield record;
}

/** Whether it is the record of a namespace in this realm; a reservation is none. */
export function belongsTo(realm: Realm, record: NamespaceRecord): boolean {
  return realm.owns(record.blob[0]) && !isReserved(record);
}

/** The keys of a namespace; `undefined` when no key of the ring opens its record. */
export function recordKeys(keyring: Keyring, record: NamespaceRecord): NamespaceKeys | undefined {
  const opened = unwrapRecord(keyring, record);
  return opened && namespaceKeys(record.ns, record.generation, opened.dataKey);
}

export function isSystem(record: { ns: Uint8Array }, realm = MEMORY_REALM): boolean {
  return realm.system.equals(record.ns);
}

/** Whether the namespace holds run records. */
export function holdsRuns(record: NamespaceRecord): boolean {
  return record.blob[0] === RUNS;
}

/** Whether its master key existed only in the process that created it. */
export function isEphemeral(record: NamespaceRecord): boolean {
  return record.blob[0] === EPHEMERAL;
}

/** Replaces the canary while a migration fills the database, so that no server opens a partial copy. */
export function unfinishedBlob(identity: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([UNFINISHED]), identity]);
}

export function isUnfinished(record: NamespaceRecord): boolean {
  return record.blob[0] === UNFINISHED;
}

/**
 * Takes the place of a record while its namespace is created. The random part makes each reservation different, so that
 * a key rotation can invalidate one by replacing it.
 */
export function reservedBlob(): Buffer {
  return Buffer.concat([Buffer.from([RESERVED]), randomBytes(RESERVATION_BYTES)]);
}

export function isReserved(record: NamespaceRecord): boolean {
  return record.blob[0] === RESERVED;
}

/** The id of the master key that wrapped the record. */
export function recordKeyId(record: NamespaceRecord): Buffer {
  return wrappedKeyId(record.blob.subarray(1));
}

/** Whether the master key with this id wrapped the record. */
export function isWrappedUnder(keyId: Uint8Array, record: NamespaceRecord): boolean {
  // SQLite stores any type in any column
  return record.blob instanceof Uint8Array && recordKeyId(record).equals(keyId);
}

interface RecordContent {
  dataKey: Uint8Array;
  /** The encoded caller; in the system namespace the ids of keys, see `canary.ts`. */
  name?: Uint8Array;
  /** Marks the namespace as one for run records. */
  forRuns?: boolean;
}

/** A record is `flag | wrapped(data key | name)`, under the current key or another one of the ring. The flag is plaintext because it must be readable without the key. */
export function recordBlob(
  realm: Realm,
  keyring: Keyring,
  ns: Buffer,
  { dataKey, name = new Uint8Array(), forRuns = false }: RecordContent,
  keyId = keyring.currentId,
): Buffer {
  const flag = Buffer.from([forRuns ? RUNS : realm.flag(keyring)]);
  return Buffer.concat([flag, keyring.wrap(paddedName(dataKey, name), Buffer.concat([flag, ns]), keyId)]);
}

/** The data key and the name in a record; `undefined` when no key of the ring opens it. */
export function unwrapRecord(
  keyring: Keyring,
  record: NamespaceRecord,
): { dataKey: Buffer; name: Buffer | undefined } | undefined {
  if (!(record.blob instanceof Uint8Array)) return undefined; // SQLite stores any type in any column
  const context = Buffer.concat([record.blob.subarray(0, 1), record.ns]);
  const plain = keyring.unwrap(record.blob.subarray(1), context);
  if (!plain) return undefined;
  const nameLength = plain.readUInt16BE(DATA_KEY_BYTES);
  const name = plain.subarray(DATA_KEY_BYTES + 2, DATA_KEY_BYTES + 2 + nameLength);
  return { dataKey: plain.subarray(0, DATA_KEY_BYTES), name: nameLength > 0 ? name : undefined };
}

/** Pads names to a multiple of 64 bytes, so that the length does not reveal the caller. */
function paddedName(dataKey: Uint8Array, name: Uint8Array): Buffer {
  const plain = Buffer.alloc(DATA_KEY_BYTES + 2 + Math.ceil(Math.max(name.length, 1) / 64) * 64);
  plain.set(dataKey);
  plain.writeUInt16BE(name.length, DATA_KEY_BYTES);
  plain.set(name, DATA_KEY_BYTES + 2);
  return plain;
}
