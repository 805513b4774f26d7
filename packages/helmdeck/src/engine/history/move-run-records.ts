import { setTimeout as delay, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { toAppError } from '../../errors.ts';
import type { Directory } from '../../memory/crypto/directory.ts';
import { everyNamespace, holdsRuns, isSystem } from '../../memory/crypto/namespace-record.ts';
import { groupId, type NamespaceKeys, openContent, rowId, seal } from '../../memory/crypto/sealed.ts';
import { type EntryContent, isLive, type Kind, RUN_KINDS } from '../../memory/entry.ts';
import type { MemoryParts } from '../../memory/memory.ts';
import type { Caller } from '../../memory/namespace.ts';
import { type NamespaceRef, type Op, type Row, StoreConflict } from '../../memory/store.ts';
import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';

/** Upgrades a database whose run records are still in the callers' main namespaces, where older versions wrote them. */
export interface RunRecordMove {
  /**
   * The directory to use instead of the one passed in: it moves a caller's old records before it returns the runs
   * namespace, so that readers find all of them and new records come after the old ones.
   */
  readonly directory: Directory;
  /** Moves the records of all callers in the background. */
  start(): void;
  /** Stops after the current chunk; the next start continues. */
  stop(): Promise<void>;
}

interface MoveLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

type MoveParts = Pick<MemoryParts, 'store' | 'directory' | 'pending' | 'leases' | 'now'>;

const CHUNK_ROWS = 200;
const LEASE = 'run records';
const LEASE_MS = 30_000;
const RENEW_MS = 5_000;

export function createRunRecordMove(parts: MoveParts, log: MoveLog): RunRecordMove {
  const { store, directory, leases } = parts;
  /** Of several processes on one store only one moves records; a store without sharing has only one process. */
  let isLeader = store.sharing === undefined;
  let finished = false;
  const stopping = new AbortController();
  let background: Promise<void> | undefined;
  /** Moves in progress, by main namespace. */
  const moving = new Map<string, Promise<number>>();

  function moveCaller(main: NamespaceKeys, caller: Caller): Promise<number> {
    const name = namespaceMapKey(main.ns);
    const running = moving.get(name);
    if (running) return running;
    const move = moveAllOf(main, caller).finally(() => moving.delete(name));
    moving.set(name, move);
    return move;
  }

  async function moveAllOf(main: NamespaceKeys, caller: Caller): Promise<number> {
    let moved = 0;
    for (let afterSeq = 0; isLeader && !stopping.signal.aborted; await yieldToEventLoop()) {
      const chunk = moveChunk(parts, main, caller, afterSeq);
      parts.pending.track(main.ns, chunk); // forget waits for it before it deletes from the runs namespace
      const { count, lastSeq } = await chunk;
      moved += count;
      if (lastSeq === undefined) return moved;
      afterSeq = lastSeq;
    }
    return moved;
  }

  /** Moves one caller's records now. A failure is left to the walk over all callers, which reports it. */
  async function ensureMoved(caller: Caller): Promise<void> {
    if (finished || !isLeader) return;
    const main = await directory.find(caller);
    if (main) await moveCaller(main, caller).catch(() => {});
  }

  async function lead(): Promise<NodeJS.Timeout | undefined> {
    if (store.sharing === undefined) return undefined;
    const acquire = async () => {
      isLeader = await leases.tryAcquire(LEASE, LEASE_MS).catch(() => false);
    };
    for (await acquire(); !isLeader; await acquire())
      await delay(RENEW_MS, undefined, { signal: stopping.signal, ref: false });
    return setInterval(() => void acquire(), RENEW_MS).unref();
  }

  async function moveAll(): Promise<void> {
    let renewal: NodeJS.Timeout | undefined;
    try {
      renewal = await lead();
      let moved = 0;
      for await (const record of everyNamespace(store)) {
        if (stopping.signal.aborted) return;
        if (isSystem(record) || holdsRuns(record) || !(await hasRunRecords(parts, record.ns))) continue;
        const main = await directory.findById(record.ns).catch(() => undefined);
        const caller = main && (await directory.callerOf(record.ns));
        // A record whose flag was lost, by a key rotation under an older version, must not be moved onto itself.
        if (!caller || !directory.idOf(caller).equals(record.ns)) continue;
        moved += await moveCaller(main, caller);
        await yieldToEventLoop();
      }
      finished = isLeader;
      if (moved > 0) log.info({ rows: moved }, 'run records were moved into namespaces of their own');
    } catch (thrown) {
      if (stopping.signal.aborted) return;
      const { code } = toAppError(thrown);
      log.warn({ code }, 'moving run records of an older version stopped; the next start continues');
    } finally {
      clearInterval(renewal);
      if (renewal) {
        isLeader = false;
        await leases.release(LEASE).catch(() => {}); // otherwise it expires
      }
    }
  }

  return {
    directory: {
      ...directory,
      runs: {
        ...directory.runs,
        async find(caller) {
          if (!finished) await ensureMoved(caller);
          return directory.runs.find(caller);
        },
        async findOrCreate(caller) {
          if (!finished) await ensureMoved(caller);
          return directory.runs.findOrCreate(caller);
        },
      },
    },
    start() {
      background ??= moveAll();
    },
    async stop() {
      stopping.abort();
      await background;
      await Promise.allSettled(moving.values());
    },
  };
}

async function hasRunRecords({ store }: MoveParts, ns: Uint8Array, afterSeq = 0): Promise<boolean> {
  return (await store.scan(ns, { kinds: RUN_KINDS, afterSeq, limit: 1 })).length > 0;
}

/**
 * Copies the oldest records after a position into the runs namespace, then deletes them from the main one. Interrupted in
 * between, the next attempt writes the same copies again.
 */
async function moveChunk(
  parts: MoveParts,
  main: NamespaceKeys,
  caller: Caller,
  afterSeq: number,
): Promise<{ count: number; lastSeq?: number }> {
  const { store, directory, now } = parts;
  try {
    if (!(await hasRunRecords(parts, main.ns, afterSeq))) return { count: 0 };
    // Before the rows are read: if an erase gets in between, writing to these keys fails and nothing comes back.
    const runs = await directory.runs.findOrCreate(caller);
    const page = await store.scan(main.ns, { kinds: RUN_KINDS, afterSeq, limit: CHUNK_ROWS });
    // Expired rows are left to the sweep, unreadable ones to `helmdeck doctor`.
    const copies = page.flatMap((row) => (isLive(row, now()) ? copyOf(main, runs, row) : []));
    if (copies.length > 0) {
      await store.apply(
        runs,
        copies.map(({ copy }) => ({ type: 'put', row: copy })),
      );
      await deleteOriginals(parts, main, runs, copies);
    }
    return { count: copies.length, lastSeq: page.at(-1)?.seq };
  } catch (thrown) {
    if (!(thrown instanceof StoreConflict && thrown.kind === 'gone')) throw thrown;
    return { count: 0 }; // erased concurrently
  }
}

interface RowCopy {
  original: Row;
  copy: Omit<Row, 'seq'>;
}

/** The row as it is sealed in the runs namespace; none for a row that does not open. */
function copyOf(main: NamespaceKeys, runs: NamespaceKeys, original: Row): RowCopy[] {
  const plain = openContent(main, original);
  if (!plain) return [];
  const content = JSON.parse(plain.toString('utf8')) as EntryContent;
  const { kind, rev, createdMs, updatedMs, expiresMs } = original;
  const id = rowId(runs, kind, content.key);
  const group = groupOf(runs, kind, content.value);
  return [{ original, copy: seal(runs, { id, kind, group, rev, createdMs, updatedMs, expiresMs }, content) }];
}

/** `forget pack:<id>` finds records by their group, whose id is keyed per namespace. */
function groupOf(keys: NamespaceKeys, kind: Kind, value: string): Buffer | null {
  try {
    const { pack, pipeline } = JSON.parse(value) as Record<string, unknown>;
    if (kind === 'audit.pack' && typeof pack === 'string') return groupId(keys, 'pack', pack);
    if (kind === 'audit.pipeline' && typeof pipeline === 'string') return groupId(keys, 'pipeline', pipeline);
  } catch {
    // One malformed record must not stop the move of all others.
  }
  return null;
}

/** A record that is gone from the main namespace meanwhile was forgotten: its copy must not bring it back. */
async function deleteOriginals(
  { store }: MoveParts,
  main: NamespaceRef,
  runs: NamespaceRef,
  copies: readonly RowCopy[],
): Promise<void> {
  const deletion = ({ original: { id, rev } }: RowCopy): Op => ({ type: 'delete', id, ifRev: rev });
  try {
    await store.apply(main, copies.map(deletion));
  } catch (thrown) {
    if (!(thrown instanceof StoreConflict && thrown.kind === 'rev')) throw thrown;
    for (const { original, copy } of copies) {
      const { deleted } = await store.apply(main, [{ type: 'delete', id: original.id }]);
      if (deleted === 0) await store.apply(runs, [{ type: 'delete', id: copy.id }]);
    }
  }
}
