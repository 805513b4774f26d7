import type { NamespaceRecord, Store } from '../store.ts';
import { assertKeyFits, type Canary, canaryBlob, canaryOf } from './canary.ts';
import type { Keyring } from './keyring.ts';
import {
  belongsTo,
  everyRecord,
  holdsRuns,
  isReserved,
  isSystem,
  isWrappedUnder,
  type Realm,
  recordBlob,
  recordKeyId,
  reservedBlob,
  unwrapRecord,
} from './namespace-record.ts';

/** Progress of re-wrapping data keys under a new master key. */
export interface Rotation {
  total: number;
  done: number;
  unreadable: number;
  finished: boolean;
}

/**
 * Moves a database to the configured key, in three steps that can be interrupted and run again: the canary moves to the
 * new key and lists the earlier one as still needed; every data key is re-wrapped; the canary drops its list. From the
 * first step on no data key is wrapped under the earlier key, by any process: see `createIfAbsent` in `directory.ts`.
 */
export interface KeyRotation {
  readonly progress: Rotation;
  /** Reads which key the database is at; throws if a key is missing here. */
  readKeyId(): Promise<Buffer>;
  /** Re-wraps a namespace that is being opened and is not under the key the database is at. */
  rewrapIfOutdated(record: NamespaceRecord): Promise<void>;
  /** The first run of a process moves the database to its configured key; later ones find what was left or came late. */
  run(): Promise<Rotation>;
}

export interface RotationParts {
  store: Store;
  keyring: Keyring;
  realm: Realm;
  /** Opens a database although an earlier key that it still needs is lost. */
  keysMayBeLost?: boolean;
}

export function createKeyRotation(parts: RotationParts): KeyRotation {
  const { store, keyring, realm } = parts;
  const progress: Rotation = { total: 0, done: 0, unreadable: 0, finished: false };
  /** The key the database is at, when this process last looked. */
  let keyId = keyring.currentId;
  let hasMoved = false;

  async function readCanary(): Promise<{ record: NamespaceRecord | undefined; canary: Canary }> {
    const record = await store.getNamespace(realm.system);
    const canary = canaryOf(record, keyring);
    if (canary.state !== 'rotation_unfinished' || !parts.keysMayBeLost) assertKeyFits(canary, keyring);
    if (canary.keyId !== undefined) keyId = Buffer.from(canary.keyId, 'hex');
    return { record, canary };
  }

  async function readKeyId(): Promise<Buffer> {
    await readCanary();
    return keyId;
  }

  /** Compare-and-set of the canary; false if another process changed it. */
  function replaceCanary(record: NamespaceRecord, content: { keyId: string; needed: readonly string[] }) {
    const { dataKey } = unwrapRecord(keyring, record)!;
    return store.replaceNamespace(record, record.blob, canaryBlob(realm, keyring, dataKey, content));
  }

  /** Only once per process: of processes with different current keys, the one that started last decides. */
  async function moveCanary(): Promise<void> {
    const currentId = keyring.currentId.toString('hex');
    while (!hasMoved) {
      const { record, canary } = await readCanary();
      const needed = [...canary.needed, canary.keyId!].filter((id) => id !== currentId);
      hasMoved =
        !record || canary.keyId === currentId || (await replaceCanary(record, { keyId: currentId, needed }));
    }
  }

  /**
   * Invalidates a reservation: its creator may have read the canary before it moved, and now has to read it again.
   * Returns the record if its creator was faster.
   */
  async function createdMeanwhile(reserved: NamespaceRecord): Promise<NamespaceRecord | undefined> {
    let record: NamespaceRecord | undefined = reserved;
    while (record && isReserved(record)) {
      if (await store.replaceNamespace(record, record.blob, reservedBlob())) return undefined;
      record = await store.getNamespace(record.ns);
    }
    return record;
  }

  /** Re-wraps everything that is not under the key the database is at. */
  async function rewrapAll(isCanaryListing: boolean): Promise<Walk> {
    const stale: NamespaceRecord[] = [];
    for await (const listed of everyRecord(store)) {
      const record = isReserved(listed) ? await createdMeanwhile(listed) : listed;
      if (!record || !belongsTo(realm, record) || isSystem(record, realm)) continue;
      if (!isWrappedUnder(keyId, record)) stale.push(record);
    }
    progress.total = progress.done + stale.length + Number(isCanaryListing);
    progress.unreadable = 0;
    if (progress.total > progress.done) progress.finished = false;
    const walk: Walk = { keysInUse: new Set(), isComplete: true };
    for (const record of stale) {
      const outcome = await rewrap(parts, record, keyId);
      if (outcome === 'done') progress.done++;
      if (outcome === 'changed') walk.isComplete = false;
      if (outcome !== 'unreadable') continue;
      progress.unreadable++;
      if (record.blob instanceof Uint8Array) walk.keysInUse.add(recordKeyId(record).toString('hex'));
    }
    return walk;
  }

  async function rewrapIfOutdated(record: NamespaceRecord): Promise<void> {
    if (isWrappedUnder(keyId, record) || isSystem(record, realm)) return;
    const before = await readKeyId();
    await rewrap(parts, record, before);
    if ((await readKeyId()).equals(before)) return;
    const now = await store.getNamespace(record.ns); // the database has moved to another key meanwhile
    if (now) await rewrapIfOutdated(now);
  }

  return {
    progress,
    readKeyId,
    // A failure must not stop the read; the next run of the rotation finds the record again.
    rewrapIfOutdated: (record) => rewrapIfOutdated(record).catch(() => {}),
    async run() {
      await moveCanary();
      for (;;) {
        const { record, canary } = await readCanary();
        const isListing = canary.needed.length > 0;
        const { keysInUse, isComplete } = await rewrapAll(isListing);
        if (!isComplete) continue;
        const needed = canary.needed.filter((id) => keysInUse.has(id));
        // The canary as it was before the walk: if it has changed, another rotation has begun meanwhile.
        if (needed.length < canary.needed.length && record) {
          if (!(await replaceCanary(record, { keyId: canary.keyId!, needed }))) continue;
        }
        if (isListing && needed.length === 0) progress.done++;
        progress.finished = true;
        return progress;
      }
    },
  };
}

interface Walk {
  /** Keys of data keys that cannot be opened. */
  keysInUse: Set<string>;
  /** False if another process changed a record that had to be re-wrapped. */
  isComplete: boolean;
}

/** Re-wraps a data key under another key of the ring, unless another process changes the record first. */
async function rewrap(
  { store, keyring, realm }: RotationParts,
  record: NamespaceRecord,
  keyId: Buffer,
): Promise<'done' | 'unreadable' | 'changed'> {
  if (isWrappedUnder(keyId, record)) return 'done';
  const opened = unwrapRecord(keyring, record);
  if (!opened) return 'unreadable';
  const content = { ...opened, forRuns: holdsRuns(record) };
  const blob = recordBlob(realm, keyring, Buffer.from(record.ns), content, keyId);
  return (await store.replaceNamespace(record, record.blob, blob)) ? 'done' : 'changed';
}
