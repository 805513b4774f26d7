import { useSyncExternalStore } from 'react';
import { confirmFact } from '../api/fact-api.ts';
import { notices } from '../kit/notices.ts';
import { MEMORY } from '../memory/fact-queries.ts';
import { createForgetQueue } from '../memory/forget/forget-queue.ts';
import { noticeWrite } from '../memory/write-notice.ts';
import { announce } from '../shell/announcer.tsx';
import { queryClient } from '../shell/query-client.ts';
import { strings } from '../strings.ts';

const text = strings.inbox;

/** Confirmations wait like forgets do: the server cannot take one back. */
const queue = createForgetQueue({
  send: (key, leaving) => confirmFact(key, { keepalive: leaving }),
  now: Date.now,
  setTimer: (work, ms) => setTimeout(work, ms),
  clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
  onSettled({ failed }) {
    if (failed.length > 0) {
      announce(text.confirmFailed(failed.length));
      notices.show({ text: text.confirmFailed(failed.length), retry: () => retry(failed) });
    }
    void queryClient.invalidateQueries({ queryKey: [MEMORY] });
  },
});

addEventListener('pagehide', () => void queue.flush(true));

function retry(keys: readonly string[]): void {
  notices.dismiss();
  queue.forget(keys);
  void queue.flush(false);
}

/** Facts that are confirmed, but perhaps not on the server yet. */
export const useConfirmed = () => useSyncExternalStore(queue.subscribe, queue.hidden);

/** Confirms a fact, says so, and offers to undo it. */
export function confirmLater(key: string, onUndo: (key: string) => void): void {
  queue.forget([key]);
  noticeWrite({
    text: text.confirmed,
    key,
    undo: async () => {
      if (queue.bringBack([key]).length > 0) onUndo(key);
    },
  });
}
