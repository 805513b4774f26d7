import { createStayAwake } from './stay-awake.ts';

/**
 * Lets requests that arrive in one turn of the event loop go on side by side, each step of all of them before the next
 * step of any. One after the other, every request finds the processor's caches full of what the one before it did
 * last; side by side, the code of a step is fetched once for all. A request that comes alone does not wait.
 */
export function createInStep() {
  const attention = createStayAwake();
  let underWay = 0;
  let nextTurn: Promise<void> | undefined;

  function turn(): Promise<void> {
    nextTurn ??= new Promise((resolve) => {
      setImmediate(() => {
        nextTurn = undefined;
        resolve();
      });
    });
    return nextTurn;
  }

  return async function inStep<T>(answer: () => T | Promise<T>): Promise<T> {
    underWay++;
    attention.asked();
    try {
      if (underWay > 1) await turn();
      return await answer();
    } finally {
      underWay--;
      attention.answered();
    }
  };
}
