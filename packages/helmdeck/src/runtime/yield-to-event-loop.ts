import { setImmediate as nextTick } from 'node:timers/promises';

/** How long one task may block the event loop before it yields; a garbage collection may add to it. */
const MAX_BLOCK_MS = 3;

/**
 * For long tasks: returns a function to await after each step. It yields to the event loop once the task has blocked it
 * for 3 ms, and otherwise returns `undefined` at once.
 */
export function createYielder(): () => Promise<void> | undefined {
  let startMs = performance.now();
  return () => {
    if (performance.now() - startMs < MAX_BLOCK_MS) return undefined;
    return nextTick().then(() => {
      startMs = performance.now();
    });
  };
}
