export const UNDO_MS = 10_000;

export interface UndoQueueDeps {
  /** Sends one write; `leaving` is true while the page is being closed. */
  send(key: string, leaving: boolean): Promise<unknown>;
  now(): number;
  setTimer(work: () => void, ms: number): unknown;
  clearTimer(timer: unknown): void;
  /** Called after the last response of a batch; `reason` is that of the first that failed. */
  onSettled(outcome: { sent: string[]; failed: string[]; reason: unknown }): void;
}

export interface UndoState {
  /** What is hidden from the list, but not yet written on the server. */
  keys: readonly string[];
  /** When the requests are sent; undefined while the timer is paused. */
  deadlineMs: number | undefined;
  /** The time left when the timer was paused. */
  leftMs: number;
}

/** Delays writes for ten seconds, so that they can be undone: until they are sent, nothing has changed on the server. */
export function createUndoQueue(deps: UndoQueueDeps) {
  let state: UndoState = { keys: [], deadlineMs: undefined, leftMs: 0 };
  /** In flight: still hidden, no longer undoable. */
  let sending: readonly string[] = [];
  let timer: unknown;
  const listeners = new Set<() => void>();
  let hidden: ReadonlySet<string> = new Set();

  function change(next: UndoState, nextSending: readonly string[] = sending): void {
    deps.clearTimer(timer);
    state = next;
    sending = nextSending;
    hidden = new Set([...state.keys, ...sending]);
    if (state.keys.length > 0 && state.deadlineMs !== undefined)
      timer = deps.setTimer(() => void flush(false), Math.max(0, state.deadlineMs - deps.now()));
    for (const listener of listeners) listener();
  }

  /** Sends the pending writes; resolves when the server has responded. */
  async function flush(leaving: boolean): Promise<void> {
    const { keys } = state;
    if (keys.length === 0) return;
    change({ keys: [], deadlineMs: undefined, leftMs: 0 }, [...sending, ...keys]);
    await settle(keys, leaving);
  }

  async function settle(keys: readonly string[], leaving: boolean): Promise<void> {
    const results = await Promise.allSettled(keys.map((key) => deps.send(key, leaving)));
    const ended = (status: 'fulfilled' | 'rejected') =>
      keys.filter((_, index) => results[index]!.status === status);
    change(
      state,
      sending.filter((key) => !keys.includes(key)),
    );
    const reason = results.find((result) => result.status === 'rejected')?.reason;
    deps.onSettled({ sent: ended('fulfilled'), failed: ended('rejected'), reason });
  }

  return {
    /** Adds to the pending writes and restarts the ten seconds. */
    add(keys: readonly string[]) {
      const joined = [...new Set([...state.keys, ...keys])];
      change({ keys: joined, deadlineMs: deps.now() + UNDO_MS, leftMs: UNDO_MS });
    },
    /** Takes some of the pending writes back; returns the keys that were still pending. */
    bringBack(keys: readonly string[]) {
      const back = state.keys.filter((key) => keys.includes(key));
      change({ ...state, keys: state.keys.filter((key) => !keys.includes(key)) });
      return back;
    },
    hold() {
      if (state.deadlineMs === undefined) return;
      change({ ...state, deadlineMs: undefined, leftMs: Math.max(0, state.deadlineMs - deps.now()) });
    },
    release() {
      if (state.keys.length === 0 || state.deadlineMs !== undefined) return;
      change({ ...state, deadlineMs: deps.now() + state.leftMs });
    },
    flush,
    state: () => state,
    hidden: () => hidden,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export type UndoQueue = ReturnType<typeof createUndoQueue>;
