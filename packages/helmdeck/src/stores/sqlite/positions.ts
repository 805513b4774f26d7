import type { Kind } from '../../memory/entry.ts';
import type { Position } from '../../memory/store.ts';
import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';
import type { SqliteDriver } from './driver.ts';

// The positions and usage counters of namespaces, cached in RAM and written once per transaction.

/** A row of the `namespaces` table, cached: its number in the file, its generation and its position. */
export interface OpenNamespace extends Position {
  no: number;
  generation: number;
}

const MAX_OPEN_NAMESPACES = 50_000;

/**
 * `flush` writes what changed, once for all writes that share a transaction. After a rollback, `reset` discards the cache,
 * and positions are read from the file again.
 */
export function createPositions(db: SqliteDriver) {
  const namespaces = new Map<string, OpenNamespace>();
  /** Namespaces whose position moved in this transaction. */
  const moved = new Set<OpenNamespace>();
  const usageDeltas = new Map<string, { nsno: number; kind: Kind; rows: number; bytes: number }>();
  /** The highest `seq` in the file: read on first use, and again after a rollback. */
  let lastSeq: number | undefined;

  function readLastSeq(): number {
    // Rows of a dropped namespace may outlive its record for a while, and their seqs are still taken.
    const sql =
      'SELECT coalesce(max(seq), 0) AS seq FROM (SELECT max(seq) AS seq FROM namespaces UNION ALL SELECT max(seq) FROM rows)';
    return db.get<{ seq: number }>(sql)!.seq;
  }

  function last(): number {
    lastSeq ??= readLastSeq();
    return lastSeq;
  }

  function evictUnmoved(): void {
    for (const [key, opened] of namespaces) if (!moved.has(opened)) namespaces.delete(key);
  }

  return {
    last,

    namespace(ns: Uint8Array): OpenNamespace | undefined {
      const key = namespaceMapKey(ns);
      const known = namespaces.get(key);
      if (known) return known;
      const sql = 'SELECT no, generation, seq, epoch FROM namespaces WHERE ns = ?';
      const opened = db.get<OpenNamespace>(sql, ns);
      if (!opened) return undefined;
      if (namespaces.size >= MAX_OPEN_NAMESPACES) evictUnmoved();
      namespaces.set(key, opened);
      return opened;
    },

    /** Gives a namespace the next `seq`. */
    advance(opened: OpenNamespace): number {
      lastSeq = last() + 1;
      opened.seq = lastSeq;
      moved.add(opened);
      return opened.seq;
    },

    /** Moves a namespace forward to a `seq` that was assigned earlier. */
    advanceTo(opened: OpenNamespace, seq: number): void {
      lastSeq = Math.max(last(), seq);
      opened.seq = Math.max(opened.seq, seq);
      moved.add(opened);
    },

    /** Starts a new epoch of a namespace, in the file at once. */
    startEpoch(nsno: number): void {
      db.run('UPDATE namespaces SET epoch = epoch + 1 WHERE no = ?', nsno);
      for (const opened of namespaces.values()) if (opened.no === nsno) opened.epoch++;
    },

    count(nsno: number, kind: Kind, rows: number, bytes: number): void {
      const key = `${nsno} ${kind}`;
      const delta = usageDeltas.get(key);
      if (!delta) usageDeltas.set(key, { nsno, kind, rows, bytes });
      else {
        delta.rows += rows;
        delta.bytes += bytes;
      }
    },

    /** Discards the cached state of a dropped namespace. */
    discard(ns: Uint8Array, opened: OpenNamespace): void {
      moved.delete(opened);
      namespaces.delete(namespaceMapKey(ns));
      for (const [key, delta] of usageDeltas) if (delta.nsno === opened.no) usageDeltas.delete(key);
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
