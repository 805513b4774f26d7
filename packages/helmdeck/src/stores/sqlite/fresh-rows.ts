import type { Row } from '../../memory/store.ts';
import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';
import type { FreshLog, FreshRow } from './fresh-log.ts';

/** So many are committed to the tables together, a moment after the last of them was answered. */
const MANY = 250;
/** However few there are, they are committed so soon. */
const SOON_MS = 100;

/** New rows that are on disk in a log, and go into the tables with the next transaction that is committed. */
export interface FreshRows {
  /** Writes a row to the log; false when it has to go into the tables right away. */
  keep(fresh: FreshRow): boolean;
  find(ns: Uint8Array, id: Uint8Array): Row | undefined;
  /** Those that can go into the tables and are not in the open transaction, in their order; each is told once. */
  placeable(): Iterable<FreshRow>;
  /** None is in an open transaction any more. */
  rolledBack(): void;
  /** Leaves the rows of a namespace where they are, because the tables cannot take them; `error` says why. */
  holdBack(ns: Uint8Array, error: unknown): void;
  /** Throws what keeps the rows of a namespace out of the tables. */
  assertPlaceable(ns: Uint8Array): void;
  readonly holdsBack: boolean;
  /** Gives up the rows of a namespace that is dropped. */
  discard(ns: Uint8Array): void;
  /** The position of the newest of them, of one namespace or of any; 0 when there is none. */
  lastSeq(ns?: Uint8Array): number;
  /** Commits them now, if the tables take them. */
  settle(): void;
  /** All that can be are in the tables. */
  placed(): void;
  close(): void;
}

/** How rows get into the tables. */
export interface FreshRowsHooks {
  /** Writes them into a transaction that stays open, while their senders read the answers. */
  prepare(): void;
  /** Commits all of them. */
  settle(): void;
}

/** `left` is what an earlier process left in the log. */
export function createFreshRows(log: FreshLog, left: readonly FreshRow[], hooks: FreshRowsHooks): FreshRows {
  const rows = new Map<string, FreshRow>();
  /** Those of them that are not in the open transaction. */
  let waiting = [...left];
  /** Namespaces whose rows the tables cannot take, such as those with a damaged page. */
  const held = new Map<string, unknown>();
  const add = (fresh: FreshRow) => rows.set(nameIn(fresh.ref.ns, fresh.row.id), fresh);
  let timer: NodeJS.Timeout | undefined;
  for (const fresh of left) add(fresh);

  function settleNow(): void {
    clearTimeout(timer);
    timer = undefined;
    if (rows.size > 0) attempt(hooks.settle);
  }

  function settleSoon(): void {
    timer ??= setTimeout(settleNow, SOON_MS).unref();
  }

  function goOn(): void {
    if (rows.size >= MANY) settleNow();
    else if (waiting.length > 0) {
      settleSoon(); // no transaction is left open that nothing ends
      attempt(hooks.prepare);
    }
  }

  return {
    keep(fresh) {
      if (!log.append(fresh)) return false;
      add(fresh);
      waiting.push(fresh);
      setImmediate(goOn);
      settleSoon();
      return true;
    },
    find(ns, id) {
      const found = rows.size === 0 ? undefined : rows.get(nameIn(ns, id));
      return found && { ...found.row, seq: found.seq };
    },
    *placeable() {
      const told = waiting;
      waiting = [];
      for (const fresh of told) if (!held.has(namespaceMapKey(fresh.ref.ns))) yield fresh;
    },
    rolledBack() {
      waiting = [...rows.values()];
    },
    holdBack: (ns, error) => held.set(namespaceMapKey(ns), error),
    assertPlaceable(ns) {
      if (held.has(namespaceMapKey(ns))) throw held.get(namespaceMapKey(ns));
    },
    get holdsBack() {
      return held.size > 0;
    },
    discard(ns) {
      held.delete(namespaceMapKey(ns));
      for (const [name, { ref }] of rows)
        if (namespaceMapKey(ref.ns) === namespaceMapKey(ns)) rows.delete(name);
    },
    lastSeq(ns) {
      let last = 0;
      for (const { ref, seq } of rows.values()) {
        if (ns === undefined || namespaceMapKey(ref.ns) === namespaceMapKey(ns)) last = Math.max(last, seq);
      }
      return last;
    },
    settle: settleNow,
    placed() {
      for (const [name, { ref }] of rows) if (!held.has(namespaceMapKey(ref.ns))) rows.delete(name);
    },
    close: () => clearTimeout(timer),
  };
}

function attempt(step: () => void): void {
  try {
    step();
  } catch {
    // The rows are safe in the log; whoever reads or writes next tries again and is told.
  }
}

const nameIn = (ns: Uint8Array, id: Uint8Array) =>
  namespaceMapKey(ns) + Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString('latin1');
