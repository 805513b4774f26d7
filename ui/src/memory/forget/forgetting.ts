import type { InfiniteData } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { forgetTogether } from '../../api/forget-together.ts';
import type { Fact, SearchHit } from '../../api/generated/rest.ts';
import { announce } from '../../shell/announcer.tsx';
import { queryClient } from '../../shell/query-client.ts';
import { strings } from '../../strings.ts';
import { MEMORY, RUNS } from '../fact-queries.ts';
import { createForgetQueue } from './forget-queue.ts';

/** Whose memory the pending forgets belong to. Switching to another caller sends them first. */
let waitingFor: string | undefined;

/** One queue for the whole app: leaving the memory page must neither lose nor hasten a forget. */
export const forgetQueue = createForgetQueue({
  send: async (key, leaving) => {
    await forgetTogether(key, { keepalive: leaving, caller: waitingFor });
    removeFromLists(key);
  },
  now: Date.now,
  setTimer: (work, ms) => setTimeout(work, ms),
  clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
  onSettled(failed) {
    if (failed.length > 0) announce(strings.undo.failed(failed.length));
    failures = failed;
    for (const name of [MEMORY, RUNS]) void queryClient.invalidateQueries({ queryKey: [name] });
  },
});

let failures: readonly string[] = [];
/** The keys of the last batch that the server refused to forget. */
export const forgetFailures = () => failures;

export function forgetLater(keys: readonly string[], caller: string | undefined): void {
  if (caller !== waitingFor) void forgetQueue.flush(false);
  waitingFor = caller;
  failures = [];
  forgetQueue.forget(keys);
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
