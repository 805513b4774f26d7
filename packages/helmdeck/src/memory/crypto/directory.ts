import { createHash, createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';
import { type Caller, callerOf, namespaceOf } from '../namespace.ts';
import { type NamespaceRecord, type Store, StoreConflict } from '../store.ts';
import type { Keyring } from './keyring.ts';
import {
  DATA_KEY_BYTES,
  everyNamespace,
  holdsRuns,
  isEphemeral,
  isSystem,
  isUnfinished,
  MEMORY_REALM,
  type Realm,
  recordBlob,
  recordKeyId,
  unwrapRecord,
} from './namespace-record.ts';
import { type NamespaceKeys, namespaceKeys, open, rowId, seal } from './sealed.ts';

const MAX_OPEN_NAMESPACES = 20_000;
/** On a shared store another process may have erased a namespace and created it again. */
const SHARED_MAX_AGE_MS = 1_000;
const RUNS_PREFIX = 'runs\n';

/** Progress of re-wrapping data keys under a new master key. */
export interface Rotation {
  total: number;
  done: number;
  unreadable: number;
  finished: boolean;
}

/**
 * Maps callers to the keys of their namespaces; the only module that creates, re-wraps and drops data keys. A caller has
 * two namespaces: the main one, and one for run records, so that a run moves neither the position nor the index of facts.
 */
export interface Directory {
  readonly keyId: string;
  readonly ephemeral: boolean;
  /** Rows sealed under the lost ephemeral key of an earlier process, deleted on start. */
  readonly orphansSwept: number;
  readonly system: NamespaceKeys;
  /** The keys of a caller's main namespace, or `undefined` if the caller never stored anything. */
  find(caller: Caller): Promise<NamespaceKeys | undefined>;
  /** The same; creates the namespace on first use. */
  findOrCreate(caller: Caller): Promise<NamespaceKeys>;
  /** The id of a caller's main namespace, whether it exists or not. */
  idOf(caller: Caller): Buffer;
  readonly runs: RunsDirectory;
  /** Drops the cached keys, so that the next lookup reads the store. */
  forgetKeys(ns: Uint8Array): void;
  /** The caller of either of its namespaces; `undefined` if the record holds no name. */
  callerOf(ns: Uint8Array): Promise<Caller | undefined>;
  /** The keys of a namespace found in a scan. */
  findById(ns: Uint8Array): Promise<NamespaceKeys | undefined>;
  /** Re-wraps every data key that an older master key wrapped; can be interrupted and run again. */
  rotate(): Promise<Rotation>;
  readonly rotation: Rotation;
}

/** The namespaces that hold callers' run records. */
export interface RunsDirectory {
  find(caller: Caller): Promise<NamespaceKeys | undefined>;
  /** Creates the namespace on first use, and the caller's main one with it: a caller with runs always has both. */
  findOrCreate(caller: Caller): Promise<NamespaceKeys>;
  /** The id of the runs namespace that belongs to a main namespace, whether it exists or not. */
  idOf(ns: Uint8Array): Buffer;
}

/** Whether the keyring fits the database, as the canary shows without opening memory. */
export type CanaryState = 'empty' | 'fits' | 'wrong_key' | 'damaged' | 'ephemeral_orphan' | 'unfinished';

export async function checkCanary(
  store: Pick<Store, 'getNamespace'>,
  keyring: Keyring,
  realm: Realm = MEMORY_REALM,
): Promise<{ state: CanaryState; keyId?: string }> {
  const record = await store.getNamespace(realm.system);
  if (!record) return { state: 'empty' };
  if (isUnfinished(record)) return { state: 'unfinished' };
  const keyId = recordKeyId(record).toString('hex');
  if (unwrapRecord(keyring, record)) return { state: 'fits', keyId };
  // A record that names a key of the ring is damaged, not an orphan: sweeping would destroy rows a backup can still save.
  if (keyring.has(recordKeyId(record))) return { state: 'damaged', keyId };
  return { state: isEphemeral(record) ? 'ephemeral_orphan' : 'wrong_key', keyId };
}

/** Opens the directory of a store. With a wrong key it throws `memory_unavailable` and changes nothing. */
export async function openDirectory(
  store: Store,
  keyring: Keyring,
  now: () => number,
  realm: Realm = MEMORY_REALM,
): Promise<Directory> {
  const canary = await checkCanary(store, keyring, realm);
  if (canary.state === 'wrong_key') {
    throw new AppError(
      'memory_unavailable',
      keyring.ephemeral
        ? `This database was written under a pinned key (id ${canary.keyId}), and no key is configured.`
        : `This database was written under another key (id ${canary.keyId}; yours is ${keyring.currentId.toString('hex')}).`,
      {
        reason: 'wrong_key',
        hint: 'Set HELMDECK_MEMORY_KEY to the key the database was written with. Nothing was changed.',
      },
    );
  }
  if (canary.state === 'unfinished') {
    throw new AppError(
      'memory_unavailable',
      'This database is being filled by a migration that has not ended.',
      {
        reason: 'migration_unfinished',
        hint: 'Run "helmdeck migrate" again with the same addresses: it resumes where it stopped.',
      },
    );
  }
  if (canary.state === 'damaged') {
    throw new AppError('memory_unavailable', 'The record that proves the key is damaged.', {
      reason: 'canary_damaged',
      hint: 'Restore a backup with "helmdeck restore". Nothing was changed.',
    });
  }
  const orphansSwept = canary.state === 'ephemeral_orphan' ? await dropEverything(store) : 0;
  const systemRecord = await store.createNamespace(
    realm.system,
    recordBlob(realm, keyring, realm.system, { dataKey: randomBytes(DATA_KEY_BYTES) }),
  );
  const systemKey = unwrapRecord(keyring, systemRecord);
  if (!systemKey)
    throw new AppError('memory_unavailable', 'Another process opened this database with another key.');
  const system = namespaceKeys(realm.system, systemRecord.generation, systemKey.dataKey);
  const directoryKey = createSecretKey(await loadDirectoryKey(store, system, now()));
  return createDirectory({ store, keyring, realm, system, directoryKey, orphansSwept });
}

interface Parts {
  store: Store;
  keyring: Keyring;
  realm: Realm;
  system: NamespaceKeys;
  directoryKey: KeyObject;
  orphansSwept: number;
}

interface CachedKeys {
  keys: NamespaceKeys;
  caller: Caller | undefined;
  atMs: number;
}

function createDirectory({ store, keyring, realm, system, directoryKey, orphansSwept }: Parts): Directory {
  const cache = new BoundedMap<string, CachedKeys>(MAX_OPEN_NAMESPACES);
  const maxAgeMs = store.sharing ? SHARED_MAX_AGE_MS : Number.POSITIVE_INFINITY;
  const rotation: Rotation = { total: 0, done: 0, unreadable: 0, finished: false };

  // A token's caller is the same object on every request, and an HMAC each time would be a tenth of a read.
  const ids = new WeakMap<Caller, Buffer>();
  const runsIds = new WeakMap<Caller, Buffer>();

  const hmac = (...parts: (string | Uint8Array)[]) => {
    const digest = createHmac('sha256', directoryKey);
    for (const part of parts) digest.update(part);
    return digest.digest().subarray(0, 16);
  };

  function idOf(caller: Caller): Buffer {
    const known = ids.get(caller);
    if (known) return known;
    const ns = hmac(namespaceOf(caller));
    ids.set(caller, ns);
    return ns;
  }

  // From the id of the main namespace, so that listeners and scans, which know no caller, can compute it. No encoded
  // caller begins with this prefix.
  const runsIdOf = (ns: Uint8Array) => hmac(RUNS_PREFIX, ns);

  function runsIdOfCaller(caller: Caller): Buffer {
    const known = runsIds.get(caller);
    if (known) return known;
    const ns = runsIdOf(idOf(caller));
    runsIds.set(caller, ns);
    return ns;
  }

  function cacheKeys(record: NamespaceRecord): NamespaceKeys {
    const opened = unwrapRecord(keyring, record);
    if (!opened) {
      throw new AppError(
        'memory_unavailable',
        'The key of this namespace cannot be opened with the configured keys.',
        {
          reason: 'wrong_key',
        },
      );
    }
    const keys = namespaceKeys(record.ns, record.generation, opened.dataKey);
    const caller = opened.name && callerOf(opened.name);
    cache.set(namespaceMapKey(record.ns), { keys, caller, atMs: performance.now() });
    return keys;
  }

  async function findById(ns: Uint8Array): Promise<NamespaceKeys | undefined> {
    const cached = cache.get(namespaceMapKey(ns));
    if (cached && performance.now() - cached.atMs < maxAgeMs) return cached.keys;
    const record = await store.getNamespace(ns);
    if (cached && cached.keys.generation === record?.generation) {
      cached.atMs = performance.now();
      return cached.keys;
    }
    cache.delete(namespaceMapKey(ns));
    return record && cacheKeys(record);
  }

  async function createIfAbsent(ns: Buffer, caller: Caller, forRuns: boolean): Promise<NamespaceKeys> {
    const existing = await findById(ns);
    if (existing) return existing;
    const content = { dataKey: randomBytes(DATA_KEY_BYTES), name: namespaceOf(caller), forRuns };
    return cacheKeys(await store.createNamespace(ns, recordBlob(realm, keyring, ns, content)));
  }

  return {
    keyId: keyring.currentId.toString('hex'),
    ephemeral: keyring.ephemeral,
    orphansSwept,
    system,
    rotation,
    findById,
    idOf,
    find: (caller) => findById(idOf(caller)),
    findOrCreate: (caller) => createIfAbsent(idOf(caller), caller, false),
    runs: {
      idOf: runsIdOf,
      find: (caller) => findById(runsIdOfCaller(caller)),
      async findOrCreate(caller) {
        await createIfAbsent(idOf(caller), caller, false);
        return createIfAbsent(runsIdOfCaller(caller), caller, true);
      },
    },
    forgetKeys: (ns) => void cache.delete(namespaceMapKey(ns)),
    async callerOf(ns) {
      await findById(ns);
      return cache.get(namespaceMapKey(ns))?.caller;
    },
    async rotate() {
      const stale: NamespaceRecord[] = [];
      Object.assign(rotation, { total: 0, done: 0, unreadable: 0, finished: false });
      for await (const record of everyNamespace(store, realm)) {
        if (!isCurrent(keyring, record)) stale.push(record);
      }
      rotation.total = stale.length;
      // The canary goes last: until it is re-wrapped, a start without the old key is refused instead of losing namespaces.
      stale.sort((a, b) => Number(isSystem(a, realm)) - Number(isSystem(b, realm)));
      for (const record of stale) {
        if (isSystem(record, realm) && rotation.unreadable > 0) break;
        if (await rewrap(store, keyring, realm, record)) rotation.done++;
        else rotation.unreadable++;
      }
      rotation.finished = true;
      return rotation;
    },
  };
}

async function rewrap(
  store: Store,
  keyring: Keyring,
  realm: Realm,
  record: NamespaceRecord,
): Promise<boolean> {
  const opened = unwrapRecord(keyring, record);
  if (!opened) return false;
  const content = { ...opened, forRuns: holdsRuns(record) };
  const blob = recordBlob(realm, keyring, Buffer.from(record.ns), content);
  if (await store.replaceNamespace(record, record.blob, blob)) return true;
  // Another process re-wrapped or dropped it first; both are fine.
  const now = await store.getNamespace(record.ns);
  return now === undefined || isCurrent(keyring, now);
}

function isCurrent(keyring: Keyring, record: NamespaceRecord): boolean {
  return recordKeyId(record).equals(keyring.currentId);
}

async function dropEverything(store: Store): Promise<number> {
  let rows = 0;
  const all: NamespaceRecord[] = [];
  for await (const record of everyNamespace(store)) all.push(record);
  // The canary goes last, so that the next start resumes an interrupted sweep.
  all.sort((a, b) => Number(isSystem(a)) - Number(isSystem(b)));
  for (const record of all) rows += await store.dropNamespace(record.ns);
  return rows;
}

/** Identifies a database without a key: the row of its directory key is written once and never changed. */
export function databaseIdentity(directoryRowBody: Uint8Array): Buffer {
  return createHash('sha256').update('helmdeck/1/database\n').update(directoryRowBody).digest();
}

async function loadDirectoryKey(store: Store, system: NamespaceKeys, nowMs: number): Promise<Buffer> {
  const id = rowId(system, 'directory', 'key');
  for (;;) {
    const row = await store.get(system.ns, id);
    if (row) {
      const entry = open(system, row);
      if (!entry)
        throw new AppError('memory_unavailable', 'The directory key is damaged.', {
          reason: 'directory_damaged',
        });
      return Buffer.from(entry.value, 'hex');
    }
    const head = {
      id,
      kind: 'directory',
      group: null,
      rev: 1,
      createdMs: nowMs,
      updatedMs: nowMs,
      expiresMs: null,
    } as const;
    const content = { key: 'key', value: randomBytes(DATA_KEY_BYTES).toString('hex') };
    try {
      await store.apply(system, [{ type: 'put', row: seal(system, head, content), ifRev: 0 }]);
    } catch (thrown) {
      if (!(thrown instanceof StoreConflict)) throw thrown; // another node created it first: read that one
    }
  }
}
