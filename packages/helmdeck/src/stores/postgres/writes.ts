import {
  type ApplyResult,
  type NamespaceRef,
  type Notice,
  type Op,
  StoreConflict,
} from '../../memory/store.ts';
import type { PostgresClient } from './client.ts';
import type { PostgresValue } from './connection.ts';
import { wasRolledBack } from './errors.ts';

type Put = Extract<Op, { type: 'put' }>;

/** A batch that waits to be written. */
interface Job {
  ns: string;
  generation: number;
  ops: object[];
  /** Namespace and id of each row it writes. */
  rowKeys: string[];
  bytes: number;
  resolve(applied: ApplyResult): void;
  reject(thrown: unknown): void;
}

interface BatchResult {
  /** False if the namespace or its generation is gone. */
  alive: boolean;
  /** False if a precondition failed. */
  fits: boolean;
  last_seq: number | null;
}

/** Writes batches, several of them in one transaction. */
export interface PostgresWrites {
  apply(ref: NamespaceRef, ops: readonly Op[]): Promise<ApplyResult>;
  /** Waits until every batch has been written or has failed. */
  drain(): Promise<void>;
}

export interface WriteHooks {
  now: () => number;
  /** Called after a commit with the number of batches in it, and how long the call took. */
  onCommit(batches: number, seconds: number): void;
  /** Called after a commit for each batch that changed a namespace. */
  onChange(notice: Notice): void;
}

/** While one call waits for the disk, the next one is being filled. */
const MAX_CONCURRENT_CALLS = 2;
const MAX_CALL_ROWS = 500;
const MAX_CALL_BYTES = 1_048_576;
const MAX_ATTEMPTS = 5;

const secondsSince = (startMs: number) => (performance.now() - startMs) / 1000;
const hex = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');

/**
 * Group commit: batches that arrive together share one call, one transaction and one fsync; each is acknowledged after
 * its commit. Only batches of nothing but puts share a call, and no row occurs twice in it; any other batch has its own.
 */
export function createPostgresWrites(client: PostgresClient, s: string, hooks: WriteHooks): PostgresWrites {
  let queue: Job[] = [];
  let activeCalls = 0;
  const pending = new Set<Promise<unknown>>();
  const PUT_ROWS = `SELECT * FROM ${s}.put_rows($1::json, $2::json)`;
  const APPLY_OPS = `SELECT * FROM ${s}.apply_ops($1, $2, $3::json, $4)`;

  /** Retries a call that the server rolled back because of a deadlock. */
  async function callWithRetries<T extends object>(sql: string, ...values: PostgresValue[]): Promise<T[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await client.execute<T>(sql, ...values);
      } catch (thrown) {
        if (attempt === MAX_ATTEMPTS || !wasRolledBack(thrown)) throw thrown;
      }
    }
  }

  function track<T>(work: Promise<T>): Promise<T> {
    pending.add(work);
    const done = () => pending.delete(work);
    work.then(done, done);
    return work;
  }

  async function applySeparately(ref: NamespaceRef, ops: readonly Op[]): Promise<ApplyResult> {
    const startMs = performance.now();
    const [result] = await callWithRetries<BatchResult & { before_seq: number; deleted: number }>(
      APPLY_OPS,
      ref.ns,
      ref.generation,
      ops.map(opJson),
      hooks.now(),
    );
    const { before_seq, deleted } = result!;
    const seq = seqOrThrow(result!);
    hooks.onCommit(1, secondsSince(startMs));
    if (seq > before_seq) hooks.onChange({ ns: ref.ns, afterSeq: before_seq, seq, deleted });
    return { seq, deleted };
  }

  /** Takes from the queue as many jobs as can share a call. */
  function nextJobs(): Job[] {
    const taken: Job[] = [];
    const left: Job[] = [];
    const rowKeys = new Set<string>();
    let bytes = 0;
    for (const job of queue) {
      const fits =
        taken.length === 0 ||
        (rowKeys.size + job.rowKeys.length <= MAX_CALL_ROWS && bytes + job.bytes <= MAX_CALL_BYTES);
      if (!fits || job.rowKeys.some((key) => rowKeys.has(key))) {
        left.push(job);
        continue;
      }
      taken.push(job);
      bytes += job.bytes;
      for (const key of job.rowKeys) rowKeys.add(key);
    }
    queue = left;
    return taken;
  }

  async function put(jobs: readonly Job[]): Promise<void> {
    const spaces = [...new Set(jobs.map(({ ns }) => ns))];
    const ops = jobs.flatMap((job, b) =>
      job.ops.map((op) => ({ b, ns: job.ns, generation: job.generation, ...op })),
    );
    const startMs = performance.now();
    try {
      const results = await callWithRetries<BatchResult & { batch: number }>(PUT_ROWS, spaces, ops);
      hooks.onCommit(jobs.length, secondsSince(startMs));
      for (const result of results) resolveJob(jobs[result.batch]!, result);
    } catch (thrown) {
      // A row that the server rejects must not fail the other batches.
      if (jobs.length > 1 && wasRejected(thrown)) for (const job of jobs) await put([job]);
      else for (const job of jobs) job.reject(thrown);
    }
  }

  function resolveJob(job: Job, result: BatchResult): void {
    try {
      const seq = seqOrThrow(result);
      hooks.onChange({ ns: Buffer.from(job.ns, 'hex'), afterSeq: seq - job.ops.length, seq });
      job.resolve({ seq, deleted: 0 });
    } catch (thrown) {
      job.reject(thrown);
    }
  }

  function startCalls(): void {
    while (activeCalls < MAX_CONCURRENT_CALLS && queue.length > 0) {
      activeCalls++;
      void track(put(nextJobs())).finally(() => {
        activeCalls--;
        startCalls();
      });
    }
  }

  return {
    apply(ref, ops) {
      const puts = ops.filter((op): op is Put => op.type === 'put');
      const ns = hex(ref.ns);
      const rowKeys = puts.map(({ row }) => `${ns} ${hex(row.id)}`);
      const canShareCall =
        ops.length > 0 && puts.length === ops.length && new Set(rowKeys).size === rowKeys.length;
      if (!canShareCall) return track(applySeparately(ref, ops));
      const bytes = puts.reduce((sum, { row }) => sum + row.body.length, 0);
      return new Promise((resolve, reject) => {
        const job = {
          ns,
          generation: ref.generation,
          ops: puts.map(opJson),
          rowKeys,
          bytes,
          resolve,
          reject,
        };
        queue.push(job);
        // Batches of the same tick share a call.
        if (queue.length === 1) setImmediate(startCalls);
      });
    },
    async drain() {
      while (queue.length > 0 || pending.size > 0) {
        startCalls();
        await Promise.allSettled([...pending]);
      }
    },
  };
}

function seqOrThrow({ alive, fits, last_seq }: BatchResult): number {
  if (!alive) throw new StoreConflict('gone');
  if (!fits) throw new StoreConflict('rev');
  return last_seq!;
}

/** The server rejected the statement; the connection and the disk are fine. */
function wasRejected(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'PostgresError';
}

function opJson(op: Op): object {
  if (op.type === 'delete') return { type: op.type, id: hex(op.id), ifrev: op.ifRev };
  if (op.type === 'deleteWhere')
    return { type: op.type, kinds: op.kinds, grp: op.group && hex(op.group), most: op.limit };
  const { id, kind, group, rev, createdMs, updatedMs, expiresMs, body } = op.row;
  const times = { created: createdMs, updated: updatedMs, expires: expiresMs };
  const bytes = { id: hex(id), grp: group && hex(group), body: hex(body) };
  return { type: op.type, kind, rev, ...times, ...bytes, ifrev: op.ifRev };
}
