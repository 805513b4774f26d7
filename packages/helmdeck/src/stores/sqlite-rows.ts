import type { SQLInputValue } from 'node:sqlite';
import { KINDS, type Kind } from '../memory/entry.ts';
import type { Row, ScanOptions } from '../memory/store.ts';
import type { SqliteDriver } from './sqlite-driver.ts';

export interface StoredRow {
  seq: number;
  nsno: number;
  id: Uint8Array;
  kind: Kind;
  grp: Uint8Array | null;
  rev: number;
  created: number;
  updated: number;
  expires: number | null;
  body: Uint8Array;
}

// A number that no Date or counter can hold would make the driver throw, and one bad row break a whole page.
const sane = (column: string) =>
  `max(min(${column}, ${Number.MAX_SAFE_INTEGER}), ${-Number.MAX_SAFE_INTEGER}) AS ${column}`;
export const COLUMNS = `seq, nsno, id, kind, grp, body, ${['rev', 'created', 'updated', 'expires'].map(sane).join(', ')}`;

export function toRow(row: StoredRow): Row {
  return {
    id: row.id,
    kind: row.kind,
    group: row.grp,
    body: row.body,
    rev: row.rev,
    seq: row.seq,
    createdMs: row.created,
    updatedMs: row.updated,
    expiresMs: row.expires,
  };
}

/** One page of a namespace in the order of changes. */
export function scanRows(db: SqliteDriver, nsno: number, scan: ScanOptions): Row[] {
  const order = scan.newestFirst ? 'DESC' : 'ASC';
  const bounds = ` AND seq > ? AND seq < ? ORDER BY seq ${order} LIMIT ?`;
  const values = [scan.afterSeq ?? 0, scan.beforeSeq ?? Number.MAX_SAFE_INTEGER, scan.limit];
  const select = (where: string, ...named: SQLInputValue[]) =>
    db.all<StoredRow>(
      `SELECT ${COLUMNS} FROM rows WHERE nsno = ? AND ${where}${bounds}`,
      nsno,
      ...named,
      ...values,
    );

  if (scan.group) {
    const kinds = scan.kinds ?? KINDS;
    return select(`grp = ? AND kind IN (${kinds.map(() => '?').join(', ')})`, scan.group, ...kinds).map(
      toRow,
    );
  }
  // One ordered index range per kind, merged: a single query over several kinds would sort the whole namespace.
  const pages = (scan.kinds ?? KINDS).map((kind) => select('kind = ?', kind));
  const direction = scan.newestFirst ? -1 : 1;
  return pages
    .flat()
    .sort((a, b) => direction * (a.seq - b.seq))
    .slice(0, scan.limit)
    .map(toRow);
}
