import { randomInt } from 'node:crypto';
import { groupId, type NamespaceKeys, rowId } from '../../memory/crypto/sealed.ts';
import { RUN_KINDS } from '../../memory/entry.ts';
import { type MemoryParts, putOp } from '../../memory/memory.ts';
import type { Caller } from '../../memory/namespace.ts';
import type { Op } from '../../memory/store.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';
import { sealTrace, type TracedValues } from './value-trace.ts';

/** The record of one pack run: names and counts, never its whole input or output. */
export interface PackRecord {
  pack: string;
  version: string;
  /** `ok` or the code of the error. */
  outcome: string;
  at_unix: number;
  duration_ms: number;
  learn_inputs?: Record<string, string>;
  findings?: Finding[];
  cached?: true;
  /** Of a run that failed. */
  error?: RunError;
}

/** What a failed run said. */
export interface RunError {
  message: string;
  hint: string;
}

export interface PipelineRecord {
  pipeline: string;
  run_id: string;
  outcome: string;
  at_unix: number;
  duration_ms: number;
  learn_inputs?: Record<string, string>;
}

/** What was planned for an intent. */
export interface PlanRecord {
  /** The words of the intent that packs and pipelines use as well; the intent itself is not kept. */
  intent: string;
  /** The ids of the packs and pipelines, in order. */
  steps: string[];
  at_unix: number;
}

/** A problem that a pack reported, such as a broken lint rule. */
export interface Finding {
  code: string;
  severity?: string;
  file?: string;
}

export interface RunHistory {
  /** Queues the record of a run. Returns at once; the row is written with the next batch. */
  addPack(caller: Caller, record: PackRecord, values?: TracedValues): void;
  addPipeline(caller: Caller, record: PipelineRecord): void;
  addPlan(caller: Caller, record: PlanRecord): void;
  /** Records dropped since the start because the store was unavailable for too long. */
  readonly lost: number;
}

export const RUN_HISTORY_POLICY = Object.freeze({
  keepSeconds: 30 * 86_400,
  maxRowsPerCaller: 20_000,
  /** How many are deleted per batch over the limit, so that rows are rarely counted. */
  pruneRows: 500,
  /** How long the first record of a batch waits for others: each batch costs a commit and a sync. */
  batchMs: 20,
  batchRows: 500,
  retryMs: 1_000,
  /** Limit of the queue while the store is unavailable. */
  maxQueued: 20_000,
  /** Records over this limit are queued without the values of their runs. */
  maxQueuedWithValues: 1_000,
});

const KEY_PREFIXES = {
  'audit.pack': 'pack_history',
  'audit.pipeline': 'pipeline_history',
  'audit.plan': 'plan_history',
} as const;

const MAX_COUNTED_CALLERS = 10_000;

/** The pack that plans: forgetting its runs forgets the plans too. */
export const PLANNER = 'helmdeck.plan';

interface QueuedRow {
  kind: 'audit.pack' | 'audit.pipeline' | 'audit.plan';
  group: 'pack' | 'pipeline';
  id: string;
  key: string;
  value: string;
  values?: TracedValues;
  atMs: number;
}

interface CallerQueue {
  caller: Caller;
  /** The caller's main namespace: pending writes and the change feed go by it. */
  ns: Uint8Array;
  rows: QueuedRow[];
}

/** Queues run records and writes them in batches into each caller's runs namespace; retries while the store is unavailable. */
export function createRunHistory(parts: MemoryParts): RunHistory {
  const queues = new Map<string, CallerQueue>();
  /** Records per runs namespace. */
  const counts = new BoundedMap<string, number>(MAX_COUNTED_CALLERS);
  let timer: NodeJS.Timeout | undefined;
  let queuedRows = 0;
  let lost = 0;
  let lastStamp = 0n;
  // Two processes may write in the same millisecond, and keys must be unique.
  const stampOffset = parts.store.sharing ? BigInt(randomInt(1_000_000)) : 0n;

  /** Nanoseconds, unique within this process, so that keys sort by time. */
  function nextStamp(): string {
    const now = BigInt(Math.trunc(parts.now())) * 1_000_000n + stampOffset;
    lastStamp = now > lastStamp ? now : lastStamp + 1n;
    return String(lastStamp).padStart(20, '0');
  }

  function add(caller: Caller, row: Omit<QueuedRow, 'key' | 'atMs'>): void {
    const ns = parts.directory.idOf(caller);
    const name = namespaceMapKey(ns);
    const queue: CallerQueue = queues.get(name) ?? { caller, ns, rows: [] };
    queues.set(name, queue);
    if (queuedRows >= RUN_HISTORY_POLICY.maxQueuedWithValues) row.values = undefined;
    queue.rows.push({ ...row, key: `${KEY_PREFIXES[row.kind]}/${row.id}/${nextStamp()}`, atMs: parts.now() });
    queuedRows++;
    while (queuedRows > RUN_HISTORY_POLICY.maxQueued) dropOldest();
    schedule(RUN_HISTORY_POLICY.batchMs);
  }

  function dropOldest(): void {
    const [name, queue] = queues.entries().next().value!;
    queue.rows.shift();
    if (queue.rows.length === 0) queues.delete(name);
    queuedRows--;
    lost++;
  }

  function schedule(delayMs: number): void {
    if (timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      writeAll(undefined);
    }, delayMs).unref();
  }

  function writeAll(ns: Uint8Array | undefined): void {
    const only = ns && namespaceMapKey(ns);
    for (const [name, queue] of queues) {
      if (only !== undefined && name !== only) continue;
      queues.delete(name);
      queuedRows -= queue.rows.length;
      parts.pending.track(
        queue.ns,
        write(queue).catch(() => putBack(name, queue)),
      );
    }
  }

  function putBack(name: string, failed: CallerQueue): void {
    const since = queues.get(name)?.rows ?? [];
    queues.set(name, { ...failed, rows: [...failed.rows, ...since] });
    queuedRows += failed.rows.length;
    schedule(RUN_HISTORY_POLICY.retryMs);
  }

  /** Removes rows from the queue as they are written, so that after a failure it holds the rest. */
  async function write({ caller, ns, rows }: CallerQueue): Promise<void> {
    const keys = await parts.directory.runs.findOrCreate(caller);
    while (rows.length > 0) {
      const batch = rows.slice(0, RUN_HISTORY_POLICY.batchRows);
      const ops = [...(await pruneOps(keys, batch.length)), ...batch.map((row) => putRow(keys, row))];
      try {
        await parts.store.apply(keys, ops);
      } catch (thrown) {
        parts.directory.forgetKeys(keys.ns); // perhaps erased concurrently: the retry reads the record again
        throw thrown;
      }
      rows.splice(0, batch.length);
      for (const row of batch)
        parts.changes.emit(ns, { type: 'run', kind: row.kind, key: row.key, atMs: row.atMs });
    }
  }

  /** Deletes the oldest rows over the limit. The store counts them now and then, this process in between. */
  async function pruneOps(keys: NamespaceKeys, adding: number): Promise<Op[]> {
    const { maxRowsPerCaller, pruneRows } = RUN_HISTORY_POLICY;
    const name = namespaceMapKey(keys.ns);
    let count = counts.get(name);
    if (count === undefined || count + adding > maxRowsPerCaller) count = await countRows(keys);
    counts.set(name, count + adding);
    if (count + adding <= maxRowsPerCaller) return [];
    const surplus = Math.min(count, count + adding - maxRowsPerCaller + pruneRows);
    const oldest = await parts.store.scan(keys.ns, { kinds: RUN_KINDS, limit: surplus });
    counts.set(name, count + adding - oldest.length);
    return oldest.map(({ id }) => ({ type: 'delete', id }) as const);
  }

  async function countRows(keys: NamespaceKeys): Promise<number> {
    const usages = await parts.store.usage(parts.now(), keys.ns);
    return usages.reduce((sum, { kind, rows }) => sum + (RUN_KINDS.includes(kind) ? rows : 0), 0);
  }

  parts.pending.beforeDrain(writeAll);
  // Perhaps erased on another node: what is still queued here would create the namespace again.
  parts.changes.subscribeToAll((ns, { type }) => {
    const queue = type === 'erase' ? queues.get(namespaceMapKey(ns)) : undefined;
    if (!queue) return;
    queues.delete(namespaceMapKey(ns));
    queuedRows -= queue.rows.length;
  });
  return {
    addPack: (caller, record, values) =>
      add(caller, {
        kind: 'audit.pack',
        group: 'pack',
        id: record.pack,
        value: JSON.stringify(record),
        values,
      }),
    addPipeline: (caller, record) =>
      add(caller, {
        kind: 'audit.pipeline',
        group: 'pipeline',
        id: record.pipeline,
        value: JSON.stringify(record),
      }),
    addPlan: (caller, record) =>
      add(caller, { kind: 'audit.plan', group: 'pack', id: PLANNER, value: JSON.stringify(record) }),
    get lost() {
      return lost;
    },
  };
}

function putRow(keys: NamespaceKeys, row: QueuedRow): Op {
  const { kind, key, value, values, atMs } = row;
  const content = { key, value, ...(values && { trace: sealTrace(keys, values) }) };
  const head = { id: rowId(keys, kind, key), kind, group: groupId(keys, row.group, row.id) };
  const times = { createdMs: atMs, updatedMs: atMs, expiresMs: atMs + RUN_HISTORY_POLICY.keepSeconds * 1000 };
  return putOp(keys, { ...head, content, ...times }, undefined);
}
