import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';
import { createTurns } from '../../runtime/turns.ts';
import { createYielder } from '../../runtime/yield-to-event-loop.ts';
import { type NamespaceKeys, rowId } from '../crypto/sealed.ts';
import type { Memory, MemoryParts } from '../memory.ts';
import type { Caller } from '../namespace.ts';
import { idStartOf, StoreConflict } from '../store.ts';
import { isoMs } from '../times.ts';
import type { NeverRecalled, RecallCount, RecallCountOf, RecallCounts } from './recall-count.ts';
import {
  type CallerKeys,
  type CountTable,
  commitChange,
  countIn,
  createCountTable,
  factsIn,
  planChange,
  plus,
  refreshTable,
} from './recall-count-table.ts';

export interface RecallCountView {
  recalled_count: number;
  last_recalled_at?: string;
}

export const RECALL_COUNT_POLICY = {
  /** Half of what may be lost when the process is killed: the write takes time as well. */
  flushMs: 30_000,
  /** Facts that may wait in RAM for a write: a limit for the time in which the store is unavailable. */
  maxWaitingFacts: 100_000,
  /** Counters of other callers are dropped from RAM above this, and read again when needed. */
  maxCachedFacts: 200_000,
  /** A caller's counters on a shared store are read again after this time. */
  sharedMaxAgeMs: 1_000,
  maxAttempts: 50,
  /** A younger fact has hardly had the chance to be recalled. */
  neverRecalledAfterMs: 7 * 86_400_000,
  /** Callers written at the same time, so that requests need not queue behind all of them. */
  parallelWrites: 8,
};

/** What was counted for one caller and is not stored yet, by key. */
interface Queue {
  caller: Caller;
  ns: Uint8Array;
  waiting: Map<string, RecallCount>;
  writing: Map<string, RecallCount>;
  /** A flush that has not begun; further requests for one join it. */
  next: Promise<void> | undefined;
}

type Parts = Omit<MemoryParts, 'recallCounts'>;

export function createRecallCounts(parts: Parts, policy = RECALL_COUNT_POLICY): RecallCounts {
  const { store, directory, pending } = parts;
  const queues = new Map<string, Queue>();
  /** Least recently used first, with the number of facts at the last count. */
  const tables = new Map<string, { table: CountTable; size: number }>();
  let cachedFacts = 0;
  const inTurn = createTurns();
  let timer: NodeJS.Timeout | undefined;
  let waitingFacts = 0;

  function queueOf(caller: Caller): Queue {
    const ns = directory.idOf(caller);
    const name = namespaceMapKey(ns);
    const queue: Queue = queues.get(name) ?? {
      caller,
      ns,
      waiting: new Map(),
      writing: new Map(),
      next: undefined,
    };
    queues.set(name, queue);
    return queue;
  }

  function add(caller: Caller, keys: readonly string[]): void {
    if (keys.length === 0) return;
    const { waiting } = queueOf(caller);
    const nowMs = parts.now();
    for (const key of keys) {
      const known = waiting.get(key);
      if (!known && waitingFacts >= policy.maxWaitingFacts) continue;
      if (!known) waitingFacts++;
      waiting.set(key, plus(known, 1, nowMs));
    }
    schedule();
  }

  function schedule(): void {
    timer ??= setTimeout(flushAll, policy.flushMs).unref();
  }

  function flushAll(): void {
    clearTimeout(timer);
    timer = undefined;
    const all = [...queues.values()];
    const flushNext = async () => {
      for (let queue = all.pop(); queue; queue = all.pop()) await flushQueue(queue).catch(() => {}); // retried later
    };
    for (let n = 0; n < policy.parallelWrites; n++) pending.track(directory.system.ns, flushNext());
  }

  /** `isHurried`: a request waits for it. */
  function flushQueue(queue: Queue, isHurried = false): Promise<void> {
    if (queue.next) return queue.next;
    const begin = async () => {
      queue.next = undefined;
      await write(queue, isHurried);
    };
    // Not at once, so that `next` is set before the turn begins.
    queue.next = Promise.resolve().then(() => inTurn(queue.ns, begin));
    pending.track(queue.ns, queue.next);
    return queue.next;
  }

  async function write(queue: Queue, isHurried: boolean): Promise<void> {
    const name = namespaceMapKey(queue.ns);
    const isDropped = () => queues.get(name) !== queue;
    if (isDropped()) return;
    queue.writing = queue.waiting;
    queue.waiting = new Map();
    waitingFacts -= queue.writing.size;
    try {
      await writeCounts(queue, isHurried);
    } catch (thrown) {
      if (isDropped()) return;
      if (thrown instanceof StoreConflict && thrown.kind === 'gone') return drop(queue.ns); // erased meanwhile
      putBack(queue);
      schedule();
      throw thrown;
    }
    if (queue.waiting.size === 0 && !queue.next && !isDropped()) queues.delete(name);
  }

  function putBack(queue: Queue): void {
    for (const [key, { count, lastMs }] of queue.writing) {
      if (!queue.waiting.has(key)) waitingFacts++;
      queue.waiting.set(key, plus(queue.waiting.get(key), count, lastMs));
    }
    queue.writing = new Map();
  }

  /** A read-modify-write: other processes may add to the same counters. */
  async function writeCounts(queue: Queue, isHurried: boolean): Promise<void> {
    const { caller, ns, writing } = queue;
    for (let attempt = 1; ; attempt++) {
      const main = await directory.find(caller);
      if (!main) throw new StoreConflict('gone');
      const runs = await (writing.size > 0
        ? directory.runs.findOrCreate(caller)
        : directory.runs.find(caller));
      if (!runs) return; // nothing was ever counted
      const table = tableOf(ns, runs);
      if (attempt > 1) table.position = undefined; // read all of it again
      await refreshTable(parts, { main, runs }, table);
      const added = await byIdStart(main, writing);
      const change = await planChange(parts, { main, runs }, table, added, isHurried);
      try {
        if (change.ops.length > 0) await store.apply(runs, change.ops);
        commitChange(table, change);
        queue.writing = new Map();
        limitTables(ns);
        return;
      } catch (thrown) {
        directory.forgetKeys(main.ns); // perhaps erased: read both again
        directory.forgetKeys(runs.ns);
        if (!(thrown instanceof StoreConflict) || attempt === policy.maxAttempts) throw thrown;
      }
    }
  }

  /** The table in RAM, moved to the end of the LRU order; a new one if there is none of this generation. */
  function tableOf(ns: Uint8Array, runs: NamespaceKeys): CountTable {
    const name = namespaceMapKey(ns);
    const known = tables.get(name);
    const cached =
      known?.table.generation === runs.generation ? known : { table: createCountTable(runs), size: 0 };
    if (cached !== known) uncache(name);
    tables.delete(name);
    tables.set(name, cached);
    return cached.table;
  }

  /** Called after a table has grown: drops the least recently used ones, but not that one. */
  function limitTables(grown: Uint8Array): void {
    const last = tables.get(namespaceMapKey(grown));
    if (!last) return;
    cachedFacts -= last.size;
    last.size = factsIn(last.table);
    cachedFacts += last.size;
    for (const name of tables.keys()) {
      if (cachedFacts + tables.size <= policy.maxCachedFacts || tables.size === 1) return;
      if (name !== namespaceMapKey(grown)) uncache(name);
    }
  }

  function uncache(name: string): void {
    cachedFacts -= tables.get(name)?.size ?? 0;
    tables.delete(name);
  }

  function drop(ns: Uint8Array): void {
    const name = namespaceMapKey(ns);
    waitingFacts -= queues.get(name)?.waiting.size ?? 0;
    queues.delete(name);
    uncache(name);
  }

  async function read(caller: Caller): Promise<RecallCountOf> {
    const main = await directory.find(caller);
    if (!main) return () => undefined;
    const runs = await directory.runs.find(caller);
    const known = runs && (await currentTable({ main, runs }));
    return (key, idStart = idStartOf(rowId(main, 'fact', key))) => {
      const queue = queues.get(namespaceMapKey(main.ns));
      const table = known ?? tables.get(namespaceMapKey(main.ns))?.table; // the first write may have made it since
      let sum = table && countIn(table, idStart);
      for (const more of [queue?.writing.get(key), queue?.waiting.get(key)])
        if (more) sum = plus(sum, more.count, more.lastMs);
      return sum;
    };
  }

  /** Reads the store in turn with the writes: one under way would be counted twice. */
  async function currentTable(keys: CallerKeys): Promise<CountTable> {
    const { ns } = keys.main;
    const table = tableOf(ns, keys.runs);
    const isFresh = () =>
      store.sharing ? performance.now() - table.readMs < policy.sharedMaxAgeMs : table.position !== undefined;
    if (isFresh()) return table;
    return inTurn(ns, async () => {
      if (!isFresh()) await refreshTable(parts, keys, table);
      limitTables(ns);
      return table;
    });
  }

  pending.beforeDrain((ns) => {
    // A forget removes counters itself and an erase drops them, so of one caller nothing needs to be written first.
    if (ns === undefined) flushAll();
  });
  parts.changes.subscribeToAll((ns, { type }) => {
    if (type === 'erase') drop(ns);
  });
  return { add, read, flush: (caller) => flushQueue(queueOf(caller), true) };
}

async function byIdStart(
  main: NamespaceKeys,
  counts: ReadonlyMap<string, RecallCount>,
): Promise<Map<number, RecallCount>> {
  const byId = new Map<number, RecallCount>();
  const yieldIfDue = createYielder();
  for (const [key, { count, lastMs }] of counts) {
    const idStart = idStartOf(rowId(main, 'fact', key));
    byId.set(idStart, plus(byId.get(idStart), count, lastMs));
    await yieldIfDue();
  }
  return byId;
}

export function neverRecalled({ now }: Pick<Memory, 'now'>, countOf: RecallCountOf): NeverRecalled {
  const untilMs = now() - RECALL_COUNT_POLICY.neverRecalledAfterMs;
  return ({ key, createdMs }, idStart) => createdMs <= untilMs && countOf(key, idStart) === undefined;
}

export async function withRecallCount<T extends { key: string }>(
  memory: Memory,
  fact: T,
): Promise<T & RecallCountView> {
  const countOf = await memory.recallCounts.read(memory.caller);
  return { ...fact, ...recallCountView(countOf(fact.key)) };
}

export const recallCountView = (counted: RecallCount | undefined): RecallCountView =>
  counted
    ? { recalled_count: counted.count, last_recalled_at: isoMs(counted.lastMs) }
    : { recalled_count: 0 };
