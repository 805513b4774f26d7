import { BoundedMap } from '../runtime/bounded-map.ts';
import { namespaceMapKey } from '../runtime/namespace-map-key.ts';

const WINDOW_MS = 1_000;
/** More stores than this in a second are a bulk load. */
const BULK_STORES = 50;
/** A token bucket per caller: its size, and the tokens it regains per second. */
const MAX_TOKENS = 150;
const TOKENS_PER_SECOND = 10;
const MAX_CALLERS = 10_000;

interface Caller {
  windowMs: number;
  stores: number;
  storesBefore: number;
  tokens: number;
  tokensMs: number;
  /** Stores in progress. */
  inProgress: number;
}

export interface AdviceRateLimit {
  /** Whether the store that begins now gets advice. */
  tryAcquire(ns: Uint8Array): boolean;
  /** Called when a store finishes. */
  release(ns: Uint8Array): void;
}

/**
 * Decides which stores get advice: none that runs concurrently with another, or is one of dozens in a second. A script that
 * loads thousands of facts ignores advice, and each piece of it would first have to bring the image up to date.
 */
export function createAdviceRateLimit(now: () => number): AdviceRateLimit {
  const callers = new BoundedMap<string, Caller>(MAX_CALLERS);

  function callerOf(name: string, nowMs: number): Caller {
    let caller = callers.get(name);
    if (!caller) {
      caller = {
        windowMs: nowMs,
        stores: 0,
        storesBefore: 0,
        tokens: MAX_TOKENS,
        tokensMs: nowMs,
        inProgress: 0,
      };
      callers.set(name, caller);
    }
    return caller;
  }

  /** Counts a store in the current one-second window, or starts a new one. */
  function count(caller: Caller, nowMs: number): void {
    const elapsedMs = nowMs - caller.windowMs;
    if (elapsedMs >= WINDOW_MS) {
      caller.storesBefore = elapsedMs < 2 * WINDOW_MS ? caller.stores : 0;
      caller.stores = 0;
      caller.windowMs = nowMs;
    }
    caller.stores++;
    caller.tokens = Math.min(
      MAX_TOKENS,
      caller.tokens + ((nowMs - caller.tokensMs) / 1000) * TOKENS_PER_SECOND,
    );
    caller.tokensMs = nowMs;
  }

  return {
    tryAcquire(ns) {
      const nowMs = now();
      const caller = callerOf(namespaceMapKey(ns), nowMs);
      count(caller, nowMs);
      const isAlone = caller.inProgress++ === 0;
      if (!isAlone || Math.max(caller.stores, caller.storesBefore) > BULK_STORES || caller.tokens < 1)
        return false;
      caller.tokens--;
      return true;
    },
    release(ns) {
      const caller = callers.peek(namespaceMapKey(ns));
      if (caller && caller.inProgress > 0) caller.inProgress--;
    },
  };
}
