import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { operationUrl } from '../api/call-api.ts';
import type { ChangeEvent } from '../api/generated/rest.ts';
import { useWhose } from '../navigation/navigation.tsx';
import { retryNow } from '../shell/connection.ts';
import { MEMORY } from './fact-queries.ts';

const EVENTS: readonly ChangeEvent['type'][] = ['store', 'forget', 'expire', 'erase'];
/** Debounce: an agent that stores a hundred facts causes one refetch, not a hundred. */
const GATHER_MS = 400;
/** Counts scan the whole memory on the server, so they are refetched less often. */
const COUNT_MS = 5_000;
const COUNTS: readonly unknown[] = ['facets', 'expiring', 'stats'];

/**
 * Refetches when other clients change the memory; returns true while the event stream is open. A hidden tab closes it:
 * browsers allow six connections to a server, so the seventh tab with a stream would get no answers at all.
 */
export function useLiveEvents(): boolean {
  const [live, setLive] = useState(false);
  const queryClient = useQueryClient();
  const whose = useWhose();
  useEffect(() => {
    let stream: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let countTimer: ReturnType<typeof setTimeout> | undefined;
    const refresh = (counts: boolean) =>
      void queryClient.invalidateQueries({
        queryKey: [MEMORY],
        predicate: ({ queryKey }) => COUNTS.includes(queryKey[1]) === counts,
      });
    const reload = () => {
      clearTimeout(timer);
      timer = setTimeout(() => refresh(false), GATHER_MS);
      countTimer ??= setTimeout(() => {
        countTimer = undefined;
        refresh(true);
      }, COUNT_MS);
    };
    const refreshInbox = () => void queryClient.invalidateQueries({ queryKey: [MEMORY, 'inbox'] });
    const refreshRecalls = () => void queryClient.invalidateQueries({ queryKey: [MEMORY, 'recalls'] });
    const refreshList = () => void queryClient.invalidateQueries({ queryKey: [MEMORY, 'list'] });
    let wasOpen = false;
    const listen = () => {
      stream = new EventSource(operationUrl('GET /api/v1/memory/events', { query: { ...whose } }));
      stream.onopen = () => {
        setLive(true);
        // Events from before the stream was open were missed: after a break by everything, at first by what has just
        // been fetched.
        refreshRecalls();
        refreshList();
        if (wasOpen) {
          reload();
          refreshInbox();
        }
        wasOpen = true;
      };
      stream.onerror = () => {
        setLive(false);
        void retryNow(); // the stream may have ended because the server is away
      };
      for (const type of EVENTS) stream.addEventListener(type, reload);
      stream.addEventListener('proposal' satisfies ChangeEvent['type'], refreshInbox);
      stream.addEventListener('recall' satisfies ChangeEvent['type'], refreshRecalls);
    };
    const close = () => {
      stream?.close();
      stream = undefined;
      setLive(false);
    };
    const onVisibility = () => {
      if (document.visibilityState === 'hidden') close();
      else if (!stream) listen();
    };
    onVisibility();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      clearTimeout(timer);
      clearTimeout(countTimer);
      close();
    };
  }, [whose, queryClient]);
  return live;
}
