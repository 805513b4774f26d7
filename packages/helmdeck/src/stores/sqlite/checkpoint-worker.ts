import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

// Copies the write-ahead log into the database beside the main thread: there, its fsyncs were the whole latency tail.

/** What the store asks for, and gets the number back when it is done. */
export interface CheckpointRequest {
  number: number;
  mode: 'passive' | 'truncate' | 'close';
}

/** Past this many frames (64 MiB) writers wait a moment, so that the log is reused instead of growing for ever. */
const RESTART_FRAMES = 32_768;
const RESTART_PAUSE_MS = 5_000;

/** While a checkpoint waits for a reader it keeps writers out, and the main thread is one: so it hardly waits. */
const BUSY_TIMEOUT_MS = 10;

const db = new DatabaseSync((workerData as { path: string }).path, { timeout: BUSY_TIMEOUT_MS });
db.exec('PRAGMA synchronous = FULL');

parentPort!.on('message', ({ number, mode }: CheckpointRequest) => {
  let error: string | undefined;
  try {
    if (mode === 'close') db.close();
    else checkpoint(mode);
  } catch (thrown) {
    error = String(thrown);
  }
  parentPort!.postMessage({ number, error });
  if (mode === 'close') parentPort!.close();
});

/** When to try again to empty a log that a reader held open. */
let restartAfterMs = 0;

function checkpoint(mode: 'passive' | 'truncate'): void {
  const { log } = run('PASSIVE');
  if (mode === 'truncate') {
    if (run('TRUNCATE').busy) throw new Error('busy');
  } else if (log > RESTART_FRAMES && performance.now() > restartAfterMs && run('RESTART').busy) {
    restartAfterMs = performance.now() + RESTART_PAUSE_MS;
  }
}

function run(mode: 'PASSIVE' | 'RESTART' | 'TRUNCATE'): { busy: number; log: number } {
  return db.prepare(`PRAGMA wal_checkpoint(${mode})`).get() as { busy: number; log: number };
}
