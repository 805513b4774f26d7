import { BoundedMap } from '../runtime/bounded-map.ts';
import { createYielder } from '../runtime/yield-to-event-loop.ts';
import { type NamespaceKeys, openContent } from './crypto/sealed.ts';
import { isLive } from './entry.ts';
import type { Row, Store } from './store.ts';

/** Knows how many rows do not open. */
export interface IntegrityCheck {
  /** Opens every row the first time; later only what was written since, and what did not open before. */
  unreadableRows(keys: NamespaceKeys): Promise<number>;
}

interface Checked {
  generation: number;
  /** Everything up to here was looked at. */
  seq: number;
  /** Ids of the rows that did not open. */
  bad: Map<string, Uint8Array>;
}

const PAGE_ROWS = 200;
/** A namespace that is evicted is checked from its first row again. */
const MAX_NAMESPACES = 10_000;

export function createReadability(store: Store, now: () => number): IntegrityCheck {
  const checked = new BoundedMap<string, Checked>(MAX_NAMESPACES);
  const running = new Map<string, Promise<number>>();

  const isBad = (keys: NamespaceKeys, row: Row) => isLive(row, now()) && !openContent(keys, row);

  async function check(keys: NamespaceKeys, name: string): Promise<number> {
    const before = checked.get(name);
    const state: Checked =
      before?.generation === keys.generation
        ? before
        : { generation: keys.generation, seq: 0, bad: new Map() };
    const nextTurn = createYielder();
    for (const [id, bytes] of state.bad) {
      const row = await store.get(keys.ns, bytes);
      if (!row || !isBad(keys, row)) state.bad.delete(id);
      await nextTurn();
    }
    for (let page: Row[] = []; ; ) {
      page = await store.scan(keys.ns, { afterSeq: state.seq, limit: PAGE_ROWS });
      for (const row of page) {
        if (isBad(keys, row)) state.bad.set(Buffer.from(row.id).toString('hex'), row.id);
        await nextTurn();
      }
      state.seq = page.at(-1)?.seq ?? state.seq;
      if (page.length < PAGE_ROWS) break;
    }
    checked.set(name, state);
    return state.bad.size;
  }

  return {
    unreadableRows(keys) {
      const name = keys.ns.toString('hex');
      const under = running.get(name);
      if (under) return under;
      const work = check(keys, name).finally(() => running.delete(name));
      running.set(name, work);
      return work;
    },
  };
}
