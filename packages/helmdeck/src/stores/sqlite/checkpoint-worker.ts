import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { isSyncFailure } from './driver.ts';

// Worker thread of checkpointer.ts: copies the WAL into the database file.

/** A request of the main thread; the reply carries the same number. */
export interface CheckpointRequest {
  number: number;
  mode: 'passive' | 'truncate' | 'close';
}

/** `sync`: the disk did not confirm a sync, and what it should have written may be lost. */
export interface CheckpointReply {
  number: number;
  failure?: 'sync' | 'other';
}

/** Past this many frames (64 MiB) the checkpoint briefly blocks writers (RESTART), so that the WAL starts over instead of growing. */
const RESTART_FRAMES = 32_768;
const RESTART_RETRY_MS = 5_000;

/** While a RESTART or TRUNCATE waits for a reader it blocks the writer, which is the main thread; so it waits only briefly. */
const BUSY_TIMEOUT_MS = 10;

let connection: DatabaseSync | undefined;

/** Opened for the first checkpoint, right after the main thread has checked that the files are in place. */
function database(): DatabaseSync {
  if (connection) return connection;
  // Never creates the file: if it is missing, SQLite would make an empty one and delete the WAL that it does not belong to.
  const address = pathToFileURL((workerData as { path: string }).path);
  address.searchParams.set('mode', 'rw');
  connection = new DatabaseSync(address, { timeout: BUSY_TIMEOUT_MS });
  connection.exec('PRAGMA synchronous = FULL');
  return connection;
}

parentPort!.on('message', ({ number, mode }: CheckpointRequest) => {
  const reply: CheckpointReply = { number };
  try {
    if (mode === 'close') connection?.close();
    else checkpoint(mode);
  } catch (thrown) {
    reply.failure = isSyncFailure(thrown) ? 'sync' : 'other';
  }
  parentPort!.postMessage(reply);
  if (mode === 'close') parentPort!.close();
});

/** Earliest time for the next RESTART, after a reader blocked the last one. */
let restartAfterMs = 0;

function checkpoint(mode: 'passive' | 'truncate'): void {
  const { log } = run('PASSIVE');
  if (mode === 'truncate') {
    if (run('TRUNCATE').busy) throw new Error('busy');
  } else if (log > RESTART_FRAMES && performance.now() > restartAfterMs && run('RESTART').busy) {
    restartAfterMs = performance.now() + RESTART_RETRY_MS;
  }
}

function run(mode: 'PASSIVE' | 'RESTART' | 'TRUNCATE'): { busy: number; log: number } {
  return database().prepare(`PRAGMA wal_checkpoint(${mode})`).get() as { busy: number; log: number };
}
