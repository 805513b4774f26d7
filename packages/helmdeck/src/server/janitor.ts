import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ArtifactService } from '../artifacts/artifact-service.ts';
import { open } from '../memory/crypto/sealed.ts';
import type { SweptRow } from '../memory/store.ts';
import type { OpenMemory, RestLog } from '../surfaces/rest/route.ts';

export interface Janitor {
  /** Sweeps until nothing expired is left; returns the rows removed. */
  sweep(): Promise<number>;
  stop(): Promise<void>;
}

const PAUSE_MS = 30_000;
const BATCH_ROWS = 200;
/** Long enough for a round; a process that dies lets the next one begin when it is over. */
const TURN_MS = 60_000;
const WORK = 'janitor';
/** How soon a token that another process revoked stops working here. */
const REFRESH_MS = 1_000;
/** Left-over bytes are rare and cost a look at every file, so they are looked for rarely. */
const COLLECT_EVERY_MS = 6 * 3_600_000;

/** Removes expired rows in small batches, with the bytes of artifacts, writes down when tokens were last used, keeps search tidy. */
export function startJanitor(
  memory: OpenMemory,
  log: RestLog,
  onSwept: (rows: number) => void,
  artifacts?: ArtifactService,
): Janitor {
  const { parts, tokens, recall } = memory;
  let stopping = false;
  let running: Promise<unknown> = Promise.resolve();

  async function sweep(): Promise<number> {
    let removed = 0;
    for (let batch = BATCH_ROWS; batch === BATCH_ROWS && !stopping; await nextTurn()) {
      const rows = await parts.store.sweep(parts.now(), BATCH_ROWS);
      for (const row of rows) {
        await announce(row);
        await takeBytes(row);
      }
      batch = rows.length;
      removed += batch;
      onSwept(batch);
    }
    return removed;
  }

  /** Nobody is told of results that expired; where the shared cache does not answer, its server takes them by itself. */
  async function sweepCache(): Promise<void> {
    const store = await parts.cache?.open().catch(() => undefined);
    for (let full = store !== undefined; full && !stopping; await nextTurn())
      full = (await store!.sweep(parts.now(), BATCH_ROWS).catch(() => [])).length === BATCH_ROWS;
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

  /** The row is gone whether its bytes go or not; what a storage holds on to is collected later. */
  async function takeBytes(row: SweptRow): Promise<void> {
    if (stopping) return; // a storage that does not answer must not hold up the end
    try {
      await artifacts?.onSwept(row);
    } catch (thrown) {
      complain(thrown, 'the bytes of an expired artifact could not be removed yet');
    }
  }

  let collectedMs = Number.NEGATIVE_INFINITY;
  async function collect(): Promise<void> {
    if (!artifacts || performance.now() - collectedMs < COLLECT_EVERY_MS) return;
    collectedMs = performance.now();
    try {
      const removed = await artifacts.collectOrphans(() => stopping);
      if (removed > 0) log.info({ removed }, 'bytes of artifacts without a row were removed');
    } catch (thrown) {
      if (!stopping) complain(thrown, 'looking for bytes of artifacts without a row failed');
    }
  }

  const complain = (thrown: unknown, what: string) =>
    log.warn({ error: thrown instanceof Error ? thrown.name : 'unknown' }, what);

  async function tidy(): Promise<void> {
    try {
      // Of several processes on one store one sweeps; tokens, images and files are each one's own.
      if (await parts.leases.tryAcquire(WORK, TURN_MS)) {
        await sweep();
        await sweepCache();
      }
      await tokens.flush();
      await recall.tidy();
      void collect(); // takes as long as the storage does, and nobody waits for it
    } catch (thrown) {
      // The next round tries again; readiness tells the operator meanwhile.
      complain(thrown, 'tidying up failed');
    }
  }

  const timer = setInterval(() => {
    running = running.then(tidy);
  }, PAUSE_MS).unref();
  running = tidy();
  const refresh = () => tokens.refresh().catch(() => {}); // the next look is a second away
  const refreshing = parts.store.sharing && setInterval(refresh, REFRESH_MS).unref();
  return {
    sweep,
    async stop() {
      stopping = true;
      clearInterval(timer);
      clearInterval(refreshing);
      await running;
      await tokens.flush().catch(() => undefined);
    },
  };
}
