import { setTimeout as sleep } from 'node:timers/promises';
import { BoundedMap } from '../runtime/bounded-map.ts';

/** Writes that failed and are retried until the store accepts them; until then their values can be read from here. */
export interface WriteRetryQueue<T> {
  /** Retries `write` until it succeeds; `get` returns `value` meanwhile. */
  enqueue(name: string, value: T, write: () => Promise<unknown>): void;
  get(name: string): T | undefined;
  /** Discards a pending write that a newer one is about to replace. */
  drop(name: string): void;
  /** Tries each pending write one last time. */
  close(): Promise<void>;
}

interface PendingWrite<T> {
  value: T;
  write: () => Promise<unknown>;
}

const RETRY_INTERVAL_MS = 1_000;
/** Bounds the memory used while the store is unavailable; one more drops the oldest. */
const MAX_PENDING = 1_000;

export function createWriteRetryQueue<T>(retryIntervalMs = RETRY_INTERVAL_MS): WriteRetryQueue<T> {
  // Reads use `peek`, which leaves the order alone: when full, the write that has waited longest is dropped.
  const pending = new BoundedMap<string, PendingWrite<T>>(MAX_PENDING);
  const closing = new AbortController();
  let retryLoop: Promise<void> | undefined;

  async function retryAll(): Promise<void> {
    for (const [name, entry] of [...pending.entries()]) {
      if (pending.peek(name) !== entry) continue;
      const isWritten = await entry.write().then(
        () => true,
        () => false,
      );
      if (isWritten && pending.peek(name) === entry) pending.delete(name);
    }
  }

  async function retryUntilEmpty(): Promise<void> {
    while (pending.size > 0 && !closing.signal.aborted) {
      await sleep(retryIntervalMs, undefined, { signal: closing.signal, ref: false }).catch(() => {});
      await retryAll();
    }
    retryLoop = undefined;
  }

  return {
    enqueue(name, value, write) {
      pending.set(name, { value, write });
      retryLoop ??= retryUntilEmpty();
    },
    get: (name) => pending.peek(name)?.value,
    drop: (name) => void pending.delete(name),
    async close() {
      closing.abort();
      await retryLoop;
    },
  };
}
