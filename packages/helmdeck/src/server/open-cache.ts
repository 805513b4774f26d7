import { type AppError, toAppError } from '../errors.ts';
import type { SharedCache } from '../memory/shared-cache.ts';
import type { Store } from '../memory/store.ts';
import { openRedisStore } from '../stores/redis/store.ts';

export interface CacheLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** A cache that is slower than this helps nobody. */
const ANSWER_MS = 1_000;
const RETRY_MS = 2_000;

/**
 * The shared cache of packs on Redis. A server starts and runs without it; it is looked for again by those who would
 * use it, at most every few seconds, and they do not wait for that.
 */
export function openSharedCache(address: string, now: () => number, log: CacheLog): SharedCache {
  let store: Store | undefined;
  let problem: AppError | undefined;
  let attempt: Promise<void> | undefined;
  let triedMs = 0;
  let closed = false;

  async function connect(): Promise<void> {
    triedMs = performance.now();
    try {
      const found = await openRedisStore(address, {
        now,
        cacheOnly: true,
        connectMs: 0,
        answerMs: ANSWER_MS,
      });
      if (closed) return await found.close();
      store = found;
      if (problem) log.info({}, 'the shared pack cache is there again');
    } catch (thrown) {
      const failure = toAppError(thrown);
      const { reason, message, hint } = failure;
      if (problem?.reason !== reason)
        log.warn({ reason }, `packs run without the shared cache: ${message} ${hint}`);
      problem = failure;
    }
  }

  function tryAgain(): void {
    attempt = connect().finally(() => {
      attempt = undefined;
    });
  }

  tryAgain();
  return {
    async open() {
      if (!problem) await attempt; // only the first attempt is worth waiting for
      if (store) return store;
      if (!attempt && performance.now() - triedMs > RETRY_MS) tryAgain();
      throw problem!;
    },
    async close() {
      closed = true;
      await attempt;
      await store?.close();
    },
  };
}
