import { setTimeout as sleep } from 'node:timers/promises';
import { BoundedMap } from '../runtime/bounded-map.ts';

/** How things ended while the store was away: told from here meanwhile, and written as soon as it is back. */
export interface WriteRetryQueue<T> {
  /** Keeps trying to write; `value` is what is true until then. */
  keep(name: string, value: T, write: () => Promise<unknown>): void;
  get(name: string): T | undefined;
  /** Something newer is about to be written under this name. */
  drop(name: string): void;
  /** One last try of each. */
  close(): Promise<void>;
}

interface Late<T> {
  value: T;
  write: () => Promise<unknown>;
}

const RETRY_MS = 1_000;
/** A store that stays away must not fill the memory. */
const MAX_KEPT = 1_000;

export function createWriteRetryQueue<T>(retryMs = RETRY_MS): WriteRetryQueue<T> {
  // Reads use `peek`, which leaves the order alone: when full, the write that has waited longest is dropped.
  const kept = new BoundedMap<string, Late<T>>(MAX_KEPT);
  const closing = new AbortController();
  let trying: Promise<void> | undefined;

  async function tryAll(): Promise<void> {
    for (const [name, late] of [...kept.entries()]) {
      if (kept.peek(name) !== late) continue;
      const written = await late.write().then(
        () => true,
        () => false,
      );
      if (written && kept.peek(name) === late) kept.delete(name);
    }
  }

  async function untilWritten(): Promise<void> {
    while (kept.size > 0 && !closing.signal.aborted) {
      await sleep(retryMs, undefined, { signal: closing.signal, ref: false }).catch(() => {});
      await tryAll();
    }
    trying = undefined;
  }

  return {
    keep(name, value, write) {
      kept.set(name, { value, write });
      trying ??= untilWritten();
    },
    get: (name) => kept.peek(name)?.value,
    drop: (name) => void kept.delete(name),
    async close() {
      closing.abort();
      await trying;
    },
  };
}
