import type { Position, Row, RowReads, Tombstone } from '../../memory/store.ts';
import { openSqlite, type SqliteDriver } from './driver.ts';
import { findRow, scanRows } from './rows.ts';

/** As a limit, to SQLite. */
const EVERYTHING = -1;

/** A namespace's number in the file, and where it stands. */
export interface NamespacePlace extends Position {
  no: number;
}

/** How a store that also writes takes part in its reads. */
export interface ReadHooks {
  /** A row that is not in the tables yet. */
  findFresh(ns: Uint8Array, id: Uint8Array): Row | undefined;
  /** Puts the rows of a namespace that are not in the tables yet into them. */
  settle(ns: Uint8Array): void;
  beforeGet(): void;
}

const READS_ONLY: ReadHooks = { findFresh: () => undefined, settle: () => {}, beforeGet: () => {} };

export function createRowReads(
  db: SqliteDriver,
  find: (ns: Uint8Array) => NamespacePlace | undefined,
  { findFresh, settle, beforeGet }: ReadHooks = READS_ONLY,
): RowReads {
  return {
    async get(ns, id) {
      const place = find(ns);
      if (!place) return undefined;
      const fresh = findFresh(ns, id);
      if (fresh) return fresh;
      beforeGet();
      return findRow(db, place.no, id);
    },
    async scan(ns, scan) {
      const place = find(ns);
      settle(ns);
      return place ? scanRows(db, place.no, scan) : [];
    },
    async marks(ns, kind, afterSeq, limit) {
      const place = find(ns);
      if (!place) return [];
      settle(ns);
      // As text: a buffer for each of a hundred thousand rows is much to collect.
      const sql = `SELECT seq, hex(substr(id, 1, 6)) FROM rows
        WHERE nsno = ? AND kind = ? AND seq > ? ORDER BY seq LIMIT ?`;
      const rows = db.lists<[seq: number, idStart: string]>(sql, place.no, kind, afterSeq, limit);
      return rows.map(([seq, idStart]) => ({ seq, idStart: Number.parseInt(idStart, 16) }));
    },
    async tombstones(ns, afterSeq, limit = EVERYTHING) {
      const place = find(ns);
      if (!place) return [];
      settle(ns);
      return db.all<Tombstone>(
        'SELECT id, seq FROM tombstones WHERE nsno = ? AND seq > ? ORDER BY seq LIMIT ?',
        place.no,
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

/** Reads a file that a store of the same process has open. */
export function openSqliteReader(path: string): RowReads & { close(): void } {
  const db = openSqlite(path, { readOnly: true });
  const find = (ns: Uint8Array) =>
    db.get<NamespacePlace>('SELECT no, seq, epoch FROM namespaces WHERE ns = ?', ns);
  return { ...createRowReads(db, find), close: db.close };
}
