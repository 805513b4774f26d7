import type { SQLInputValue } from 'node:sqlite';
import { KINDS } from '../../memory/entry.ts';
import type { Row, ScanOptions } from '../../memory/store.ts';
import { damagedError, type SqliteDriver } from './driver.ts';

// Queries that read whole rows: one by its id, or a page of a namespace.

/** Clamps a column to what a JavaScript number can hold: a larger value would make the driver throw for the whole page. */
export const safeInteger = (column: string, name = column) =>
  `max(min(${column}, ${Number.MAX_SAFE_INTEGER}), ${-Number.MAX_SAFE_INTEGER}) AS ${name}`;
/** The columns of a `Row`, under its property names. */
export const ROW_COLUMNS = [
  'id, kind, grp AS "group", body, seq',
  safeInteger('rev'),
  safeInteger('created', 'createdMs'),
  safeInteger('updated', 'updatedMs'),
  safeInteger('expires', 'expiresMs'),
].join(', ');

type RowColumns = [
  id: Row['id'],
  kind: Row['kind'],
  group: Row['group'],
  body: Row['body'],
  seq: number,
  rev: number,
  createdMs: number,
  updatedMs: number,
  expiresMs: number | null,
];

// Row objects made by node:sqlite are allocated in the old generation, where only a major GC frees them: while loading
// 100,000 rows that was half of each GC pause. So rows are read as arrays and the objects are made here.
function rowOf([id, kind, group, body, seq, rev, createdMs, updatedMs, expiresMs]: RowColumns): Row {
  return { id, kind, group, body, seq, rev, createdMs, updatedMs, expiresMs };
}

const FIND_ROW = `SELECT ${ROW_COLUMNS} FROM rows WHERE nsno = ? AND id = ?`;

/** Finds one row by its id. */
export function findRow(db: SqliteDriver, nsno: number, id: Uint8Array): Row | undefined {
  const [found] = db.arrays<RowColumns>(FIND_ROW, nsno, id);
  // If the header of an index entry is damaged, SQLite may take it for the wanted one and return the entry's own row, which
  // is intact and can be decrypted. A delete or an update of it fails by itself, because the index then contradicts it.
  if (found && Buffer.compare(found[0], id) !== 0) throw damagedError();
  return found && rowOf(found);
}

/** Reads one page of a namespace's rows in the order of changes. */
export function scanRows(db: SqliteDriver, nsno: number, scan: ScanOptions): Row[] {
  const order = scan.newestFirst ? 'DESC' : 'ASC';
  const bounds = ` AND seq > ? AND seq < ? ORDER BY seq ${order} LIMIT ?`;
  const values = [scan.afterSeq ?? 0, scan.beforeSeq ?? Number.MAX_SAFE_INTEGER, scan.limit];
  const select = (where: string, ...named: SQLInputValue[]) =>
    db
      .arrays<RowColumns>(
        `SELECT ${ROW_COLUMNS} FROM rows WHERE nsno = ? AND ${where}${bounds}`,
        nsno,
        ...named,
        ...values,
      )
      .map(rowOf);

  if (scan.group) {
    const kinds = scan.kinds ?? KINDS;
    return select(`grp = ? AND kind IN (${kinds.map(() => '?').join(', ')})`, scan.group, ...kinds);
  }
  // One ordered index range per kind, merged: a single query over several kinds would sort the whole namespace.
  const pages = (scan.kinds ?? KINDS).map((kind) => select('kind = ?', kind));
  const direction = scan.newestFirst ? -1 : 1;
  return pages
    .flat()
    .sort((a, b) => direction * (a.seq - b.seq))
    .slice(0, scan.limit);
}
