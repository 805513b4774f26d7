import { readFileSync } from 'node:fs';
import { AppError } from '../../errors.ts';
import { type SqliteDriver, useWriteAheadLog } from './driver.ts';

// The tables of a database file: creates them, and refuses files that are not Helmdeck databases.

const APPLICATION_ID = 0x48444b31; // "HDK1"
const SCHEMA_VERSION = 1;

// A write touches half a dozen scattered pages and each goes through the WAL whole: with pages of 2 KiB instead of 4 a
// single commit takes three quarters of the time. Existing files keep their page size.
const PAGE_BYTES = 2_048;

const SCHEMA = readFileSync(new URL('./schema.sql', import.meta.url), 'utf8');
const MARKS = `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION};`;

/** Creates the tables in an empty file; refuses a file of another program or of a later Helmdeck. */
export function prepareSchema(db: SqliteDriver): void {
  const isNew = !hasTables(db);
  if (isNew) db.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
  else assertSchema(db);
  useWriteAheadLog(db);
  if (isNew) db.exec(`BEGIN IMMEDIATE; ${SCHEMA} ${MARKS} COMMIT;`);
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
