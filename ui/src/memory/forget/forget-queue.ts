export const UNDO_MS = 10_000;

export interface ForgetQueueDeps {
  /** Sends one; `leaving` is true when the page is about to go. */
  send(key: string, leaving: boolean): Promise<unknown>;
  now(): number;
  setTimer(work: () => void, ms: number): unknown;
  clearTimer(timer: unknown): void;
  /** After the last of a batch has been answered; `failed` are the keys that were not forgotten. */
  onSettled(failed: string[]): void;
}

export interface ForgetState {
  /** Facts that are gone from the list, but not yet from the server. */
  keys: readonly string[];
  /** When the request goes out; undefined while a person holds the clock. */
  deadlineMs: number | undefined;
  /** What was left when the clock was held. */
  leftMs: number;
}

/** Holds forgets back for ten seconds. Nothing is faked: until they are sent, the server still has the facts. */
export function createForgetQueue(deps: ForgetQueueDeps) {
  let state: ForgetState = { keys: [], deadlineMs: undefined, leftMs: 0 };
  /** Sent and not yet answered: still hidden, no longer undoable. */
  let sending: readonly string[] = [];
  let timer: unknown;
  const listeners = new Set<() => void>();
  let hidden: ReadonlySet<string> = new Set();

  function change(next: ForgetState, nextSending: readonly string[] = sending): void {
    deps.clearTimer(timer);
    state = next;
    sending = nextSending;
    hidden = new Set([...state.keys, ...sending]);
    if (state.keys.length > 0 && state.deadlineMs !== undefined)
      timer = deps.setTimer(() => void flush(false), Math.max(0, state.deadlineMs - deps.now()));
    for (const listener of listeners) listener();
  }

  /** Sends what waits; done when the server has answered. */
  async function flush(leaving: boolean): Promise<void> {
    const { keys } = state;
    if (keys.length === 0) return;
    change({ keys: [], deadlineMs: undefined, leftMs: 0 }, [...sending, ...keys]);
    await settle(keys, leaving);
  }

  async function settle(keys: readonly string[], leaving: boolean): Promise<void> {
    const results = await Promise.allSettled(keys.map((key) => deps.send(key, leaving)));
    const failed = keys.filter((_, index) => results[index]!.status === 'rejected');
    change(
      state,
      sending.filter((key) => !keys.includes(key)),
    );
    deps.onSettled(failed);
  }

  return {
    /** Joins what is already waiting; the ten seconds begin anew. */
    forget(keys: readonly string[]) {
      const joined = [...new Set([...state.keys, ...keys])];
      change({ keys: joined, deadlineMs: deps.now() + UNDO_MS, leftMs: UNDO_MS });
    },
    undo() {
      const { keys } = state;
      change({ keys: [], deadlineMs: undefined, leftMs: 0 });
      return keys;
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

export type ForgetQueue = ReturnType<typeof createForgetQueue>;
