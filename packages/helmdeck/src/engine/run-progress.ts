/** A progress report of a run. */
export interface Progress {
  percent: number;
  message?: string;
  atMs: number;
}

const MAX_MESSAGE_CHARS = 200;
const MIN_INTERVAL_MS = 100;

/** Throttles the reports of a handler: at most ten a second, each cut to 200 characters; the others are dropped. */
export function createProgress(
  listener: ((progress: Progress) => void) | undefined,
  now: () => number,
): (percent: number, message?: string) => void {
  if (!listener) return ignore;
  let lastMs = Number.NEGATIVE_INFINITY;
  return (percent, message) => {
    const atMs = now();
    // 100 percent is the last report and must not be dropped.
    if (atMs - lastMs < MIN_INTERVAL_MS && !(percent >= 100 && lastMs !== Number.POSITIVE_INFINITY)) return;
    lastMs = percent >= 100 ? Number.POSITIVE_INFINITY : atMs;
    const text = message === undefined ? {} : { message: shortCopy(String(message)) };
    listener({ percent: Math.min(100, Math.max(0, Number(percent) || 0)), ...text, atMs });
  };
}

/** A copy, because a slice would keep the whole string in memory for as long as the run is known. */
const shortCopy = (text: string) => Buffer.from(text.slice(0, MAX_MESSAGE_CHARS).toWellFormed()).toString();

function ignore(): void {}
