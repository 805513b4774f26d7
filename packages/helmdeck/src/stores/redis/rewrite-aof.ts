import type { RedisDriver } from './driver.ts';

/** A rewrite reads all of memory, so erasures within this time share one. */
const MIN_INTERVAL_MS = 10_000;

/**
 * Has Redis rewrite its append-only file (AOF) after an erasure: it contains every command, those with erased keys
 * included, until it is rewritten. If the rewrite is not permitted or fails, Redis does it by itself at some later time.
 */
export function createAofRewriter(driver: RedisDriver) {
  let timer: NodeJS.Timeout | undefined;
  let requestedAtMs = Number.NEGATIVE_INFINITY;

  async function rewrite(): Promise<void> {
    timer = undefined;
    requestedAtMs = performance.now();
    try {
      await driver.sendToAll(['BGREWRITEAOF']);
    } catch (thrown) {
      // A rewrite that began before the erasure still contains the erased key.
      if (/in progress/.test(String((thrown as Error).cause))) schedule();
    }
  }

  function schedule(): void {
    timer ??= setTimeout(rewrite, Math.max(0, requestedAtMs + MIN_INTERVAL_MS - performance.now())).unref();
  }

  return {
    schedule,
    /** Runs a scheduled rewrite at once. */
    async close(): Promise<void> {
      if (!timer) return;
      clearTimeout(timer);
      await rewrite();
      clearTimeout(timer);
    },
  };
}
