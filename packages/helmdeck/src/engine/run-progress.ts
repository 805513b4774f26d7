/** How far a run is, as those who watch it are told. */
export interface Progress {
  percent: number;
  message?: string;
  atMs: number;
}

const MAX_MESSAGE_CHARS = 200;
const PAUSE_MS = 100;

/** Tames a chatty handler: at most ten reports a second, each short; what comes in between is dropped. */
export function createProgress(
  listener: ((progress: Progress) => void) | undefined,
  now: () => number,
): (percent: number, message?: string) => void {
  if (!listener) return ignore;
  let lastMs = Number.NEGATIVE_INFINITY;
  return (percent, message) => {
    const atMs = now();
    // A hundred is the last thing a handler says, and must not be lost.
    if (atMs - lastMs < PAUSE_MS && !(percent >= 100 && lastMs !== Number.POSITIVE_INFINITY)) return;
    lastMs = percent >= 100 ? Number.POSITIVE_INFINITY : atMs;
    const text = message === undefined ? {} : { message: shortCopy(String(message)) };
    listener({ percent: Math.min(100, Math.max(0, Number(percent) || 0)), ...text, atMs });
  };
}

/** A copy, because a piece of a text keeps the whole text in memory, and this is kept with the run. */
const shortCopy = (text: string) => Buffer.from(text.slice(0, MAX_MESSAGE_CHARS).toWellFormed()).toString();

function ignore(): void {}
