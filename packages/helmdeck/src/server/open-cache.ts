import { type AppError, toAppError } from '../errors.ts';
import type { SharedCache } from '../memory/shared-cache.ts';
import type { Store } from '../memory/store.ts';
import { openRedisStore } from '../stores/redis/store.ts';

// Opens the shared pack cache: a Redis that holds pack results for all nodes.

/** Receives a message when the cache becomes unavailable, and when it is available again. */
export interface CacheLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** A cache that is slower than this is useless. */
const RESPONSE_TIMEOUT_MS = 1_000;
const RECONNECT_INTERVAL_MS = 2_000;

/**
 * The server starts and runs without the cache. While it is unavailable, a call of `open` starts another attempt to
 * connect, at most every two seconds, and does not wait for it.
 */
export function openSharedCache(address: string, now: () => number, log: CacheLog): SharedCache {
  let store: Store | undefined;
  let lastError: AppError | undefined;
  let attempt: Promise<void> | undefined;
  let attemptedAtMs = 0;
  let closed = false;

  async function connect(): Promise<void> {
    attemptedAtMs = performance.now();
    try {
      const opened = await openRedisStore(address, {
        now,
        cacheOnly: true,
        connectTimeoutMs: 0,
        responseTimeoutMs: RESPONSE_TIMEOUT_MS,
      });
      if (closed) return await opened.close();
      store = opened;
      if (lastError) log.info({}, 'the shared pack cache is available again');
    } catch (thrown) {
      const error = toAppError(thrown);
      const { reason, message, hint } = error;
      if (lastError?.reason !== reason)
        log.warn({ reason }, `packs run without the shared cache: ${message} ${hint}`);
      lastError = error;
    }
  }

  function startAttempt(): void {
    attempt = connect().finally(() => {
      attempt = undefined;
    });
  }

  startAttempt();
  return {
    async open() {
      if (!lastError) await attempt; // only the first attempt is worth waiting for
      if (store) return store;
      if (!attempt && performance.now() - attemptedAtMs > RECONNECT_INTERVAL_MS) startAttempt();
      throw lastError!;
    },
    async close() {
      closed = true;
      await attempt;
      await store?.close();
    },
  };
}
