import type { Position, RowReads, Tombstone } from '../../memory/store.ts';
import { openSqlite, type SqliteDriver } from './driver.ts';
import { findRow, scanRows } from './rows.ts';

// The read half of the SQLite store, for the main connection and for worker threads.

/** SQLite's LIMIT for "all rows". */
const NO_LIMIT = -1;

/** A namespace's number in the file and its position. */
export interface NumberedNamespace extends Position {
  no: number;
}

/** Implements `RowReads`. `beforeGet` opens the read transaction that the look-ups of one tick share. */
export function createRowReads(
  db: SqliteDriver,
  find: (ns: Uint8Array) => NumberedNamespace | undefined,
  beforeGet: () => void = () => {},
): RowReads {
  return {
    async get(ns, id) {
      const namespace = find(ns);
      if (!namespace) return undefined;
      beforeGet();
      return findRow(db, namespace.no, id);
    },
    async scan(ns, scan) {
      const namespace = find(ns);
      return namespace ? scanRows(db, namespace.no, scan) : [];
    },
    async marks(ns, kind, afterSeq, limit) {
      const namespace = find(ns);
      if (!namespace) return [];
      // As text: a Buffer for each of 100,000 rows would be a lot of garbage.
      const sql = `SELECT seq, hex(substr(id, 1, 6)) FROM rows
        WHERE nsno = ? AND kind = ? AND seq > ? ORDER BY seq LIMIT ?`;
      const rows = db.arrays<[seq: number, idStart: string]>(sql, namespace.no, kind, afterSeq, limit);
      return rows.map(([seq, idStart]) => ({ seq, idStart: Number.parseInt(idStart, 16) }));
    },
    async tombstones(ns, afterSeq, limit = NO_LIMIT) {
      const namespace = find(ns);
      if (!namespace) return [];
      return db.all<Tombstone>(
        'SELECT id, seq FROM tombstones WHERE nsno = ? AND seq > ? ORDER BY seq LIMIT ?',
        namespace.no,
        afterSeq,
        limit,
      );
    },
    async position(ns) {
      const { seq, epoch } = find(ns) ?? { seq: 0, epoch: 0 };
      return { seq, epoch };
    },
  };
}

/** Opens a second, read-only connection to a file that this process's store has open; for worker threads. */
export function openSqliteReader(path: string): RowReads & { close(): void } {
  const db = openSqlite(path, { readOnly: true });
  const find = (ns: Uint8Array) =>
    db.get<NumberedNamespace>('SELECT no, seq, epoch FROM namespaces WHERE ns = ?', ns);
  return { ...createRowReads(db, find), close: db.close };
}
