import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { readFacets } from '../api/fact-api.ts';
import { listInbox } from '../api/inbox-api.ts';
import { may } from '../api/session-api.ts';
import { MEMORY, useCaller } from '../memory/fact-queries.ts';
import { useSession } from '../session/session-context.ts';

export type InboxFilter = 'proposed' | 'quarantined' | undefined;

const PAGE = 50;
/** On pages without an event stream. */
const COUNT_MS = 30_000;

/** Whether the user may decide: only about their own memory. */
export function useMayReview(): boolean {
  const session = useSession();
  return useCaller() === undefined && may(session, 'memory:review');
}

export function useInbox(status: InboxFilter) {
  return useInfiniteQuery({
    queryKey: [MEMORY, 'inbox', status],
    queryFn: ({ signal, pageParam }) => listInbox({ status, limit: PAGE, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    enabled: useMayReview(),
  });
}

/** How many of the user's facts are due for review. */
export function useDueCount(): number {
  const { data } = useQuery({
    queryKey: [MEMORY, 'facets', 'due'],
    queryFn: ({ signal }) => readFacets({ due: '1' }, { caller: undefined, signal }),
    enabled: useMayReview(),
  });
  return data?.total ?? 0;
}

/** How much waits in all. */
export function useInboxCount(): number {
  const { data } = useQuery({
    queryKey: [MEMORY, 'inbox', 'count'],
    queryFn: ({ signal }) => listInbox({ limit: 1 }, { signal }),
    select: ({ counts }) => counts.proposed + counts.quarantined,
    refetchInterval: COUNT_MS,
    enabled: useMayReview(),
  });
  return data ?? 0;
}
