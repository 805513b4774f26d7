import { nameOf } from '../memory/namespace.ts';
import type { Row } from '../memory/store.ts';
import type { FreshLog, FreshRow } from './fresh-log.ts';

/** So many go into the tables together, a moment after the last of them was answered. */
const MANY = 32;
/** However few there are, they are in the tables so soon. */
const SOON_MS = 100;

/** New rows that are on disk in a log, and wait to go into the tables with the next transaction. */
export interface FreshRows {
  /** Writes a row to the log; false when it has to go into the tables right away. */
  keep(fresh: FreshRow): boolean;
  find(ns: Uint8Array, id: Uint8Array): Row | undefined;
  all(): Iterable<FreshRow>;
  /** The position of the newest of them, of one namespace or of any; 0 when there is none. */
  lastSeq(ns?: Uint8Array): number;
  /** All of them are in the tables. */
  placed(): void;
  close(): void;
}

/** `left` is what an earlier process left in the log; `settle` puts all of them into the tables. */
export function createFreshRows(log: FreshLog, left: readonly FreshRow[], settle: () => void): FreshRows {
  const rows = new Map<string, FreshRow>();
  const add = (fresh: FreshRow) => rows.set(nameIn(fresh.ref.ns, fresh.row.id), fresh);
  let timer: NodeJS.Timeout | undefined;
  for (const fresh of left) add(fresh);

  function settleNow(): void {
    clearTimeout(timer);
    timer = undefined;
    if (rows.size === 0) return;
    try {
      settle();
    } catch {
      // They are safe in the log; whoever reads or writes next tries again and is told.
    }
  }

  return {
    keep(fresh) {
      if (!log.append(fresh)) return false;
      add(fresh);
      if (rows.size === MANY) setImmediate(settleNow);
      else timer ??= setTimeout(settleNow, SOON_MS).unref();
      return true;
    },
    find(ns, id) {
      const found = rows.size === 0 ? undefined : rows.get(nameIn(ns, id));
      return found && { ...found.row, seq: found.seq };
    },
    all: () => rows.values(),
    lastSeq(ns) {
      let last = 0;
      for (const { ref, seq } of rows.values()) {
        if (ns === undefined || Buffer.compare(ref.ns, ns) === 0) last = Math.max(last, seq);
      }
      return last;
    },
    placed: () => rows.clear(),
    close: () => clearTimeout(timer),
  };
}

const nameIn = (ns: Uint8Array, id: Uint8Array) =>
  nameOf(ns) + Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString('latin1');
