/** What a write has done, or why it failed. */
export interface Notice {
  text: string;
  /** The fact it is about. */
  key?: string;
  /** Takes the write back; it may return what to say about it. */
  undo?(): Promise<unknown>;
  /** After a failure: sends it again. Such a notice stays until it is answered. */
  retry?(): void;
  /** Pending forgets that are part of this write, and are undone with it. */
  forgets?: readonly string[];
}

export interface ShownNotice extends Notice {
  /** When it disappears; undefined while it is paused or waits for an answer. */
  deadlineMs: number | undefined;
  leftMs: number;
}

interface NoticesDeps {
  now(): number;
  setTimer(work: () => void, ms: number): unknown;
  clearTimer(timer: unknown): void;
}

export const NOTICE_MS = 10_000;
const PLAIN_MS = 5_000;

/** The notice of the latest write. A new one replaces it. */
export function createNotices(deps: NoticesDeps) {
  let shown: ShownNotice | undefined;
  let timer: unknown;
  const listeners = new Set<() => void>();

  function change(next: ShownNotice | undefined): void {
    deps.clearTimer(timer);
    shown = next;
    if (next?.deadlineMs !== undefined)
      timer = deps.setTimer(() => change(undefined), Math.max(0, next.deadlineMs - deps.now()));
    for (const listener of listeners) listener();
  }

  return {
    show(notice: Notice): void {
      const leftMs = notice.undo ? NOTICE_MS : PLAIN_MS;
      change({ ...notice, deadlineMs: notice.retry ? undefined : deps.now() + leftMs, leftMs });
    },
    dismiss: () => change(undefined),
    hold() {
      if (shown?.deadlineMs === undefined) return;
      change({ ...shown, deadlineMs: undefined, leftMs: Math.max(0, shown.deadlineMs - deps.now()) });
    },
    release() {
      if (!shown || shown.retry || shown.deadlineMs !== undefined) return;
      change({ ...shown, deadlineMs: deps.now() + shown.leftMs });
    },
    state: () => shown,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** One for the whole app, so that a notice outlives the page it was made on. */
export const notices = createNotices({
  now: Date.now,
  setTimer: (work, ms) => setTimeout(work, ms),
  clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
});
