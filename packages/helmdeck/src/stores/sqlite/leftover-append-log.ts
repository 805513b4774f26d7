import { existsSync, readFileSync, rmSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { AppError } from '../../errors.ts';
import type { Kind } from '../../memory/entry.ts';
import type { NamespaceRef, Row } from '../../memory/store.ts';
import type { SqliteDriver } from './driver.ts';
import { createPositions } from './positions.ts';

// Earlier builds of Helmdeck acknowledged new rows from an append log of their own, `<db>-fresh`, before the rows were in
// the tables. A process of such a build that was killed leaves the file behind: it is replayed once and deleted. ADR 13.

/** A row of the append log with the `seq` that was assigned to it. */
interface LoggedRow {
  ref: NamespaceRef;
  seq: number;
  row: Omit<Row, 'seq'>;
}

export const leftoverLogPath = (dbPath: string) => `${dbPath}-fresh`;

/** Puts the rows of a leftover append log into the tables and deletes the log. */
export function replayLeftoverLog(
  db: SqliteDriver,
  dbPath: string,
  onWarning: (warning: string) => void = () => {},
): void {
  if (!existsSync(leftoverLogPath(dbPath))) return;
  const damaged = insertLogged(db, dbPath);
  if (damaged > 0)
    onWarning(
      `The append log of an earlier build is damaged in ${damaged === 1 ? 'one place' : `${damaged} places`}; the rows there are lost, all others were recovered.`,
    );
  rmSync(leftoverLogPath(dbPath));
}

/**
 * Puts the rows of `dbPath`'s append log into `db`, which is that database or a copy of it, and leaves the log alone.
 * The rows are synced to the disk when this returns. Returns in how many places the log is damaged.
 */
export function insertLogged(db: SqliteDriver, dbPath: string): number {
  const positions = createPositions(db);
  const { rows, damaged } = readLog(leftoverLogPath(dbPath));
  const missing = rows.filter(({ ref, seq }) => {
    const namespace = positions.namespace(ref.ns);
    return namespace?.generation === ref.generation && seq > namespace.seq;
  });
  if (missing.length === 0) return damaged;
  const { synchronous } = db.get<{ synchronous: number }>('PRAGMA synchronous')!;
  db.exec('PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
  try {
    for (const logged of missing) insert(db, positions, logged);
    positions.flush();
    db.exec('COMMIT');
  } catch (thrown) {
    db.exec('ROLLBACK');
    throw thrown;
  } finally {
    db.exec(`PRAGMA synchronous = ${synchronous}`);
  }
  return damaged;
}

/** Inserts a row at its `seq`, or at the end if a version without the log has used that `seq` meanwhile. */
function insert(db: SqliteDriver, positions: ReturnType<typeof createPositions>, logged: LoggedRow): void {
  const namespace = positions.namespace(logged.ref.ns)!;
  const { id, kind, group, rev, createdMs, updatedMs, expiresMs, body } = logged.row;
  const sql = `INSERT INTO rows (seq, nsno, id, kind, grp, rev, created, updated, expires, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
  const insertAt = (seq: number) =>
    db.run(sql, seq, namespace.no, id, kind, group, rev, createdMs, updatedMs, expiresMs, body) > 0;
  if (insertAt(logged.seq)) positions.advanceTo(namespace, logged.seq);
  else if (hasRow(db, namespace.no, id) || !insertAt(positions.advance(namespace))) return;
  positions.count(namespace.no, kind, 1, body.length);
}

function hasRow(db: SqliteDriver, nsno: number, id: Uint8Array): boolean {
  return db.get('SELECT 1 FROM rows WHERE nsno = ? AND id = ?', nsno, id) !== undefined;
}

// A record is a 60-byte header and the five byte strings it gives the lengths of, padded to whole blocks. Header:
// CRC-32 of the rest of the record (u32), record length (u32), seq, generation, rev, created, updated, expires (f64
// each, NaN for no expiry), lengths of ns, id, group and kind (u8 each; 255 for no group). The body takes the rest.
const BLOCK_BYTES = 4_096;
const HEADER_BYTES = 4 + 4 + 6 * 8 + 4;
const NO_GROUP = 255;

/**
 * The log was overwritten from its start, so records of an earlier pass, with smaller seqs, may follow the last one. A
 * damaged record is skipped, and counted if a record of this pass follows it: at the end of the log it is only a record
 * that was not completely written, and never acknowledged.
 */
function readLog(path: string): { rows: LoggedRow[]; damaged: number } {
  const bytes = readIfExists(path);
  const rows: LoggedRow[] = [];
  let damaged = 0;
  let skipped = false;
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    const record = decodeRecord(bytes.subarray(at));
    if (record && record.logged.seq <= (rows.at(-1)?.seq ?? 0)) break;
    if (record) {
      rows.push(record.logged);
      if (skipped) damaged++;
    }
    skipped = !record;
    at += Math.ceil((record?.bytes ?? 1) / BLOCK_BYTES) * BLOCK_BYTES;
  }
  return { rows, damaged };
}

function readIfExists(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw new AppError('memory_unavailable', 'The log of the latest writes cannot be read.', {
      reason: 'cannot_open',
      hint: 'Check the permissions of the file beside the database whose name ends with "-fresh".',
      cause: thrown,
    });
  }
}

function decodeRecord(bytes: Buffer): { logged: LoggedRow; bytes: number } | undefined {
  const length = bytes.readUInt32LE(4);
  if (length < HEADER_BYTES || length > bytes.length) return undefined;
  if (crc32(bytes.subarray(4, length)) !== bytes.readUInt32LE(0)) return undefined;
  const double = (index: number) => bytes.readDoubleLE(8 + index * 8);
  const [nsBytes, idBytes, groupBytes, kindBytes] = bytes.subarray(HEADER_BYTES - 4, HEADER_BYTES);
  let at = HEADER_BYTES;
  const take = (count: number) => {
    at += count;
    return Buffer.from(bytes.subarray(at - count, at));
  };
  const ns = take(nsBytes!);
  const id = take(idBytes!);
  const group = groupBytes === NO_GROUP ? null : take(groupBytes!);
  const kind = take(kindBytes!).toString('latin1') as Kind;
  const expiresMs = Number.isNaN(double(5)) ? null : double(5);
  const times = { createdMs: double(3), updatedMs: double(4), expiresMs };
  const row = { id, kind, group, rev: double(2), ...times, body: take(length - at) };
  return { logged: { ref: { ns, generation: double(1) }, seq: double(0), row }, bytes: length };
}
