/** As long as a program on the same machine takes to send its next request. */
const AWAKE_MS = 0.25;

/**
 * Keeps the event loop looking for the next request for a moment after an answer, if its sender was that quick with the
 * last one: a thread that sleeps takes a processor longer to wake than a request takes to be read. Whoever asks once in
 * a while finds the server asleep, and costs it nothing; where several ask at once, the processors have better to do.
 */
export function createStayAwake(nowMs: () => number = () => performance.now()) {
  let underWay = 0;
  let answeredMs = Number.NEGATIVE_INFINITY;
  let isQuick = false;
  let isAwake = false;

  function look(): void {
    isAwake = underWay === 0 && nowMs() - answeredMs < AWAKE_MS;
    if (isAwake) setImmediate(look);
  }

  return {
    asked(): void {
      isQuick = underWay++ === 0 && nowMs() - answeredMs < AWAKE_MS;
    },
    answered(): void {
      if (--underWay > 0) return;
      answeredMs = nowMs();
      if (!isQuick || isAwake) return;
      isAwake = true;
      setImmediate(look);
    },
  };
}
