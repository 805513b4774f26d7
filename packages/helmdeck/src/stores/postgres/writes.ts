import { type Applied, type NamespaceRef, type Notice, type Op, StoreConflict } from '../../memory/store.ts';
import type { PostgresClient } from './client.ts';
import type { PostgresValue } from './connection.ts';
import { wasRolledBack } from './errors.ts';

type Put = Extract<Op, { type: 'put' }>;

/** A batch that waits for its turn. */
interface Job {
  ns: string;
  generation: number;
  ops: object[];
  /** Of the rows it writes, with their namespace. */
  ids: string[];
  bytes: number;
  resolve(applied: Applied): void;
  reject(thrown: unknown): void;
}

interface Outcome {
  alive: boolean;
  fits: boolean;
  last_seq: number | null;
}

export interface PostgresWrites {
  apply(ref: NamespaceRef, ops: readonly Op[]): Promise<Applied>;
  /** Resolves when nothing is under way. */
  drained(): Promise<void>;
}

export interface WriteHooks {
  now: () => number;
  /** After a commit: how many batches shared it. */
  committed(batches: number): void;
  /** After a commit: which changes of a namespace it made. */
  changed(notice: Notice): void;
}

/** Calls under way at once: while one waits for the disk the next is being filled. */
const MAX_CALLS = 2;
const MAX_ROWS = 500;
const MAX_BYTES = 1_048_576;
const ATTEMPTS = 5;

const hex = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');

/**
 * Batches that arrive together share one call, one transaction and one fsync; each is answered after its commit. Only
 * batches that put rows are shared, and no row comes twice in a call; the others have a call of their own.
 */
export function createPostgresWrites(link: PostgresClient, s: string, hooks: WriteHooks): PostgresWrites {
  let waiting: Job[] = [];
  let calls = 0;
  const underWay = new Set<Promise<unknown>>();
  const PUT = `SELECT * FROM ${s}.put_rows($1::json, $2::json)`;
  const APPLY = `SELECT * FROM ${s}.apply_ops($1, $2, $3::json, $4)`;

  /** A call that the server gave up for another one's sake left nothing behind. */
  async function call<T extends object>(sql: string, ...values: PostgresValue[]): Promise<T[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await link.run<T>(sql, ...values);
      } catch (thrown) {
        if (attempt === ATTEMPTS || !wasRolledBack(thrown)) throw thrown;
      }
    }
  }

  function track<T>(work: Promise<T>): Promise<T> {
    underWay.add(work);
    const done = () => underWay.delete(work);
    work.then(done, done);
    return work;
  }

  async function applyAlone(ref: NamespaceRef, ops: readonly Op[]): Promise<Applied> {
    const [done] = await call<Outcome & { before_seq: number; deleted: number }>(
      APPLY,
      ref.ns,
      ref.generation,
      ops.map(opJson),
      hooks.now(),
    );
    const { last_seq, before_seq, deleted } = done!;
    const seq = landed(done!, last_seq);
    hooks.committed(1);
    if (seq > before_seq) hooks.changed({ ns: ref.ns, afterSeq: before_seq, seq, deleted });
    return { seq, deleted };
  }

  /** Takes as many waiting jobs as may share a call. */
  function nextJobs(): Job[] {
    const taken: Job[] = [];
    const left: Job[] = [];
    const ids = new Set<string>();
    let bytes = 0;
    for (const job of waiting) {
      const fits =
        taken.length === 0 || (ids.size + job.ids.length <= MAX_ROWS && bytes + job.bytes <= MAX_BYTES);
      if (!fits || job.ids.some((id) => ids.has(id))) {
        left.push(job);
        continue;
      }
      taken.push(job);
      bytes += job.bytes;
      for (const id of job.ids) ids.add(id);
    }
    waiting = left;
    return taken;
  }

  async function put(jobs: readonly Job[]): Promise<void> {
    const spaces = [...new Set(jobs.map(({ ns }) => ns))];
    const ops = jobs.flatMap((job, b) =>
      job.ops.map((op) => ({ b, ns: job.ns, generation: job.generation, ...op })),
    );
    try {
      const outcomes = await call<Outcome & { batch: number }>(PUT, spaces, ops);
      hooks.committed(jobs.length);
      for (const outcome of outcomes) settle(jobs[outcome.batch]!, outcome);
    } catch (thrown) {
      // One row that the server does not take must not fail the others.
      if (jobs.length > 1 && wasRefused(thrown)) for (const job of jobs) await put([job]);
      else for (const job of jobs) job.reject(thrown);
    }
  }

  function settle(job: Job, outcome: Outcome): void {
    try {
      const seq = landed(outcome, outcome.last_seq);
      hooks.changed({ ns: Buffer.from(job.ns, 'hex'), afterSeq: seq - job.ops.length, seq });
      job.resolve({ seq, deleted: 0 });
    } catch (thrown) {
      job.reject(thrown);
    }
  }

  function pump(): void {
    while (calls < MAX_CALLS && waiting.length > 0) {
      calls++;
      void track(put(nextJobs())).finally(() => {
        calls--;
        pump();
      });
    }
  }

  return {
    apply(ref, ops) {
      const puts = ops.filter((op): op is Put => op.type === 'put');
      const ns = hex(ref.ns);
      const ids = puts.map(({ row }) => `${ns} ${hex(row.id)}`);
      const isPlain = ops.length > 0 && puts.length === ops.length && new Set(ids).size === ids.length;
      if (!isPlain) return track(applyAlone(ref, ops));
      const bytes = puts.reduce((sum, { row }) => sum + row.body.length, 0);
      return new Promise((resolve, reject) => {
        waiting.push({ ns, generation: ref.generation, ops: puts.map(opJson), ids, bytes, resolve, reject });
        // Whatever arrives in this turn goes along.
        if (waiting.length === 1) setImmediate(pump);
      });
    },
    async drained() {
      while (waiting.length > 0 || underWay.size > 0) {
        pump();
        await Promise.allSettled([...underWay]);
      }
    },
  };
}

function landed({ alive, fits }: Outcome, seq: number | null): number {
  if (!alive) throw new StoreConflict('gone');
  if (!fits) throw new StoreConflict('rev');
  return seq!;
}

/** The server looked at the statement and did not like it; the connection and the disk are fine. */
function wasRefused(thrown: unknown): boolean {
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
