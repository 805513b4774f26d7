/** As long as a program on the same machine takes to send its next request. */
const AWAKE_MS = 0.25;

/**
 * Keeps the event loop looking for the next request for a moment after an answer, if the sender of the last one was
 * that quick: a thread that sleeps takes a processor longer to wake than a request takes to be read. Whoever asks once
 * in a while finds the server asleep, and costs it nothing.
 */
export function createStayAwake(nowMs: () => number = () => performance.now()) {
  let answeredMs = Number.NEGATIVE_INFINITY;
  let isQuick = false;
  let isAwake = false;

  function look(): void {
    isAwake = nowMs() - answeredMs < AWAKE_MS;
    if (isAwake) setImmediate(look);
  }

  return {
    asked(): void {
      isQuick = nowMs() - answeredMs < AWAKE_MS;
    },
    /** The last of the requests under way was answered. */
    answered(): void {
      answeredMs = nowMs();
      if (!isQuick || isAwake) return;
      isAwake = true;
      setImmediate(look);
    },
  };
}
