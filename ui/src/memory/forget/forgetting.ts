import type { InfiniteData } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { ApiError } from '../../api/call-api.ts';
import { isRecordKey } from '../../api/fact-api.ts';
import { forgetTogether } from '../../api/forget-together.ts';
import type { Fact, SearchHit } from '../../api/generated/rest.ts';
import { notices } from '../../kit/notices.ts';
import { createUndoQueue } from '../../kit/undo-queue.ts';
import { announce } from '../../shell/announcer.tsx';
import { onFailure, queryClient } from '../../shell/query-client.ts';
import { strings } from '../../strings.ts';
import { MEMORY, RUNS } from '../fact-queries.ts';

/** Whose memory the pending forgets belong to. Switching to another caller sends them first. */
let waitingFor: string | undefined;
/** Whose fact a refused forget was about, by key: by the time of the response another caller may be chosen. */
const refusedFor = new Map<string, string | undefined>();

/** One queue for the whole app: leaving the memory page must neither lose nor hasten a forget. */
export const forgetQueue = createUndoQueue({
  send: async (key, leaving) => {
    const caller = waitingFor;
    await forgetTogether(key, { keepalive: leaving, caller }).catch((thrown: unknown) => {
      // Forgotten by another client in the meantime: that is what was wanted.
      if (thrown instanceof ApiError && (thrown.status === 404 || thrown.code === 'not_found')) return;
      refusedFor.set(key, caller);
      onFailure(thrown);
      throw thrown;
    });
    removeFromLists(key);
  },
  now: Date.now,
  setTimer: (work, ms) => setTimeout(work, ms),
  clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
  onSettled({ sent, failed }) {
    const facts = sent.filter((key) => !isRecordKey(key));
    if (failed.length > 0) {
      const caller = refusedFor.get(failed[0]!);
      const text = strings.undo.failed(failed.length);
      announce(text);
      notices.show({ text, retry: () => void forgetAgain(failed, caller) });
    } else if (facts.length > 0 && notices.state() === undefined) {
      notices.show({ text: strings.undo.forGood(facts.length) });
    }
    for (const name of [MEMORY, RUNS]) void queryClient.invalidateQueries({ queryKey: [name] });
  },
});

export function forgetLater(keys: readonly string[], caller: string | undefined): void {
  if (caller !== waitingFor) void forgetQueue.flush(false);
  waitingFor = caller;
  notices.dismiss();
  forgetQueue.add(keys);
}

async function forgetAgain(keys: readonly string[], caller: string | undefined): Promise<void> {
  forgetLater(keys, caller);
  await forgetQueue.flush(false);
}

/** Otherwise the row would reappear for a moment between the response and the next listing. */
function removeFromLists(key: string): void {
  const others = <T extends { key: string }>(items: T[]) => items.filter((item) => item.key !== key);
  queryClient.setQueriesData<InfiniteData<{ facts: Fact[] }>>(
    { queryKey: [MEMORY, 'list'] },
    (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, facts: others(page.facts) })) },
  );
  queryClient.setQueriesData<{ results: SearchHit[] }>(
    { queryKey: [MEMORY, 'search'] },
    (data) => data && { ...data, results: others(data.results) },
  );
}

// Closing the tab does not undo a forget, on any page.
addEventListener('pagehide', () => void forgetQueue.flush(true));

export const useForgetQueue = () => useSyncExternalStore(forgetQueue.subscribe, forgetQueue.state);
export const useHidden = () => useSyncExternalStore(forgetQueue.subscribe, forgetQueue.hidden);
