import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';

/** Makes what SQLite wrote to its write-ahead log durable. */
export interface LogSync {
  /** On this thread, at once: the shortest way for a write that waits alone. */
  now(): void;
  /** Beside this thread, which goes on with other requests meanwhile. */
  soon(): Promise<void>;
  close(): void;
}

/** The log exists from the first commit on and stays the same file while the database is open. */
export function createLogSync(dbPath: string): LogSync {
  let opened: number | undefined;
  const file = () => (opened ??= openSync(`${dbPath}-wal`, 'r+'));
  return {
    now: () => fdatasyncSync(file()),
    soon: () =>
      new Promise((resolve, reject) => {
        fdatasync(file(), (error) => (error ? reject(error) : resolve()));
      }),
    close() {
      if (opened !== undefined) closeSync(opened);
      opened = undefined;
    },
  };
}
