/** How long one task may block the event loop before it yields; a garbage collection may add to it. */
const MAX_BLOCK_MS = 3;

/** Tasks that wait for their next slice of time, in order of arrival. */
const waiting: (() => void)[] = [];

/** The next turn of the event loop that no other task uses: however many there are, each turn has the slice of one. */
function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(startSlice);
  });
}

function startSlice(): void {
  const start = waiting.shift()!;
  if (waiting.length > 0) setImmediate(startSlice);
  start();
}

/**
 * For long tasks: returns a function to await after each step. It yields to the event loop once the task has blocked it
 * for 3 ms, and otherwise returns `undefined` at once.
 */
export function createYielder(): () => Promise<void> | undefined {
  let startMs = performance.now();
  return () => {
    if (performance.now() - startMs < MAX_BLOCK_MS) return undefined;
    return nextSlice().then(() => {
      startMs = performance.now();
    });
  };
}
