/**
 * Tick batching: requests that arrive in one tick of the event loop are served in lockstep, so that all of them finish a
 * step before any begins the next. Served one after another, each would find the CPU caches filled with the code of other
 * steps; in lockstep, the code of a step is loaded once for all. A request that arrives alone does not wait. ADR 12.
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
