import { ApiError } from '../api/call-api.ts';

const RETRY_MS = 5_000;
const WATCH_MS = 10_000;

export interface Connection {
  down: boolean;
  /** When the next retry is sent. */
  nextTryMs: number;
}

let state: Connection = { down: false, nextTryMs: 0 };
let timer: ReturnType<typeof setTimeout> | undefined;
let onBack: () => void = () => {};
const listeners = new Set<() => void>();

function change(next: Connection): void {
  state = next;
  for (const listener of listeners) listener();
}

/** Called with every failure; only an unreachable server shows the banner. */
export function reportFailure(error: unknown): void {
  if (!(error instanceof ApiError) || !error.unreachable || state.down) return;
  scheduleRetry();
}

export async function retryNow(): Promise<void> {
  clearTimeout(timer);
  try {
    const { ok } = await fetch('/healthz', { cache: 'no-store' });
    if (!ok) return scheduleRetry();
    if (!state.down) return;
    change({ down: false, nextTryMs: 0 });
    onBack();
  } catch {
    scheduleRetry();
  }
}

/** Notices on an idle page too that the server went away; returns how to stop. */
export function watchServer(): () => void {
  const watch = setInterval(() => {
    if (!state.down && document.visibilityState === 'visible') void retryNow();
  }, WATCH_MS);
  return () => clearInterval(watch);
}

function scheduleRetry(): void {
  change({ down: true, nextTryMs: Date.now() + RETRY_MS });
  timer = setTimeout(retryNow, RETRY_MS);
}

export const connection = {
  read: () => state,
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  onReconnect(work: () => void) {
    onBack = work;
  },
};
