import {
  closeSync,
  fdatasyncSync,
  constants as files,
  fsyncSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { AppError } from '../../errors.ts';
import type { Kind } from '../../memory/entry.ts';
import type { NamespaceRef, Row } from '../../memory/store.ts';

/** A new row with its place in the order of changes, which is on disk and not yet in the tables. */
export interface FreshRow {
  ref: NamespaceRef;
  seq: number;
  row: Omit<Row, 'seq'>;
}

/** New rows, one after the other, each on disk when `append` returns. */
export interface FreshLog {
  /** False, and nothing is promised, when there is no room for it or the file cannot be written. */
  append(fresh: FreshRow): boolean;
  /** Begins at the start again: everything in it is safely in the tables. */
  restart(): void;
  /** Leaves no trace of what was in it. */
  remove(): void;
}

export const freshLogPath = (dbPath: string) => `${dbPath}-fresh`;

const LOG_BYTES = 2_097_152;
/** Writes that bypass the page cache are whole blocks, in place and in memory. */
const BLOCK_BYTES = 4_096;
/** checksum, length, seq, generation, rev, created, updated, expires, four lengths. */
const HEAD_BYTES = 4 + 4 + 6 * 8 + 4;
const NO_GROUP = 255;
/** Longest of a record, and all of the memory it is written from: one page of WebAssembly, which begins at a block. */
const MAX_RECORD_BYTES = 65_536;

/** Elsewhere such a write may end in the disk's own cache, or there is no such thing. */
const SYNCED_WRITES = process.platform === 'linux' ? files.O_DSYNC : 0;

declare const WebAssembly: {
  Memory: new (pages: { initial: number; maximum: number }) => { buffer: ArrayBuffer };
};

/** A file of one fixed size, written from the start: overwriting takes the disk less than growing. */
export function createFreshLog(dbPath: string): FreshLog {
  const path = freshLogPath(dbPath);
  const memory = Buffer.from(new WebAssembly.Memory({ initial: 1, maximum: 1 }).buffer);
  let file: number | undefined;
  let broken = false;
  let at = 0;

  function opened(): number {
    if (file !== undefined) return file;
    makeFile(path);
    file = openDurable(path);
    return file;
  }

  /** A record that was not acknowledged must not be found by the next start. */
  function blank(from: number): void {
    try {
      memory.fill(0, 0, BLOCK_BYTES);
      if (file !== undefined) writeSync(file, memory, 0, BLOCK_BYTES, from);
    } catch {
      // Then it may come back, as any write whose disk failed in the middle of it.
    }
  }

  function close(): void {
    if (file !== undefined) closeSync(file);
    file = undefined;
  }

  return {
    append(fresh) {
      const bytes = recordBytes(fresh);
      const length = Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
      if (broken || !fitsRecord(fresh, length) || at + length > LOG_BYTES) return false;
      try {
        const target = opened();
        encode(fresh, memory, bytes);
        memory.fill(0, bytes, length);
        if (writeSync(target, memory, 0, length, at) !== length) throw new Error('a short write');
        if (!SYNCED_WRITES) fdatasyncSync(target);
      } catch {
        // The tables take the row instead, and say what is wrong if they cannot.
        broken = true;
        blank(at);
        return false;
      }
      at += length;
      return true;
    },
    restart() {
      at = 0;
    },
    remove() {
      close();
      at = 0;
      rmSync(path, { force: true });
      broken = false;
    },
  };
}

/** What a log still holds of the last writes, in their order; most of it is in the tables, which know by `seq`. */
export function readFreshLog(dbPath: string): FreshRow[] {
  const path = freshLogPath(dbPath);
  const bytes = readIfThere(path);
  const rows: FreshRow[] = [];
  for (let at = 0; at + HEAD_BYTES <= bytes.length; ) {
    const record = decode(bytes.subarray(at));
    // What follows is of an earlier round, or was never finished.
    if (!record || record.fresh.seq <= (rows.at(-1)?.seq ?? 0)) break;
    rows.push(record.fresh);
    at += Math.ceil(record.bytes / BLOCK_BYTES) * BLOCK_BYTES;
  }
  return rows;
}

function readIfThere(path: string): Buffer {
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

function makeFile(path: string): void {
  const made = openSync(path, 'w', 0o600);
  try {
    if (writeSync(made, Buffer.alloc(LOG_BYTES)) !== LOG_BYTES) throw new Error('a short write');
    fsyncSync(made);
  } finally {
    closeSync(made);
  }
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Past the page cache where the file system can, which saves a copy and a walk through it. */
function openDurable(path: string): number {
  const flags = files.O_WRONLY | SYNCED_WRITES;
  try {
    return openSync(path, flags | (files.O_DIRECT ?? 0));
  } catch {
    return openSync(path, flags);
  }
}

function fitsRecord({ ref, row: { id, group } }: FreshRow, length: number): boolean {
  const longest = Math.max(ref.ns.length, id.length, group?.length ?? 0);
  return length <= MAX_RECORD_BYTES && longest < NO_GROUP;
}

function recordBytes({ ref, row }: FreshRow): number {
  const { id, group, kind, body } = row;
  return HEAD_BYTES + ref.ns.length + id.length + (group?.length ?? 0) + kind.length + body.length;
}

function encode({ ref, seq, row }: FreshRow, into: Buffer, bytes: number): void {
  let at = into.writeUInt32LE(bytes, 4);
  const numbers = [seq, ref.generation, row.rev, row.createdMs, row.updatedMs, row.expiresMs ?? Number.NaN];
  for (const number of numbers) at = into.writeDoubleLE(number, at);
  at = into.writeUInt8(ref.ns.length, at);
  at = into.writeUInt8(row.id.length, at);
  at = into.writeUInt8(row.group?.length ?? NO_GROUP, at);
  at = into.writeUInt8(row.kind.length, at);
  for (const part of [ref.ns, row.id, row.group, Buffer.from(row.kind, 'latin1'), row.body]) {
    if (!part) continue;
    into.set(part, at);
    at += part.length;
  }
  into.writeUInt32LE(crc32(into.subarray(4, bytes)), 0);
}

function decode(bytes: Buffer): { fresh: FreshRow; bytes: number } | undefined {
  const length = bytes.readUInt32LE(4);
  if (length < HEAD_BYTES || length > bytes.length) return undefined;
  if (crc32(bytes.subarray(4, length)) !== bytes.readUInt32LE(0)) return undefined;
  const number = (index: number) => bytes.readDoubleLE(8 + index * 8);
  const [nsBytes, idBytes, groupBytes, kindBytes] = bytes.subarray(HEAD_BYTES - 4, HEAD_BYTES);
  let at = HEAD_BYTES;
  const take = (count: number) => {
    at += count;
    return Buffer.from(bytes.subarray(at - count, at));
  };
  const ns = take(nsBytes!);
  const id = take(idBytes!);
  const group = groupBytes === NO_GROUP ? null : take(groupBytes!);
  const kind = take(kindBytes!).toString('latin1') as Kind;
  const expiresMs = Number.isNaN(number(5)) ? null : number(5);
  const times = { createdMs: number(3), updatedMs: number(4), expiresMs };
  const row = { id, kind, group, rev: number(2), ...times, body: take(length - at) };
  return { fresh: { ref: { ns, generation: number(1) }, seq: number(0), row }, bytes: length };
}
