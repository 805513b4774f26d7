import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

// Copies the write-ahead log into the database beside the main thread: there, its fsyncs were the whole latency tail.

/** What the store asks for, and gets the number back when it is done. */
export interface CheckpointRequest {
  number: number;
  mode: 'passive' | 'truncate' | 'close';
}

/** Past this many frames (64 MiB) writers wait a moment, so that the log is reused instead of growing for ever. */
const RESTART_FRAMES = 16_384;

const db = new DatabaseSync((workerData as { path: string }).path, { timeout: 2_000 });
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

function checkpoint(mode: 'passive' | 'truncate'): void {
  const passive = db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() as { log: number };
  if (mode === 'truncate') {
    const { busy } = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number };
    if (busy) throw new Error('busy');
  } else if (passive.log > RESTART_FRAMES) {
    db.prepare('PRAGMA wal_checkpoint(RESTART)').get();
  }
}
