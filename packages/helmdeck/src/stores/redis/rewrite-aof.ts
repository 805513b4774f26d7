import type { RedisDriver } from './driver.ts';

/** Writing a log anew reads all of memory: erasures that come together share one. */
const PAUSE_MS = 10_000;

/**
 * The log of Redis holds every command it was ever given, erased keys among them, until it is written anew. That is
 * asked for after an erasure; where it is not allowed or fails, the log goes on until Redis rewrites it by itself.
 */
export function createLogRewriter(driver: RedisDriver) {
  let timer: NodeJS.Timeout | undefined;
  let askedMs = Number.NEGATIVE_INFINITY;

  async function rewrite(): Promise<void> {
    timer = undefined;
    askedMs = performance.now();
    try {
      await driver.askAll(['BGREWRITEAOF']);
    } catch (thrown) {
      // One that began before the erasure still writes the erased key down.
      if (/in progress/.test(String((thrown as Error).cause))) soon();
    }
  }

  function soon(): void {
    timer ??= setTimeout(rewrite, Math.max(0, askedMs + PAUSE_MS - performance.now())).unref();
  }

  return {
    soon,
    /** Does what is left to do at once. */
    async close(): Promise<void> {
      if (!timer) return;
      clearTimeout(timer);
      await rewrite();
      clearTimeout(timer);
    },
  };
}
