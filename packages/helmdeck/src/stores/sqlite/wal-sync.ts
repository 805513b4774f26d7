import { closeSync, fdatasync, openSync } from 'node:fs';

/** Syncs the WAL to the disk. SQLite does not: its connection runs with `synchronous = NORMAL`. */
export interface WalSync {
  /** Runs `fdatasync` on the thread pool, so the main thread keeps serving requests. */
  sync(): Promise<void>;
  close(): void;
}

/** The WAL file exists from the first commit on and stays the same file while the database is open. */
export function createWalSync(dbPath: string): WalSync {
  let opened: number | undefined;
  const file = () => (opened ??= openSync(`${dbPath}-wal`, 'r+'));
  return {
    sync: () =>
      new Promise((resolve, reject) => {
        fdatasync(file(), (error) => (error ? reject(error) : resolve()));
      }),
    close() {
      if (opened !== undefined) closeSync(opened);
      opened = undefined;
    },
  };
}
