import type { SqliteDriver } from './driver.ts';

/** Look-ups that share a read transaction for as long as one turn of the event loop lasts. */
export interface TurnReads {
  /** Makes sure that a transaction is open. */
  begin(): void;
  /** Ends it, where one is open: before a write begins, and when the turn is over. */
  end(): void;
}

/**
 * Beginning and ending a read transaction takes SQLite three times as long as finding a row. Requests that arrive in
 * one turn look up dozens, and between those nobody writes. While a transaction that writes is open, they are part of it.
 */
export function createTurnReads(db: SqliteDriver, isWriting: () => boolean): TurnReads {
  let isOpen = false;
  let ending = false;

  function end(): void {
    if (!isOpen) return;
    isOpen = false;
    try {
      db.run('COMMIT');
    } catch {
      // Nothing was written. Whoever reads next is told what is wrong with the file.
    }
  }

  return {
    begin() {
      if (isOpen || isWriting()) return;
      db.run('BEGIN');
      isOpen = true;
      if (ending) return;
      ending = true;
      setImmediate(() => {
        ending = false;
        end();
      });
    },
    end,
  };
}
