import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ArtifactService } from '../../artifacts/artifact-service.ts';
import { open } from '../../memory/crypto/sealed.ts';
import type { SweptRow } from '../../memory/store.ts';
import type { ClockTrust, OpenMemory, RestLog } from '../../surfaces/rest/route.ts';

// The janitor: every 30 seconds it removes expired rows and the bytes of their artifacts, saves when tokens were last
// used, and runs the upkeep of recall. It deletes nothing while the clock guard does not trust the clock.

export interface Janitor {
  /** Sweeps until nothing expired is left, whatever the clock guard says; returns the rows removed. */
  sweep(): Promise<number>;
  /** One round of everything, as every 30 seconds. */
  tidy(): Promise<void>;
  stop(): Promise<void>;
}

const INTERVAL_MS = 30_000;
const BATCH_ROWS = 200;
/** Longer than a round takes; after a crash another process takes over when it expires. */
const LEASE_MS = 60_000;
const LEASE = 'janitor';
/** A token that another process revoked stops working here within this time, and so does a disabled account or a grant in a space. */
const REFRESH_MS = 1_000;
/** Orphaned bytes are rare, and finding them lists every file. */
const COLLECT_EVERY_MS = 6 * 3_600_000;

export interface JanitorServices {
  log: RestLog;
  clock: ClockTrust;
  artifacts: ArtifactService | undefined;
  onSwept(rows: number): void;
  /** Called in each round with whether the clock is not trusted, so that nothing is swept. */
  onPaused(paused: boolean): void;
}

export function startJanitor(memory: OpenMemory, services: JanitorServices): Janitor {
  const { log, clock, artifacts, onSwept, onPaused } = services;
  const { parts, tokens, accounts, spaces, recall } = memory;
  let stopping = false;
  let paused = false;
  let running: Promise<unknown> = Promise.resolve();

  async function sweep(): Promise<number> {
    let removed = 0;
    for (let batch = BATCH_ROWS; batch === BATCH_ROWS && !stopping; await yieldToEventLoop()) {
      const rows = await parts.store.sweep(parts.now(), BATCH_ROWS);
      for (const row of rows) {
        await emitExpiry(row);
        await deleteBytes(row);
      }
      batch = rows.length;
      removed += batch;
      onSwept(batch);
    }
    return removed;
  }

  /** Expired results emit no event; if the shared cache is unreachable, Redis expires them itself. */
  async function sweepCache(): Promise<void> {
    const store = await parts.cache?.open().catch(() => undefined);
    for (let full = store !== undefined; full && !stopping; await yieldToEventLoop())
      full = (await store!.sweep(parts.now(), BATCH_ROWS).catch(() => [])).length === BATCH_ROWS;
  }

  async function emitExpiry(row: SweptRow): Promise<void> {
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

  /** The row is already gone; bytes that cannot be deleted now are collected later. */
  async function deleteBytes(row: SweptRow): Promise<void> {
    if (stopping) return; // an unreachable storage must not delay the shutdown
    try {
      await artifacts?.onSwept(row);
    } catch (thrown) {
      warn(thrown, 'the bytes of an expired artifact could not be removed yet');
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
      if (!stopping) warn(thrown, 'looking for bytes of artifacts without a row failed');
    }
  }

  const warn = (thrown: unknown, what: string) =>
    log.warn({ error: thrown instanceof Error ? thrown.name : 'unknown' }, what);

  async function isClockTrusted(): Promise<boolean> {
    const trusted = await clock.isTrusted();
    if (trusted === paused) {
      if (trusted) log.info({}, 'the clock is trusted again: expired rows are swept');
      else
        log.warn(
          {},
          'THE CLOCK LEAPT: expired rows are not swept until it is right again, or for an hour. If it is right now: helmdeck clock --confirm',
        );
    }
    paused = !trusted;
    onPaused(paused);
    return trusted;
  }

  async function tidy(): Promise<void> {
    try {
      const trusted = await isClockTrusted();
      // One process sweeps the shared store; tokens, images and files are per process.
      if (trusted && (await parts.leases.tryAcquire(LEASE, LEASE_MS))) {
        await sweep();
        await sweepCache();
      }
      await tokens.flush();
      await recall.tidy();
      if (trusted) void collect(); // may be slow, and nothing depends on it
    } catch (thrown) {
      // The next round retries; /readyz reports the problem meanwhile.
      warn(thrown, 'tidying up failed');
    }
  }

  /** Rounds never overlap. */
  function nextRound(): Promise<void> {
    const round = running.then(tidy);
    running = round;
    return round;
  }

  const timer = setInterval(nextRound, INTERVAL_MS).unref();
  void nextRound();
  const refresh = () => Promise.all([tokens.refresh(), accounts.refresh(), spaces.refresh()]).catch(() => {}); // retried in a second
  const refreshing = parts.store.sharing && setInterval(refresh, REFRESH_MS).unref();
  return {
    sweep,
    tidy: nextRound,
    async stop() {
      stopping = true;
      clearInterval(timer);
      clearInterval(refreshing);
      await running;
      await tokens.flush().catch(() => undefined);
    },
  };
}
