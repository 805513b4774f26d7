import { AppError } from '../errors.ts';
import type { EntryCache } from '../runtime/entry-cache.ts';
import type { PendingWrites } from '../runtime/pending-writes.ts';
import type { ProcessLeases } from '../runtime/process-leases.ts';
import { createYielder } from '../runtime/yield-to-event-loop.ts';
import type { ChangeFeed } from './changes.ts';
import type { Directory } from './crypto/directory.ts';
import { type NamespaceKeys, open, rowId, seal } from './crypto/sealed.ts';
import { type Entry, type EntryContent, isLive, type Kind } from './entry.ts';
import type { ErasableResources } from './erase/erasable-resources.ts';
import type { RecallCounts } from './facts/recall-count.ts';
import type { ReviewPolicy } from './facts/review-policy.ts';
import type { Gate } from './gate/gate.ts';
import type { IntegrityCheck } from './integrity-check.ts';
import type { Limits } from './limits.ts';
import { type Caller, callerName } from './namespace.ts';
import type { SharedCache } from './shared-cache.ts';
import type { Seat } from './spaces/space.ts';
import { type Op, type Row, type ScanOptions, type Store, StoreConflict } from './store.ts';

/** The services that the memories of all callers share. */
export interface MemoryParts {
  store: Store;
  directory: Directory;
  limits: Limits;
  changes: ChangeFeed;
  entryCache: EntryCache;
  pending: PendingWrites;
  integrity: IntegrityCheck;
  /** A function, because the list includes the engine, which is built on memory. */
  erasable: () => ErasableResources;
  leases: ProcessLeases;
  recallCounts: RecallCounts;
  review: ReviewPolicy;
  gate: Gate;
  /** If set, pack results are cached here instead of in the store. */
  cache?: SharedCache;
  now: () => number;
}

/** The handle to the memory of one caller, or of a space, that every surface works on. */
export interface Memory extends MemoryParts {
  readonly caller: Caller;
  /** The caller as shown to people: `caller=<sub>` or `space=<slug>`. */
  readonly scope: string;
  /** Set if it is the memory of a space. */
  readonly seat?: Seat;
}

// A token's caller is the same object on every request, so its handle is created once.
const handles = new WeakMap<MemoryParts, WeakMap<Caller, Memory>>();

export function createMemory(parts: MemoryParts, caller: Caller): Memory {
  const known = handles.get(parts)?.get(caller);
  if (known) return known;
  const memory = { ...parts, caller, scope: `caller=${callerName(caller)}` };
  if (!handles.has(parts)) handles.set(parts, new WeakMap());
  handles.get(parts)!.set(caller, memory);
  return memory;
}

const PAGE_ROWS = 100;
const MAX_ATTEMPTS = 50;

/** A live, readable entry by its kind and key. */
export async function findEntry(memory: Memory, kind: Kind, key: string): Promise<Entry | undefined> {
  const keys = await memory.directory.find(memory.caller);
  if (!keys) return undefined;
  // The position is read first. The entry read after it is at least as new, so it can only be evicted too early.
  const position = await memory.store.position(keys.ns);
  const known = memory.entryCache.find(keys.ns, position, kind, key);
  if (known) return isLive(known, memory.now()) ? known : undefined;
  const entry = await readEntry(memory, keys, rowId(keys, kind, key));
  if (entry) memory.entryCache.put(keys.ns, position, entry);
  return entry;
}

export async function readEntry(
  parts: MemoryParts,
  keys: NamespaceKeys,
  id: Uint8Array,
): Promise<Entry | undefined> {
  const row = await parts.store.get(keys.ns, id);
  if (!row || !isLive(row, parts.now())) return undefined;
  const entry = open(keys, row);
  if (!entry) throw unreadableRow();
  return entry;
}

const unreadableRow = () =>
  new AppError('memory_unavailable', 'This entry is damaged and cannot be read.', {
    reason: 'unreadable_row',
    hint: 'Forget it, or run "helmdeck doctor" on the server.',
  });

export interface WalkOptions
  extends Pick<ScanOptions, 'kinds' | 'group' | 'newestFirst' | 'beforeSeq' | 'afterSeq'> {
  /** Called for each row that cannot be decrypted; such rows are skipped. */
  onUnreadable?: (row: Row) => void;
}

/** Live entries in the order of their changes. Yields to the event loop, so that a large memory does not block the server. */
export async function* walkEntries(
  parts: MemoryParts,
  keys: NamespaceKeys,
  options: WalkOptions,
): AsyncGenerator<Entry> {
  const { onUnreadable, ...scan } = options;
  let { afterSeq, beforeSeq } = scan;
  const yieldIfDue = createYielder();
  for (;;) {
    const page = await parts.store.scan(keys.ns, { ...scan, afterSeq, beforeSeq, limit: PAGE_ROWS });
    for (const row of page) {
      if (!isLive(row, parts.now())) continue;
      const entry = open(keys, row);
      if (entry) yield entry;
      else onUnreadable?.(row);
      // The consumer's work on an entry counts towards the time slice as well.
      await yieldIfDue();
    }
    if (page.length < PAGE_ROWS) return;
    if (scan.newestFirst) beforeSeq = page.at(-1)!.seq;
    else afterSeq = page.at(-1)!.seq;
  }
}

/** The caller's live entries; none if the caller never stored anything. */
export async function* walkMemory(memory: Memory, options: WalkOptions): AsyncGenerator<Entry> {
  const keys = await memory.directory.find(memory.caller);
  if (keys) yield* walkEntries(memory, keys, options);
}

/** The operations that a write decided on after reading the current state. */
export interface Plan<T> {
  ops: Op[];
  result: T;
}

/**
 * A read-modify-write without lost updates. Writers of the same row are serialised within this process; a concurrent write
 * by another process is detected as a conflict, and `plan` then runs again on the new state.
 */
export async function transact<T>(
  parts: MemoryParts,
  keysOf: () => Promise<NamespaceKeys>,
  queueName: string,
  plan: (keys: NamespaceKeys) => Promise<Plan<T>>,
): Promise<T> {
  return serialised(queueName, async () => {
    for (let attempt = 1; ; attempt++) {
      const keys = await keysOf();
      const { ops, result } = await plan(keys);
      if (ops.length === 0) return result;
      try {
        await parts.store.apply(keys, ops);
        return result;
      } catch (thrown) {
        if (!(thrown instanceof StoreConflict)) throw thrown;
        if (attempt === MAX_ATTEMPTS)
          throw new AppError('conflict', 'Too many concurrent writers for this key.');
        if (thrown.kind === 'gone') parts.directory.forgetKeys(keys.ns);
      }
    }
  });
}

const queues = new Map<string, Promise<unknown>>();

/** Runs jobs of the same name one after another, in order of arrival. */
async function serialised<T>(name: string, job: () => Promise<T>): Promise<T> {
  const before = queues.get(name);
  const mine = before ? before.then(job, job) : job();
  queues.set(name, mine);
  try {
    return await mine;
  } finally {
    if (queues.get(name) === mine) queues.delete(name);
  }
}

export interface PutEntry {
  id: Buffer;
  kind: Kind;
  group: Buffer | null;
  content: EntryContent;
  createdMs: number;
  updatedMs: number;
  expiresMs: number | null;
}

/** A sealed put that replaces the row read before; `apply` rejects it if that row has changed since. */
export function putOp(
  keys: NamespaceKeys,
  entry: PutEntry,
  before: { rev: number } | undefined,
): Op & { type: 'put' } {
  const rev = (before?.rev ?? 0) + 1;
  const { content, ...header } = entry;
  return { type: 'put', row: seal(keys, { ...header, rev }, content), ifRev: rev - 1 };
}
