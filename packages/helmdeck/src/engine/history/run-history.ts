import { randomInt } from 'node:crypto';
import { groupId, type NamespaceKeys, rowId } from '../../memory/crypto/sealed.ts';
import { RUN_KINDS } from '../../memory/entry.ts';
import { type MemoryParts, putOp } from '../../memory/memory.ts';
import { type Caller, namespaceOf } from '../../memory/namespace.ts';
import type { Op } from '../../memory/store.ts';

/** Names and counts about one run, never its input or output as a whole. */
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
}

export interface PipelineRecord {
  pipeline: string;
  run_id: string;
  outcome: string;
  at_unix: number;
  duration_ms: number;
  learn_inputs?: Record<string, string>;
}

/** Something a pack complained about, such as a lint rule. */
export interface Finding {
  code: string;
  severity?: string;
  file?: string;
}

export interface RunHistory {
  /** Takes note of a run. Nobody waits: the row is written with the next batch. */
  addPack(caller: Caller, record: PackRecord): void;
  addPipeline(caller: Caller, record: PipelineRecord): void;
  /** Rows that could not be written and were given up, since the start. */
  readonly lost: number;
}

export const RUN_HISTORY_POLICY = Object.freeze({
  keepSeconds: 30 * 86_400,
  maxRowsPerCaller: 20_000,
  /** How many go at once when there are too many, so that counting them stays rare. */
  pruneRows: 500,
  batchMs: 20,
  batchRows: 500,
  retryMs: 1_000,
  /** What may wait in memory while the store is away. */
  maxWaiting: 20_000,
});

interface WaitingRow {
  kind: 'audit.pack' | 'audit.pipeline';
  group: 'pack' | 'pipeline';
  id: string;
  key: string;
  value: string;
  atMs: number;
}

interface Waiting {
  caller: Caller;
  ns: Uint8Array;
  rows: WaitingRow[];
}

/** Gathers run records and writes them in batches; keeps them while the store is away. */
export function createRunHistory(parts: MemoryParts): RunHistory {
  const waiting = new Map<string, Waiting>();
  const counts = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let waitingRows = 0;
  let lost = 0;
  let lastStamp = 0n;
  // Two processes may write in the same millisecond, and a key is written once.
  const stampOffset = parts.store.sharing ? BigInt(randomInt(1_000_000)) : 0n;

  /** Nanoseconds that never repeat within this process, so that keys sort by time. */
  function nextStamp(): string {
    const now = BigInt(Math.trunc(parts.now())) * 1_000_000n + stampOffset;
    lastStamp = now > lastStamp ? now : lastStamp + 1n;
    return String(lastStamp).padStart(20, '0');
  }

  function add(caller: Caller, row: Omit<WaitingRow, 'key' | 'atMs'>): void {
    const prefix = row.group === 'pack' ? 'pack_history' : 'pipeline_history';
    const name = namespaceOf(caller).toString('latin1');
    const mine: Waiting = waiting.get(name) ?? { caller, ns: parts.directory.idOf(caller), rows: [] };
    waiting.set(name, mine);
    mine.rows.push({ ...row, key: `${prefix}/${row.id}/${nextStamp()}`, atMs: parts.now() });
    waitingRows++;
    while (waitingRows > RUN_HISTORY_POLICY.maxWaiting) dropOldest();
    schedule(RUN_HISTORY_POLICY.batchMs);
  }

  function dropOldest(): void {
    const [name, mine] = waiting.entries().next().value!;
    mine.rows.shift();
    if (mine.rows.length === 0) waiting.delete(name);
    waitingRows--;
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
    for (const [name, mine] of waiting) {
      if (ns && !Buffer.from(mine.ns).equals(ns)) continue;
      waiting.delete(name);
      waitingRows -= mine.rows.length;
      parts.pending.track(
        mine.ns,
        write(mine).catch(() => putBack(name, mine)),
      );
    }
  }

  function putBack(name: string, failed: Waiting): void {
    const since = waiting.get(name)?.rows ?? [];
    waiting.set(name, { ...failed, rows: [...failed.rows, ...since] });
    waitingRows += failed.rows.length;
    schedule(RUN_HISTORY_POLICY.retryMs);
  }

  /** Takes rows from the list as they are written, so that after a failure it holds what is left. */
  async function write({ caller, rows }: Waiting): Promise<void> {
    const keys = await parts.directory.findOrCreate(caller);
    while (rows.length > 0) {
      const batch = rows.slice(0, RUN_HISTORY_POLICY.batchRows);
      const ops = [...(await pruneOps(keys, batch.length)), ...batch.map((row) => putRow(keys, row))];
      try {
        await parts.store.apply(keys, ops);
      } catch (thrown) {
        parts.directory.forgetKeys(keys.ns); // erased meanwhile, perhaps: the next try asks again
        throw thrown;
      }
      rows.splice(0, batch.length);
      for (const row of batch)
        parts.changes.emit(keys.ns, { type: 'run', kind: row.kind, key: row.key, atMs: row.atMs });
    }
  }

  /** The oldest rows make room; counted by the store now and then, and by us in between. */
  async function pruneOps(keys: NamespaceKeys, adding: number): Promise<Op[]> {
    const { maxRowsPerCaller, pruneRows } = RUN_HISTORY_POLICY;
    const name = keys.ns.toString('latin1');
    let count = counts.get(name);
    if (count === undefined || count + adding > maxRowsPerCaller) count = await countRows(keys);
    if (counts.size >= 10_000) counts.clear();
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
  // Erased on another node, perhaps: what is still waiting here would bring the namespace back.
  parts.changes.subscribeToAll((ns, { type }) => {
    if (type !== 'erase') return;
    for (const [name, mine] of waiting) {
      if (!Buffer.from(mine.ns).equals(ns)) continue;
      waiting.delete(name);
      waitingRows -= mine.rows.length;
    }
  });
  return {
    addPack: (caller, record) =>
      add(caller, { kind: 'audit.pack', group: 'pack', id: record.pack, value: JSON.stringify(record) }),
    addPipeline: (caller, record) =>
      add(caller, {
        kind: 'audit.pipeline',
        group: 'pipeline',
        id: record.pipeline,
        value: JSON.stringify(record),
      }),
    get lost() {
      return lost;
    },
  };
}

function putRow(keys: NamespaceKeys, row: WaitingRow): Op {
  const { kind, key, value, atMs } = row;
  const head = { id: rowId(keys, kind, key), kind, group: groupId(keys, row.group, row.id) };
  const times = { createdMs: atMs, updatedMs: atMs, expiresMs: atMs + RUN_HISTORY_POLICY.keepSeconds * 1000 };
  return putOp(keys, { ...head, content: { key, value }, ...times }, undefined);
}
