import { createHash, createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';
import { type Caller, callerOf, namespaceOf } from '../namespace.ts';
import { unknownSpace } from '../spaces/space.ts';
import { type NamespaceRecord, type Store, StoreConflict } from '../store.ts';
import { checkCanary } from './canary.ts';
import { createKeyRotation, type KeyRotation, type Rotation, type RotationParts } from './key-rotation.ts';
import type { Keyring } from './keyring.ts';
import {
  DATA_KEY_BYTES,
  everyNamespace,
  isReserved,
  isSystem,
  MEMORY_REALM,
  type Realm,
  recordBlob,
  reservedBlob,
  unwrapRecord,
} from './namespace-record.ts';
import { type NamespaceKeys, namespaceKeys, open, rowId, seal } from './sealed.ts';

const MAX_OPEN_NAMESPACES = 20_000;
/** On a shared store another process may have erased a namespace and created it again. */
const SHARED_MAX_AGE_MS = 1_000;
const RUNS_PREFIX = 'runs\n';

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
  /** The same; creates the namespace on first use. Throws for a space that is gone: only `create` makes one. */
  findOrCreate(caller: Caller): Promise<NamespaceKeys>;
  /** Creates the namespace of a new space. */
  create(caller: Caller): Promise<NamespaceKeys>;
  /** The id of a caller's main namespace, whether it exists or not. */
  idOf(caller: Caller): Buffer;
  readonly runs: RunsDirectory;
  /** Drops the cached keys, so that the next lookup reads the store. */
  forgetKeys(ns: Uint8Array): void;
  /** The caller of either of its namespaces; `undefined` if the record holds no name. */
  callerOf(ns: Uint8Array): Promise<Caller | undefined>;
  /** The keys of a namespace found in a scan. */
  findById(ns: Uint8Array): Promise<NamespaceKeys | undefined>;
  /** Throws if the database is at a key that this process does not have: another process has rotated it. */
  assertKeyFits(): Promise<void>;
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

/** Opens the directory of a store. With a wrong key it throws `memory_unavailable` and changes nothing. */
export async function openDirectory(
  store: Store,
  keyring: Keyring,
  now: () => number,
  realm: Realm = MEMORY_REALM,
  options: Pick<RotationParts, 'keysMayBeLost'> = {},
): Promise<Directory> {
  const rotation = createKeyRotation({ store, keyring, realm, ...options });
  const canary = await checkCanary(store, keyring, realm);
  const isOrphan = canary.state === 'ephemeral_orphan';
  const orphansSwept = isOrphan ? await dropEverything(store) : 0;
  if (!isOrphan) await rotation.readKeyId();
  const systemRecord = await store.createNamespace(
    realm.system,
    recordBlob(realm, keyring, realm.system, { dataKey: randomBytes(DATA_KEY_BYTES) }),
  );
  const systemKey = unwrapRecord(keyring, systemRecord);
  if (!systemKey)
    throw new AppError('memory_unavailable', 'Another process opened this database with another key.');
  const system = namespaceKeys(realm.system, systemRecord.generation, systemKey.dataKey);
  const directoryKey = createSecretKey(await loadDirectoryKey(store, system, now()));
  return createDirectory({ store, keyring, realm, rotation, system, directoryKey, orphansSwept });
}

interface Parts extends Omit<RotationParts, 'keysMayBeLost'> {
  rotation: KeyRotation;
  system: NamespaceKeys;
  directoryKey: KeyObject;
  orphansSwept: number;
}

interface CachedKeys {
  keys: NamespaceKeys;
  caller: Caller | undefined;
  atMs: number;
}

function createDirectory(parts: Parts): Directory {
  const { store, keyring, realm, rotation, system, directoryKey, orphansSwept } = parts;
  const cache = new BoundedMap<string, CachedKeys>(MAX_OPEN_NAMESPACES);
  const maxAgeMs = store.sharing ? SHARED_MAX_AGE_MS : Number.POSITIVE_INFINITY;

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

  async function cacheKeys(record: NamespaceRecord): Promise<NamespaceKeys> {
    const opened = unwrapRecord(keyring, record);
    if (!opened) {
      await rotation.readKeyId(); // throws if this process lacks the key of the whole database
      throw new AppError(
        'memory_unavailable',
        'The key of this namespace cannot be opened with the configured keys.',
        {
          reason: 'wrong_key',
        },
      );
    }
    const keys = namespaceKeys(record.ns, record.generation, opened.dataKey);
    const caller = opened.name && !isSystem(record, realm) ? callerOf(opened.name) : undefined;
    cache.set(namespaceMapKey(record.ns), { keys, caller, atMs: performance.now() });
    return keys;
  }

  async function findById(ns: Uint8Array): Promise<NamespaceKeys | undefined> {
    const cached = cache.get(namespaceMapKey(ns));
    if (cached && performance.now() - cached.atMs < maxAgeMs) return cached.keys;
    const found = await store.getNamespace(ns);
    const record = found && !isReserved(found) ? found : undefined;
    if (record) await rotation.rewrapIfOutdated(record);
    if (cached && cached.keys.generation === record?.generation) {
      cached.atMs = performance.now();
      return cached.keys;
    }
    cache.delete(namespaceMapKey(ns));
    return record && cacheKeys(record);
  }

  /**
   * Reserves the namespace, reads which key the database is at, and then replaces the reservation by compare-and-set. A
   * key rotation moves the canary and then invalidates all reservations, so no namespace is created under the earlier
   * key once it has passed. Needs no transaction over two records, which a Redis cluster does not have.
   */
  async function createIfAbsent(ns: Buffer, caller: Caller, forRuns: boolean): Promise<NamespaceKeys> {
    const existing = await findById(ns);
    if (existing) return existing;
    const content = { dataKey: randomBytes(DATA_KEY_BYTES), name: namespaceOf(caller), forRuns };
    for (;;) {
      const record = await store.createNamespace(ns, reservedBlob());
      if (!isReserved(record)) return cacheKeys(record);
      const blob = recordBlob(realm, keyring, ns, content, await rotation.readKeyId());
      if (await store.replaceNamespace(record, record.blob, blob)) return cacheKeys({ ...record, blob });
    }
  }

  /** A write that was let in before a space was erased must not make its namespace again: nobody could erase that one. */
  async function existing(caller: Caller): Promise<NamespaceKeys> {
    if (caller.space === undefined) return createIfAbsent(idOf(caller), caller, false);
    const keys = await findById(idOf(caller));
    if (!keys) throw unknownSpace();
    return keys;
  }

  return {
    keyId: keyring.currentId.toString('hex'),
    ephemeral: keyring.ephemeral,
    orphansSwept,
    system,
    rotation: rotation.progress,
    rotate: rotation.run,
    async assertKeyFits() {
      await rotation.readKeyId();
    },
    findById,
    idOf,
    find: (caller) => findById(idOf(caller)),
    findOrCreate: existing,
    create: (caller) => createIfAbsent(idOf(caller), caller, false),
    runs: {
      idOf: runsIdOf,
      find: (caller) => findById(runsIdOfCaller(caller)),
      async findOrCreate(caller) {
        await existing(caller);
        return createIfAbsent(runsIdOfCaller(caller), caller, true);
      },
    },
    forgetKeys: (ns) => void cache.delete(namespaceMapKey(ns)),
    async callerOf(ns) {
      await findById(ns);
      return cache.get(namespaceMapKey(ns))?.caller;
    },
  };
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
