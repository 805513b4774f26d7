import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { AppError } from '../errors.ts';
import { KEY_ID_BYTES, type Keyring, wrappedKeyId } from './keyring.ts';
import { type Caller, callerOf, namespaceOf } from './namespace.ts';
import { type NamespaceKeys, namespaceKeys, open, rowId, seal } from './sealed.ts';
import { type NamespaceRecord, type Store, StoreConflict } from './store.ts';

/** The namespace that holds what belongs to no caller. Its id is fixed: its record is the canary. */
export const SYSTEM_NS = Buffer.alloc(16);

const PINNED = 0;
const EPHEMERAL = 1;
const DATA_KEY_BYTES = 32;
const MAX_OPEN_NAMESPACES = 10_000;

/** How far the re-wrapping of data keys under a new master key has come. */
export interface Rotation {
  total: number;
  done: number;
  unreadable: number;
  finished: boolean;
}

/** From callers to the keys of their namespaces: the only place that creates, re-wraps and drops data keys. */
export interface Directory {
  readonly keyId: string;
  readonly ephemeral: boolean;
  /** Rows of an earlier ephemeral key that were swept on start. */
  readonly orphansSwept: number;
  readonly system: NamespaceKeys;
  /** The keys of a caller's namespace, or nothing when the caller never stored anything. */
  find(caller: Caller): Promise<NamespaceKeys | undefined>;
  /** The same, made on first use. */
  findOrCreate(caller: Caller): Promise<NamespaceKeys>;
  /** The id of a caller's namespace, whether it exists or not. */
  idOf(caller: Caller): Buffer;
  /** Drops the cached keys, so that the next look-up asks the store. */
  forgetKeys(ns: Uint8Array): void;
  /** Whose namespace this is; `undefined` when its name does not open. */
  callerOf(ns: Uint8Array): Promise<Caller | undefined>;
  /** The keys of a namespace met in a scan. */
  findById(ns: Uint8Array): Promise<NamespaceKeys | undefined>;
  /** Re-wraps every data key that an older master key wrapped; safe to interrupt and to run again. */
  rotate(): Promise<Rotation>;
  readonly rotation: Rotation;
}

/** What the canary says about the key, without opening memory. */
export type CanaryState = 'empty' | 'fits' | 'wrong_key' | 'damaged' | 'ephemeral_orphan';

export async function checkCanary(
  store: Pick<Store, 'getNamespace'>,
  keyring: Keyring,
): Promise<{ state: CanaryState; keyId?: string }> {
  const record = await store.getNamespace(SYSTEM_NS);
  if (!record) return { state: 'empty' };
  const keyId = wrappedKeyId(record.blob.subarray(1)).toString('hex');
  if (unwrapRecord(keyring, record)) return { state: 'fits', keyId };
  // The right key that does not open it: bytes were changed. Whatever the flag says now, nothing may be swept.
  if (keyring.has(record.blob.subarray(1, 1 + KEY_ID_BYTES))) return { state: 'damaged', keyId };
  // A record that names a key we hold is damaged, not an orphan: sweeping would destroy what can still be saved.
  const orphan = record.blob[0] === EPHEMERAL && !keyring.has(Buffer.from(keyId, 'hex'));
  return { state: orphan ? 'ephemeral_orphan' : 'wrong_key', keyId };
}

/** Opens the directory of a store, or refuses with `memory_unavailable` and changes nothing when the key is wrong. */
export async function openDirectory(store: Store, keyring: Keyring, now: () => number): Promise<Directory> {
  const canary = await checkCanary(store, keyring);
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
  if (canary.state === 'damaged') {
    throw new AppError('memory_unavailable', 'The record that proves the key is damaged.', {
      reason: 'canary_damaged',
      hint: 'Restore a backup with "helmdeck restore". Nothing was changed.',
    });
  }
  const orphansSwept = canary.state === 'ephemeral_orphan' ? await dropEverything(store) : 0;
  const systemRecord = await store.createNamespace(
    SYSTEM_NS,
    recordBlob(keyring, SYSTEM_NS, randomBytes(DATA_KEY_BYTES)),
  );
  const systemKey = unwrapRecord(keyring, systemRecord);
  if (!systemKey)
    throw new AppError('memory_unavailable', 'Another process opened this database with another key.');
  const system = namespaceKeys(SYSTEM_NS, systemRecord.generation, systemKey.dataKey);
  const directoryKey = createSecretKey(await loadDirectoryKey(store, system, now()));
  return createDirectory({ store, keyring, system, directoryKey, orphansSwept });
}

interface Parts {
  store: Store;
  keyring: Keyring;
  system: NamespaceKeys;
  directoryKey: KeyObject;
  orphansSwept: number;
}

function createDirectory({ store, keyring, system, directoryKey, orphansSwept }: Parts): Directory {
  const cache = new Map<string, { keys: NamespaceKeys; caller: Caller | undefined }>();
  const rotation: Rotation = { total: 0, done: 0, unreadable: 0, finished: false };

  // A token's caller is the same object on every request, and an HMAC each time would be a tenth of a read.
  const ids = new WeakMap<Caller, Buffer>();

  function idOf(caller: Caller): Buffer {
    const known = ids.get(caller);
    if (known) return known;
    const ns = createHmac('sha256', directoryKey).update(namespaceOf(caller)).digest().subarray(0, 16);
    ids.set(caller, ns);
    return ns;
  }

  function remember(record: NamespaceRecord): NamespaceKeys {
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
    if (cache.size >= MAX_OPEN_NAMESPACES) cache.delete(cache.keys().next().value!);
    cache.set(hex(record.ns), { keys, caller: opened.name && callerOf(opened.name) });
    return keys;
  }

  async function findById(ns: Uint8Array): Promise<NamespaceKeys | undefined> {
    const cached = cache.get(hex(ns));
    if (cached) return cached.keys;
    const record = await store.getNamespace(ns);
    return record && remember(record);
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
    async findOrCreate(caller) {
      const ns = idOf(caller);
      const existing = await findById(ns);
      if (existing) return existing;
      const name = namespaceOf(caller);
      return remember(
        await store.createNamespace(ns, recordBlob(keyring, ns, randomBytes(DATA_KEY_BYTES), name)),
      );
    },
    forgetKeys: (ns) => void cache.delete(hex(ns)),
    async callerOf(ns) {
      await findById(ns);
      return cache.get(hex(ns))?.caller;
    },
    async rotate() {
      const stale: NamespaceRecord[] = [];
      Object.assign(rotation, { total: 0, done: 0, unreadable: 0, finished: false });
      for await (const record of everyNamespace(store)) {
        if (!isCurrent(keyring, record)) stale.push(record);
      }
      rotation.total = stale.length;
      // The canary goes last: until it moves, a start without the old key is refused instead of losing namespaces.
      stale.sort((a, b) => Number(isSystem(a)) - Number(isSystem(b)));
      for (const record of stale) {
        if (isSystem(record) && rotation.unreadable > 0) break;
        if (await rewrap(store, keyring, record)) rotation.done++;
        else rotation.unreadable++;
      }
      rotation.finished = true;
      return rotation;
    },
  };
}

/** All namespace records, the system's included. */
export async function* everyNamespace(store: Store): AsyncGenerator<NamespaceRecord> {
  let after: Uint8Array | undefined;
  for (;;) {
    const page = await store.listNamespaces(500, after);
    yield* page;
    if (page.length < 500) return;
    after = page.at(-1)!.ns;
  }
}

/** Whether the keyring still opens this namespace. */
export function opensNamespace(keyring: Keyring, record: NamespaceRecord): boolean {
  return unwrapRecord(keyring, record) !== undefined;
}

export function isSystem(record: { ns: Uint8Array }): boolean {
  return SYSTEM_NS.equals(record.ns);
}

async function rewrap(store: Store, keyring: Keyring, record: NamespaceRecord): Promise<boolean> {
  const opened = unwrapRecord(keyring, record);
  if (!opened) return false;
  const blob = recordBlob(keyring, Buffer.from(record.ns), opened.dataKey, opened.name);
  if (await store.replaceNamespace(record, record.blob, blob)) return true;
  // Someone else re-wrapped or dropped it first; both are fine.
  const now = await store.getNamespace(record.ns);
  return now === undefined || isCurrent(keyring, now);
}

// A record is `flag | wrapped(data key | name)`. The flag is clear because it must be read without the key.
function recordBlob(
  keyring: Keyring,
  ns: Buffer,
  dataKey: Uint8Array,
  name: Uint8Array = new Uint8Array(),
): Buffer {
  const flag = Buffer.from([keyring.ephemeral ? EPHEMERAL : PINNED]);
  return Buffer.concat([flag, keyring.wrap(paddedName(dataKey, name), Buffer.concat([flag, ns]))]);
}

function unwrapRecord(
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

function isCurrent(keyring: Keyring, record: NamespaceRecord): boolean {
  return wrappedKeyId(record.blob.subarray(1)).equals(keyring.currentId);
}

async function dropEverything(store: Store): Promise<number> {
  let rows = 0;
  const all: NamespaceRecord[] = [];
  for await (const record of everyNamespace(store)) all.push(record);
  // The canary goes last, so that an interrupted sweep is taken up again.
  all.sort((a, b) => Number(isSystem(a)) - Number(isSystem(b)));
  for (const record of all) rows += await store.dropNamespace(record.ns);
  return rows;
}

async function loadDirectoryKey(store: Store, system: NamespaceKeys, nowMs: number): Promise<Buffer> {
  const id = rowId(system, 'directory', 'key');
  for (;;) {
    const row = await store.get(SYSTEM_NS, id);
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
      if (!(thrown instanceof StoreConflict)) throw thrown; // another node made it first: read theirs
    }
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
