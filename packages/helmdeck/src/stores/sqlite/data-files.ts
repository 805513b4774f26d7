import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  read,
  readFileSync,
  readSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { AppError } from '../../errors.ts';

// The database file and its WAL as files: whether they are still in place, and whether the disk can read them.

const readAt = promisify(read);
const CHUNK_BYTES = 1 << 20;
const START_BYTES = 65_536;

/** One of the two files, held open. Closing any descriptor of a file drops SQLite's locks on it: close it last. */
interface HeldFile {
  fd: number;
  path: string;
  ino: number;
  dev: number;
}

/** What the database file looks like between two checkpoints: only they write to it. */
interface Content {
  size: number;
  mtimeMs: number;
  /** Its first pages. They hold counters that every commit changes, so an older copy of the same database differs. */
  start: Buffer;
}

export interface DataFiles {
  /** Throws `file_gone` if the database or its WAL was deleted, moved or replaced, or the database was overwritten. */
  assertInPlace(): void;
  /** The error once another program has written to the database file: neither it nor the WAL can be used any more. */
  overwritten(): AppError | undefined;
  /** Runs a checkpoint, which changes the database file. Throws before it if the file is not in place. */
  duringCheckpoint<T>(work: () => Promise<T>): Promise<T>;
  /** Reads both files from start to end; false if the disk reports an error. */
  canRead(): Promise<boolean>;
  /** Call after SQLite has closed the database. */
  close(): void;
}

/** Holds the files of an open database; the WAL exists from the first commit on and stays the same file until it is closed. */
export function holdDataFiles(dbPath: string): DataFiles {
  const database = hold(dbPath);
  let wal: HeldFile | undefined;
  const held = () => {
    if (!wal) {
      wal = holdIfExists(`${dbPath}-wal`);
      if (wal) recordPair(dbPath, database, wal);
    }
    return wal ? [database, wal] : [database];
  };
  let content: Content | undefined = readContent(database.fd); // undefined during a checkpoint
  let checkpoints = 0;
  let overwritten: AppError | undefined;

  function assertInPlace(): void {
    if (overwritten) throw overwritten;
    const found = held().map(({ path }) => statSync(path, { throwIfNoEntry: false }));
    // First: SQLite deletes the WAL if it opens the database at the moment at which `cp` has emptied the file.
    if (isSameFile(database, found[0])) assertNotOverwritten(found[0]);
    if (!held().every((file, at) => isSameFile(file, found[at]))) throw gone();
  }

  function assertNotOverwritten({ size, mtimeMs }: Stats): void {
    if (!content || (size === content.size && mtimeMs === content.mtimeMs)) return;
    const now = readContent(database.fd);
    if (now.size === content.size && now.start.equals(content.start)) {
      content = now; // only its time was changed
      return;
    }
    overwritten = overwrittenError();
    // The next start must not replay the WAL into this file.
    if (wal) recordPair(dbPath, { ino: 0 }, wal);
    throw overwritten;
  }

  return {
    assertInPlace,
    overwritten: () => overwritten,
    async duringCheckpoint(work) {
      assertInPlace();
      content = undefined;
      checkpoints++;
      try {
        return await work();
      } finally {
        if (--checkpoints === 0) content = readContent(database.fd);
      }
    },
    async canRead() {
      try {
        for (const { fd } of held()) await readToEnd(fd);
        return true;
      } catch {
        return false;
      }
    },
    close() {
      for (const { fd } of held()) closeSync(fd);
    },
  };
}

function gone(): AppError {
  return new AppError('memory_unavailable', 'The database file was moved, replaced or deleted.', {
    reason: 'file_gone',
    hint: 'The server can still read everything: run "helmdeck export" before you stop it. Then put the file back, or restore a backup, and start again.',
  });
}

function overwrittenError(): AppError {
  return new AppError('memory_unavailable', 'Another program has overwritten the database file.', {
    reason: 'file_gone',
    hint: 'Stop the server and restore a backup with "helmdeck restore". To use the present file as it is, move the file that ends with "-wal" away before you start again.',
  });
}

function readContent(fd: number): Content {
  const { size, mtimeMs } = fstatSync(fd);
  const start = Buffer.alloc(Math.min(size, START_BYTES));
  readSync(fd, start, 0, start.length, 0);
  return { size, mtimeMs, start };
}

const pairPath = (dbPath: string) => `${dbPath}.files`;

/** Notes which WAL belongs to which database file, for `isWalOfAnotherFile`. */
function recordPair(dbPath: string, database: { ino: number }, wal: HeldFile): void {
  try {
    writeFileSync(pairPath(dbPath), `${database.ino} ${wal.ino}\n`, { mode: 0o600 });
  } catch {
    // Without the note, for example on a full disk, the next start trusts the WAL.
  }
}

/**
 * Whether the database was replaced while its WAL stayed: SQLite would replay that WAL into a file that it does not belong
 * to. In a copy of the folder both are other files than noted.
 */
export function isWalOfAnotherFile(dbPath: string): boolean {
  const [database, wal] = [dbPath, `${dbPath}-wal`].map((path) => statSync(path, { throwIfNoEntry: false }));
  if (!database || !wal?.size || !existsSync(pairPath(dbPath))) return false;
  const [databaseIno, walIno] = readFileSync(pairPath(dbPath), 'utf8').trim().split(' ').map(Number);
  return wal.ino === walIno && database.ino !== databaseIno;
}

/** Like `canRead`, for files that are not open. */
export function canReadFiles(dbPath: string): boolean {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    for (const path of [dbPath, `${dbPath}-wal`].filter((each) => existsSync(each))) {
      const fd = openSync(path, 'r');
      try {
        for (let at = 0, bytes = 1; bytes > 0; at += bytes) bytes = readSync(fd, chunk, 0, CHUNK_BYTES, at);
      } finally {
        closeSync(fd);
      }
    }
    return true;
  } catch {
    return false;
  }
}

function hold(path: string): HeldFile {
  const fd = openSync(path, 'r');
  const { ino, dev } = fstatSync(fd);
  return { fd, path, ino, dev };
}

function holdIfExists(path: string): HeldFile | undefined {
  return statSync(path, { throwIfNoEntry: false }) && hold(path);
}

function isSameFile({ ino, dev }: HeldFile, found: Stats | undefined): found is Stats {
  return found?.ino === ino && found.dev === dev;
}

async function readToEnd(fd: number): Promise<void> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = 0; ; ) {
    const { bytesRead } = await readAt(fd, chunk, 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
  }
}
