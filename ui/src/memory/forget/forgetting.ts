import type { InfiniteData, Query } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { ApiError } from '../../api/call-api.ts';
import { isRecordKey, isSame, type Whose } from '../../api/fact-api.ts';
import { forgetTogether } from '../../api/forget-together.ts';
import type { Fact, SearchHit } from '../../api/generated/rest.ts';
import { notices } from '../../kit/notices.ts';
import { createUndoQueue } from '../../kit/undo-queue.ts';
import { announce } from '../../shell/announcer.tsx';
import { onFailure, queryClient } from '../../shell/query-client.ts';
import { strings } from '../../strings.ts';
import { MEMORY, RUNS } from '../fact-queries.ts';

/** Whose memory the pending forgets belong to. A forget in another one sends them first. */
let waitingFor: Whose = {};

/** A forget that failed, and in whose memory: by the time of the response another one may be shown. */
class RefusedForget extends Error {
  readonly whose: Whose;
  constructor(whose: Whose) {
    super();
    this.whose = whose;
  }
}

/** One queue for the whole app: leaving the memory page must neither lose nor hasten a forget. */
export const forgetQueue = createUndoQueue({
  send: async (key, leaving) => {
    const whose = waitingFor;
    await forgetTogether(key, { keepalive: leaving, ...whose }).catch((thrown: unknown) => {
      // Forgotten by another client in the meantime: that is what was wanted.
      if (thrown instanceof ApiError && (thrown.status === 404 || thrown.code === 'not_found')) return;
      onFailure(thrown);
      throw new RefusedForget(whose);
    });
    removeFromLists(key, whose);
  },
  now: Date.now,
  setTimer: (work, ms) => setTimeout(work, ms),
  clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
  onSettled({ sent, failed, reason }) {
    const facts = sent.filter((key) => !isRecordKey(key));
    if (reason instanceof RefusedForget) {
      const { whose } = reason;
      const text = strings.undo.failed(failed.length);
      announce(text);
      notices.show({ text, retry: () => void forgetAgain(failed, whose) });
    } else if (facts.length > 0 && notices.state() === undefined) {
      notices.show({ text: strings.undo.forGood(facts.length) });
    }
    for (const name of [MEMORY, RUNS]) void queryClient.invalidateQueries({ queryKey: [name] });
  },
});

export function forgetLater(keys: readonly string[], whose: Whose): void {
  if (!isSame(whose, waitingFor)) void forgetQueue.flush(false);
  waitingFor = whose;
  notices.dismiss();
  forgetQueue.add(keys);
}

async function forgetAgain(keys: readonly string[], whose: Whose): Promise<void> {
  forgetLater(keys, whose);
  await forgetQueue.flush(false);
}

/** Otherwise the row would reappear for a moment between the response and the next listing. */
function removeFromLists(key: string, whose: Whose): void {
  const predicate = ({ queryKey }: Query) => isSame(queryKey[2] as Whose, whose);
  const others = <T extends { key: string }>(items: T[]) => items.filter((item) => item.key !== key);
  queryClient.setQueriesData<InfiniteData<{ facts: Fact[] }>>(
    { queryKey: [MEMORY, 'list'], predicate },
    (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, facts: others(page.facts) })) },
  );
  queryClient.setQueriesData<{ results: SearchHit[] }>(
    { queryKey: [MEMORY, 'search'], predicate },
    (data) => data && { ...data, results: others(data.results) },
  );
}

// Closing the tab does not undo a forget, on any page.
addEventListener('pagehide', () => void forgetQueue.flush(true));

export const useForgetQueue = () => useSyncExternalStore(forgetQueue.subscribe, forgetQueue.state);
export const isWaitingFor = (whose: Whose) => isSame(whose, waitingFor);

const NONE: ReadonlySet<string> = new Set();
/** What is being forgotten in a memory: another one may have the same keys. */
export const useHidden = (whose: Whose) =>
  useSyncExternalStore(forgetQueue.subscribe, () => (isWaitingFor(whose) ? forgetQueue.hidden() : NONE));
