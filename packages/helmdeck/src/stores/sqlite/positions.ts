import type { Kind } from '../../memory/entry.ts';
import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';
import type { SqliteDriver } from './driver.ts';
import type { FreshRows } from './fresh-rows.ts';

/** A namespace that was read or written lately, with its number in the file and its head. */
export interface OpenNamespace {
  no: number;
  generation: number;
  seq: number;
  epoch: number;
}

const MAX_OPEN = 50_000;

/**
 * Heads and usage counters, which live in memory and reach the file once per commit (`flush`), however many writes
 * share it; after a rollback (`reset`) they are read anew.
 */
export function createHeads(db: SqliteDriver, fresh: Pick<FreshRows, 'lastSeq'>) {
  const namespaces = new Map<string, OpenNamespace>();
  /** Namespaces whose head moved in this transaction. */
  const moved = new Set<OpenNamespace>();
  const usageDeltas = new Map<string, { nsno: number; kind: Kind; rows: number; bytes: number }>();
  /** Read when it is first needed, and again after a rollback. */
  let lastSeq: number | undefined;

  function readLastSeq(): number {
    // Rows of a dropped namespace may outlive its record for a while, and their seqs are still taken.
    const sql =
      'SELECT coalesce(max(seq), 0) AS seq FROM (SELECT max(seq) AS seq FROM namespaces UNION ALL SELECT max(seq) FROM rows)';
    return Math.max(db.get<{ seq: number }>(sql)!.seq, fresh.lastSeq());
  }

  /** The newest position of all. */
  function last(): number {
    lastSeq ??= readLastSeq();
    return lastSeq;
  }

  function dropIdle(): void {
    for (const [name, opened] of namespaces) if (!moved.has(opened)) namespaces.delete(name);
  }

  return {
    last,

    namespace(ns: Uint8Array): OpenNamespace | undefined {
      const name = namespaceMapKey(ns);
      const known = namespaces.get(name);
      if (known) return known;
      const sql = 'SELECT no, generation, seq, epoch FROM namespaces WHERE ns = ?';
      const opened = db.get<OpenNamespace>(sql, ns);
      if (!opened) return undefined;
      opened.seq = Math.max(opened.seq, fresh.lastSeq(ns));
      if (namespaces.size >= MAX_OPEN) dropIdle();
      namespaces.set(name, opened);
      return opened;
    },

    /** Moves a namespace to a new position. */
    advance(opened: OpenNamespace): number {
      lastSeq = last() + 1;
      opened.seq = lastSeq;
      moved.add(opened);
      return opened.seq;
    },

    /** Moves a namespace to a position that was given away before. */
    reach(opened: OpenNamespace, seq: number): void {
      lastSeq = Math.max(last(), seq);
      opened.seq = Math.max(opened.seq, seq);
      moved.add(opened);
    },

    /** Begins a new epoch of a namespace, in the file at once. */
    renew(nsno: number): void {
      db.run('UPDATE namespaces SET epoch = epoch + 1 WHERE no = ?', nsno);
      for (const opened of namespaces.values()) if (opened.no === nsno) opened.epoch++;
    },

    count(nsno: number, kind: Kind, rows: number, bytes: number): void {
      const name = `${nsno} ${kind}`;
      const delta = usageDeltas.get(name);
      if (!delta) usageDeltas.set(name, { nsno, kind, rows, bytes });
      else {
        delta.rows += rows;
        delta.bytes += bytes;
      }
    },

    /** Lets go of a namespace that is dropped. */
    forget(ns: Uint8Array, opened: OpenNamespace): void {
      moved.delete(opened);
      namespaces.delete(namespaceMapKey(ns));
      for (const [name, delta] of usageDeltas) if (delta.nsno === opened.no) usageDeltas.delete(name);
    },

    flush(): void {
      for (const opened of moved) {
        db.run('UPDATE namespaces SET seq = ?, epoch = ? WHERE no = ?', opened.seq, opened.epoch, opened.no);
      }
      moved.clear();
      for (const { nsno, kind, rows, bytes } of usageDeltas.values()) {
        db.run(
          `INSERT INTO usage (nsno, kind, rows, bytes) VALUES (?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET rows = rows + excluded.rows, bytes = bytes + excluded.bytes`,
          nsno,
          kind,
          rows,
          bytes,
        );
      }
      usageDeltas.clear();
    },

    reset(): void {
      namespaces.clear();
      moved.clear();
      usageDeltas.clear();
      lastSeq = undefined;
    },
  };
}
