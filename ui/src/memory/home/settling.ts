import { useSyncExternalStore } from 'react';
import type { Disagreement } from '../../api/generated/rest.ts';
import { settleDisagreement } from '../../api/review-api.ts';
import { notices } from '../../kit/notices.ts';
import { createUndoQueue } from '../../kit/undo-queue.ts';
import { announce } from '../../shell/announcer.tsx';
import { onFailure, queryClient } from '../../shell/query-client.ts';
import { strings } from '../../strings.ts';
import { MEMORY } from '../fact-queries.ts';
import { noticeWrite } from '../write-notice.ts';

const text = strings.home;
const DISAGREEMENTS = [MEMORY, 'disagreements'];

/** Verdicts wait like forgets do: the server cannot take one back. */
const queue = createUndoQueue({
  async send(id, leaving) {
    await settleDisagreement(id, { keepalive: leaving }).catch((thrown: unknown) => {
      onFailure(thrown);
      throw thrown;
    });
    // Not shown again between the answer and the next refetch.
    queryClient.setQueriesData<{ disagreements: Disagreement[] }>(
      { queryKey: DISAGREEMENTS },
      (known) => known && { disagreements: known.disagreements.filter((one) => one.id !== id) },
    );
  },
  now: Date.now,
  setTimer: (work, ms) => setTimeout(work, ms),
  clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
  onSettled({ failed }) {
    if (failed.length > 0) {
      announce(text.settleFailed);
      notices.show({ text: text.settleFailed, retry: () => retry(failed) });
    }
    void queryClient.invalidateQueries({ queryKey: DISAGREEMENTS });
  },
});

addEventListener('pagehide', () => void queue.flush(true));

function retry(ids: readonly string[]): void {
  notices.dismiss();
  queue.add(ids);
  void queue.flush(false);
}

/** Disagreements that are settled, but perhaps not on the server yet. */
export const useSettled = () => useSyncExternalStore(queue.subscribe, queue.hidden);

/** Says that both facts are right, and offers to undo it. */
export function settleLater(id: string): void {
  queue.add([id]);
  noticeWrite({ text: text.settled, undo: async () => void queue.bringBack([id]) });
}
