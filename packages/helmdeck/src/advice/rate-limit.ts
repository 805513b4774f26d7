import { namespaceMapKey } from '../runtime/namespace-map-key.ts';

const WINDOW_MS = 1_000;
/** More stores than this in a second are a flood. */
const FLOOD = 50;
/** How many pieces of advice a caller may have saved up, and how many come back in a second. */
const MAX_SAVED = 150;
const PER_SECOND = 10;
const MAX_CALLERS = 10_000;

interface Caller {
  windowMs: number;
  stores: number;
  storesBefore: number;
  saved: number;
  savedMs: number;
  /** Stores that began and have not come to their end. */
  underWay: number;
}

export interface AdviceRateLimit {
  /** Whether the store that begins now may have advice. */
  admits(ns: Uint8Array): boolean;
  /** A store came to its end. */
  settled(ns: Uint8Array): void;
}

/**
 * Tells a store that is one of a few from one of a flood: several at once, or dozens in a second. A script that loads
 * thousands of facts reads no advice, and each piece of it would first bring the image up to date with all the others.
 */
export function createAdviceRateLimit(now: () => number): AdviceRateLimit {
  const callers = new Map<string, Caller>();

  function callerOf(name: string, nowMs: number): Caller {
    let caller = callers.get(name);
    if (!caller) {
      caller = {
        windowMs: nowMs,
        stores: 0,
        storesBefore: 0,
        saved: MAX_SAVED,
        savedMs: nowMs,
        underWay: 0,
      };
      if (callers.size >= MAX_CALLERS) callers.delete(callers.keys().next().value!);
      callers.set(name, caller);
    }
    return caller;
  }

  /** Counts a store, in this second or in a new one. */
  function count(caller: Caller, nowMs: number): void {
    const elapsedMs = nowMs - caller.windowMs;
    if (elapsedMs >= WINDOW_MS) {
      caller.storesBefore = elapsedMs < 2 * WINDOW_MS ? caller.stores : 0;
      caller.stores = 0;
      caller.windowMs = nowMs;
    }
    caller.stores++;
    caller.saved = Math.min(MAX_SAVED, caller.saved + ((nowMs - caller.savedMs) / 1000) * PER_SECOND);
    caller.savedMs = nowMs;
  }

  return {
    admits(ns) {
      const nowMs = now();
      const caller = callerOf(namespaceMapKey(ns), nowMs);
      count(caller, nowMs);
      const isAlone = caller.underWay++ === 0;
      if (!isAlone || Math.max(caller.stores, caller.storesBefore) > FLOOD || caller.saved < 1) return false;
      caller.saved--;
      return true;
    },
    settled(ns) {
      const caller = callers.get(namespaceMapKey(ns));
      if (caller && caller.underWay > 0) caller.underWay--;
    },
  };
}
