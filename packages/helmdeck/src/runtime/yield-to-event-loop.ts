import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long one piece of work may keep the event loop before others get their turn; a collection of garbage may come on top. */
const TURN_MS = 3;

/** For long work: called after each step, it waits a turn whenever this work has had the event loop for 3 ms. */
export function createYielder(): () => Promise<void> | undefined {
  let startMs = performance.now();
  return () => {
    if (performance.now() - startMs < TURN_MS) return undefined;
    return nextTurn().then(() => {
      startMs = performance.now();
    });
  };
}
