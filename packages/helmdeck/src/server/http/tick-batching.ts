/**
 * Tick batching: requests that arrive in one tick of the event loop advance together, each step of all of them before
 * the next step of any. One after the other, each request would find the CPU caches filled by the last step of the one
 * before; together, the code of a step is loaded once for all. A request that arrives alone does not wait. ADR 12.
 */
export function createTickBatching() {
  let inFlight = 0;
  let endOfTick: Promise<void> | undefined;

  function nextTick(): Promise<void> {
    endOfTick ??= new Promise((resolve) => {
      setImmediate(() => {
        endOfTick = undefined;
        resolve();
      });
    });
    return endOfTick;
  }

  return async function batched<T>(handle: () => T | Promise<T>): Promise<T> {
    inFlight++;
    try {
      if (inFlight > 1) await nextTick();
      return await handle();
    } finally {
      inFlight--;
    }
  };
}
