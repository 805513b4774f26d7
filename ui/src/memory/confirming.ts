import { useSyncExternalStore } from 'react';
import type { Fact } from '../api/generated/rest.ts';
import { confirmFact } from '../api/review-api.ts';
import { notices } from '../kit/notices.ts';
import { createUndoQueue } from '../kit/undo-queue.ts';
import { announce } from '../shell/announcer.tsx';
import { queryClient } from '../shell/query-client.ts';
import { strings } from '../strings.ts';
import { MEMORY } from './fact-queries.ts';
import { noticeWrite } from './write-notice.ts';

const text = strings.detail;

/** The versions that were shown: another text is not confirmed unseen. */
const versions = new Map<string, number>();

/** Confirmations wait like forgets do: the server cannot take one back. */
const queue = createUndoQueue({
  send: (key, leaving) => confirmFact(key, versions.get(key)!, { keepalive: leaving }),
  now: Date.now,
  setTimer: (work, ms) => setTimeout(work, ms),
  clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
  onSettled({ failed }) {
    if (failed.length > 0) {
      announce(text.confirmFailed);
      notices.show({ text: text.confirmFailed, retry: () => retry(failed) });
    }
    void queryClient.invalidateQueries({ queryKey: [MEMORY] });
  },
});

addEventListener('pagehide', () => void queue.flush(true));

function retry(keys: readonly string[]): void {
  notices.dismiss();
  queue.add(keys);
  void queue.flush(false);
}

/** Facts that are confirmed, but perhaps not on the server yet. */
export const useConfirmed = () => useSyncExternalStore(queue.subscribe, queue.hidden);

/** Confirms a fact, says so, and offers to undo it. */
export function confirmLater({ key, version }: Fact, onUndo: (key: string) => void = () => {}): void {
  versions.set(key, version);
  queue.add([key]);
  noticeWrite({
    text: text.confirmed,
    key,
    undo: async () => {
      if (queue.bringBack([key]).length > 0) onUndo(key);
    },
  });
}
