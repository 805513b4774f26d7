import { AppError } from '../../errors.ts';
import { type SqliteDriver, useWriteAheadLog } from './driver.ts';

// The tables of a database file: creates them, and refuses files that are not Helmdeck databases.

const APPLICATION_ID = 0x48444b31; // "HDK1"
const SCHEMA_VERSION = 1;

// A write touches half a dozen scattered pages and each goes through the WAL whole: with pages of 2 KiB instead of 4 a
// single commit takes three quarters of the time. Existing files keep their page size.
const PAGE_BYTES = 2_048;

// `seq` is the rowid: new and changed rows are appended, and every index ends with the rowid, so "newest first" and
// "changed since" need no further index. Namespaces are referred to by small numbers to keep the indexes small.
const SCHEMA = `
CREATE TABLE namespaces (
  no INTEGER PRIMARY KEY AUTOINCREMENT, ns BLOB NOT NULL UNIQUE, generation INTEGER NOT NULL,
  blob BLOB NOT NULL, seq INTEGER NOT NULL, epoch INTEGER NOT NULL
);
CREATE TABLE rows (
  seq INTEGER PRIMARY KEY, nsno INTEGER NOT NULL, id BLOB NOT NULL, kind TEXT NOT NULL, grp BLOB,
  rev INTEGER NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, expires INTEGER, body BLOB NOT NULL
);
CREATE UNIQUE INDEX rows_by_id ON rows (nsno, id);
CREATE INDEX rows_by_kind ON rows (nsno, kind);
CREATE INDEX rows_by_group ON rows (nsno, grp) WHERE grp IS NOT NULL;
CREATE INDEX rows_by_expiry ON rows (expires) WHERE expires IS NOT NULL;
CREATE TABLE tombstones (seq INTEGER PRIMARY KEY, nsno INTEGER NOT NULL, id BLOB NOT NULL, at INTEGER NOT NULL);
CREATE INDEX tombstones_by_namespace ON tombstones (nsno);
CREATE TABLE usage (
  nsno INTEGER NOT NULL, kind TEXT NOT NULL, rows INTEGER NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (nsno, kind)
) WITHOUT ROWID;
-- Namespaces whose key is gone and whose rows are still being removed.
CREATE TABLE dropped (no INTEGER PRIMARY KEY);
CREATE TABLE probe (no INTEGER PRIMARY KEY, body BLOB NOT NULL);
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** Creates the tables in an empty file; refuses a file of another program or of a later Helmdeck. */
export function prepareSchema(db: SqliteDriver): void {
  const isNew = !hasTables(db);
  if (isNew) db.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
  else assertSchema(db);
  useWriteAheadLog(db);
  if (isNew) db.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT;`);
}

export function hasTables(db: SqliteDriver): boolean {
  return db.get<{ count: number }>('SELECT count(*) AS count FROM sqlite_master')!.count > 0;
}

/** Throws unless the file is a Helmdeck database of this schema version or an earlier one. */
export function assertSchema(db: SqliteDriver): void {
  const version = db.get<{ user_version: number }>('PRAGMA user_version')!.user_version;
  const application = db.get<{ application_id: number }>('PRAGMA application_id')!.application_id;
  if (application !== APPLICATION_ID) {
    throw new AppError('memory_unavailable', 'The file is a database, but not one of Helmdeck.', {
      reason: 'not_a_database',
      hint: 'Check HELMDECK_DB.',
    });
  }
  if (version > SCHEMA_VERSION) {
    throw new AppError(
      'memory_unavailable',
      `The database was written by a later Helmdeck (schema ${version}).`,
      {
        reason: 'later_schema',
        hint: 'Run that version or a later one.',
      },
    );
  }
}
