import type { SqliteDriver } from './driver.ts';

/** A read transaction that all look-ups of one tick of the event loop share. */
export interface SharedReadTransaction {
  /** Opens the transaction unless it is open. */
  begin(): void;
  /** Ends it if it is open: before a write transaction begins, and at the end of the tick. */
  end(): void;
}

/**
 * Beginning and ending a read transaction takes SQLite three times as long as finding a row, and requests that arrive in
 * one tick look up dozens of rows.
 */
export function createSharedReadTransaction(db: SqliteDriver): SharedReadTransaction {
  let isOpen = false;
  let endScheduled = false;

  function end(): void {
    if (!isOpen) return;
    isOpen = false;
    try {
      db.run('COMMIT');
    } catch {
      // Nothing was written; the next read reports what is wrong with the file.
    }
  }

  return {
    begin() {
      if (isOpen) return;
      db.run('BEGIN');
      isOpen = true;
      if (endScheduled) return;
      endScheduled = true;
      setImmediate(() => {
        endScheduled = false;
        end();
      });
    },
    end,
  };
}
