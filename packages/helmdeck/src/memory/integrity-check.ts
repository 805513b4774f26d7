import { BoundedMap } from '../runtime/bounded-map.ts';
import { createYielder } from '../runtime/yield-to-event-loop.ts';
import { type NamespaceKeys, openContent } from './crypto/sealed.ts';
import { isLive } from './entry.ts';
import type { Row, Store } from './store.ts';

/** Counts rows that cannot be decrypted. */
export interface IntegrityCheck {
  /** Opens every row on the first call; later only rows written since, and rows that failed before. */
  unreadableRows(keys: NamespaceKeys): Promise<number>;
}

interface CheckState {
  generation: number;
  /** Rows up to this seq have been checked. */
  seq: number;
  /** Ids of the rows that could not be decrypted. */
  unreadable: Map<string, Uint8Array>;
}

const PAGE_ROWS = 200;
/** A namespace that is evicted is checked from its first row again. */
const MAX_NAMESPACES = 10_000;

export function createIntegrityCheck(store: Store, now: () => number): IntegrityCheck {
  const checked = new BoundedMap<string, CheckState>(MAX_NAMESPACES);
  const running = new Map<string, Promise<number>>();

  const isUnreadable = (keys: NamespaceKeys, row: Row) => isLive(row, now()) && !openContent(keys, row);

  async function check(keys: NamespaceKeys, name: string): Promise<number> {
    const before = checked.get(name);
    const state: CheckState =
      before?.generation === keys.generation
        ? before
        : { generation: keys.generation, seq: 0, unreadable: new Map() };
    const yieldIfDue = createYielder();
    for (const [id, bytes] of state.unreadable) {
      const row = await store.get(keys.ns, bytes);
      if (!row || !isUnreadable(keys, row)) state.unreadable.delete(id);
      await yieldIfDue();
    }
    for (let page: Row[] = []; ; ) {
      page = await store.scan(keys.ns, { afterSeq: state.seq, limit: PAGE_ROWS });
      for (const row of page) {
        if (isUnreadable(keys, row)) state.unreadable.set(Buffer.from(row.id).toString('hex'), row.id);
        await yieldIfDue();
      }
      state.seq = page.at(-1)?.seq ?? state.seq;
      if (page.length < PAGE_ROWS) break;
    }
    checked.set(name, state);
    return state.unreadable.size;
  }

  return {
    unreadableRows(keys) {
      const name = keys.ns.toString('hex');
      const inProgress = running.get(name);
      if (inProgress) return inProgress;
      const work = check(keys, name).finally(() => running.delete(name));
      running.set(name, work);
      return work;
    },
  };
}
