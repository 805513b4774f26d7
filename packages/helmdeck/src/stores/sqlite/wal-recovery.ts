import { closeSync, fdatasyncSync, fsyncSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../errors.ts';
import { isWalOfAnotherFile } from './data-files.ts';
import { wrapErrors } from './driver.ts';
import { leftoverLogPath } from './leftover-append-log.ts';

// What a process that did not close the database left in the WAL, before SQLite replays it.

const CHUNK_BYTES = 1 << 20;
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682; // with the last bit set, checksums are over big-endian words

/** Prepares the WAL that a process left behind for SQLite's recovery; refuses one without its database, or with another. */
export function recoverWal(dbPath: string, onWarning: (warning: string) => void): void {
  assertDatabaseOfLog(dbPath);
  wrapErrors(() => {
    rewriteWal(dbPath);
    const dropped = countDroppedFrames(dbPath);
    if (dropped > 0) onWarning(droppedFramesWarning(dropped));
  });
}

/** Throws if there is a log without its database, or with another one. */
export function assertDatabaseOfLog(dbPath: string): void {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const logs = [`${dbPath}-wal`, leftoverLogPath(dbPath)].filter((path) => sizeOf(path) > 0);
  if (logs.length > 0 && sizeOf(dbPath) === 0) {
    throw new AppError(
      'memory_unavailable',
      'The database file is missing or empty, but its log is still there, with the latest writes.',
      {
        reason: 'log_without_database',
        hint: 'Put the database file back. To use a backup instead, run "helmdeck restore"; to begin a new memory, first move the files beside it that end with "-wal" and "-fresh" away, then run "helmdeck serve --new-memory" once.',
      },
    );
  }
  if (wrapErrors(() => isWalOfAnotherFile(dbPath))) {
    throw new AppError(
      'memory_unavailable',
      'The database file was replaced, but the log of the earlier file is still beside it.',
      {
        reason: 'log_of_another_database',
        hint: 'Put the earlier file back. To use the present file as it is, move the file that ends with "-wal" away; "helmdeck restore" does so by itself.',
      },
    );
  }
}

export function droppedFramesWarning(frames: number): string {
  return `The write-ahead log is damaged: ${frames === 1 ? 'the last frame' : `the last ${frames} frames`} cannot be replayed. After a power cut this is normal, and nothing of it was acknowledged. If there was none, acknowledged writes are lost: compare with a backup.`;
}

/**
 * Writes the WAL again over itself and syncs it. When a sync fails, Linux marks the pages that it could not write as
 * clean: they are in the page cache, where recovery finds them, but not on the disk, and no later sync writes them.
 * Writing them again makes them dirty; after the sync, what SQLite is about to replay is what a power cut would leave.
 */
function rewriteWal(dbPath: string): void {
  const path = `${dbPath}-wal`;
  if (!statSync(path, { throwIfNoEntry: false })?.size) return;
  const fd = openSync(path, 'r+');
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let at = 0; ; ) {
      const bytes = readSync(fd, chunk, 0, CHUNK_BYTES, at);
      if (bytes === 0) break;
      for (let written = 0; written < bytes; )
        written += writeSync(fd, chunk, written, bytes - written, at + written);
      at += bytes;
    }
    fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Counts the frames from the first damaged one on that belong to the current pass over the WAL. SQLite ends its recovery
 * there without a word. After a power cut such frames are normal: they were written but not synced, so not acknowledged.
 * If only the process died they mean that the file was damaged, and acknowledged writes may be among them.
 */
export function countDroppedFrames(dbPath: string): number {
  const path = `${dbPath}-wal`;
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= HEADER_BYTES) return 0;
  const fd = openSync(path, 'r');
  try {
    return countIn(fd);
  } finally {
    closeSync(fd);
  }
}

type Sums = readonly [number, number];

function countIn(fd: number): number {
  const header = Buffer.alloc(HEADER_BYTES);
  readSync(fd, header, 0, HEADER_BYTES, 0);
  const magic = header.readUInt32BE(0);
  const isBigEndian = (magic & 1) === 1;
  const pageBytes = header.readUInt32BE(8);
  const expected = checksum(header.subarray(0, 24), isBigEndian, [0, 0]);
  const isIntact = (magic & ~1) === MAGIC && endsWith(header, expected);
  // Without its header SQLite ignores the whole file.
  if (!isIntact) return 1;
  const salts = header.subarray(16, 24);
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + pageBytes);
  let sums: Sums | undefined = expected;
  let dropped = 0;
  for (let at = HEADER_BYTES; readSync(fd, frame, 0, frame.length, at) === frame.length; at += frame.length) {
    if (sums) {
      const next = checksum(frame.subarray(0, 8), isBigEndian, sums);
      const all = checksum(frame.subarray(FRAME_HEADER_BYTES), isBigEndian, next);
      sums = endsWith(frame.subarray(0, FRAME_HEADER_BYTES), all) ? all : undefined;
    }
    // Frames of an earlier pass have other salts: the WAL was checkpointed before it restarted.
    if (!sums && frame.subarray(8, 16).equals(salts)) dropped++;
  }
  return dropped;
}

/** SQLite's checksum of pairs of 32-bit words, continued from `sums`. */
function checksum(bytes: Buffer, isBigEndian: boolean, sums: Sums): Sums {
  let [a, b] = sums;
  const word = isBigEndian ? (at: number) => bytes.readUInt32BE(at) : (at: number) => bytes.readUInt32LE(at);
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + word(at) + b) >>> 0;
    b = (b + word(at + 4) + a) >>> 0;
  }
  return [a, b];
}

function endsWith(bytes: Buffer, [a, b]: Sums): boolean {
  return bytes.readUInt32BE(bytes.length - 8) === a && bytes.readUInt32BE(bytes.length - 4) === b;
}
