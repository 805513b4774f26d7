import type { SqliteDriver } from './driver.ts';
import type { FreshRow } from './fresh-log.ts';
import { createSqliteWriter } from './writer.ts';

/** Those of a log's rows that are not in the tables yet: a namespace knows how far it has come. */
export function notInTables(db: SqliteDriver, left: readonly FreshRow[]): FreshRow[] {
  const sql = 'SELECT generation, seq FROM namespaces WHERE ns = ?';
  return left.filter(({ ref, seq }) => {
    const known = db.get<{ generation: number; seq: number }>(sql, ref.ns);
    return known?.generation === ref.generation && seq > known.seq;
  });
}

/** Puts a log's rows into their database, or a copy of it, that no store has open. */
export function placeLogged(db: SqliteDriver, left: readonly FreshRow[]): void {
  const missing = notInTables(db, left);
  if (missing.length === 0) return;
  const writer = createSqliteWriter(db, Date.now, { find: () => undefined, lastSeq: () => 0 });
  db.run('BEGIN IMMEDIATE');
  for (const fresh of missing) writer.place(fresh);
  writer.flush();
  db.run('COMMIT');
}
