/** One Ctrl-C arrives several times: the terminal sends it to the whole process group, and npm and launchers forward it. */
const SAME_KEY_PRESS_MS = 500;

/** Calls `first` for the first of these signals and `again` if the user insists; returns how to stop listening. */
export function onStopSignals(
  signals: readonly NodeJS.Signals[],
  first: (signal: NodeJS.Signals) => void,
  again: (signal: NodeJS.Signals) => void,
): () => void {
  let firstMs: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (firstMs === undefined) {
      firstMs = performance.now();
      first(signal);
    } else if (performance.now() - firstMs > SAME_KEY_PRESS_MS) again(signal);
  };
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}
