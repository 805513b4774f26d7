import { setImmediate as nextTurn } from 'node:timers/promises';
import { open } from '../memory/sealed.ts';
import type { SweptRow } from '../memory/store.ts';
import type { OpenMemory, RestLog } from '../surfaces/rest/route.ts';

export interface Janitor {
  /** Sweeps until nothing expired is left; returns the rows removed. */
  sweep(): Promise<number>;
  stop(): Promise<void>;
}

const PAUSE_MS = 30_000;
const BATCH_ROWS = 200;

/** Removes expired rows in small batches and writes down when tokens were last used. */
export function startJanitor(memory: OpenMemory, log: RestLog, onSwept: (rows: number) => void): Janitor {
  const { parts, tokens } = memory;
  let stopping = false;
  let running: Promise<unknown> = Promise.resolve();

  async function sweep(): Promise<number> {
    let removed = 0;
    for (let batch = BATCH_ROWS; batch === BATCH_ROWS && !stopping; await nextTurn()) {
      const rows = await parts.store.sweep(parts.now(), BATCH_ROWS);
      for (const row of rows) await announce(row);
      batch = rows.length;
      removed += batch;
      onSwept(batch);
    }
    return removed;
  }

  async function announce(row: SweptRow): Promise<void> {
    if (row.kind !== 'fact' || !parts.changes.hasListeners(row.ns)) return;
    const keys = await parts.directory.findById(row.ns);
    const entry = keys && open(keys, row);
    if (entry)
      parts.changes.emit(row.ns, {
        type: 'expire',
        kind: row.kind,
        key: entry.key,
        atMs: row.expiresMs ?? parts.now(),
      });
  }

  async function tidy(): Promise<void> {
    try {
      await sweep();
      await tokens.flush();
    } catch (thrown) {
      // The next round tries again; readiness tells the operator meanwhile.
      log.warn({ error: thrown instanceof Error ? thrown.name : 'unknown' }, 'tidying up failed');
    }
  }

  const timer = setInterval(() => {
    running = running.then(tidy);
  }, PAUSE_MS).unref();
  running = tidy();
  return {
    sweep,
    async stop() {
      stopping = true;
      clearInterval(timer);
      await running;
      await tokens.flush().catch(() => undefined);
    },
  };
}
