import { ApiError } from '../api/call-api.ts';

const RETRY_MS = 5_000;

export interface Connection {
  down: boolean;
  /** When the next try goes out. */
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

/** Called with every failure: only a server that does not answer at all makes the banner appear. */
export function noteFailure(error: unknown): void {
  if (!(error instanceof ApiError) || !error.unreachable || state.down) return;
  wait();
}

export async function tryAgain(): Promise<void> {
  clearTimeout(timer);
  try {
    const { ok } = await fetch('/healthz', { cache: 'no-store' });
    if (!ok) return wait();
    change({ down: false, nextTryMs: 0 });
    onBack();
  } catch {
    wait();
  }
}

function wait(): void {
  change({ down: true, nextTryMs: Date.now() + RETRY_MS });
  timer = setTimeout(tryAgain, RETRY_MS);
}

export const connection = {
  read: () => state,
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  whenBack(work: () => void) {
    onBack = work;
  },
};
