import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { listRunRecords, type RunFilter } from '../api/routing-api.ts';
import { RUNS, useCaller } from '../memory/fact-queries.ts';
import type { RoutingSearch } from './routing-search.ts';
import { BUCKET_MS, SPAN_MS } from './run-figures.ts';

const PAGE = 50;
/** The list polls, because agents keep running packs. */
const WATCH_MS = 15_000;
const PIPELINE_ID = /^(pipe_|builtin\.)/;

/** The filter of the server for the parameters in the URL. A filter by code applies to the range, as the findings do. */
function filterOf({ range = '30d', of, code, failed, at }: RoutingSearch): RunFilter {
  const filter: RunFilter = {};
  if (of !== undefined) filter[PIPELINE_ID.test(of) ? 'pipeline' : 'pack'] = of;
  if (code !== undefined) filter.code = code;
  if (failed) filter.failed = '1';
  const startMs = at === undefined ? Date.now() - SPAN_MS[range] : Date.parse(at);
  if (at !== undefined || code !== undefined) filter.from = new Date(startMs).toISOString();
  if (at !== undefined)
    filter.to = new Date(startMs + BUCKET_MS[range === '24h' ? 'hour' : 'day']).toISOString();
  return filter;
}

/** The runs that match the URL, newest first. */
export function useRunRecords({ range, of, code, failed, at }: RoutingSearch) {
  const caller = useCaller();
  return useInfiniteQuery({
    queryKey: [RUNS, 'records', caller, range, of, code, failed, at],
    queryFn: ({ pageParam, signal }) =>
      listRunRecords(
        { ...filterOf({ range, of, code, failed, at }), limit: PAGE, cursor: pageParam },
        { caller, signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: WATCH_MS,
  });
}

/** One run; null if it is no longer on record. */
export function useRunRecord(key: string) {
  const caller = useCaller();
  return useQuery({
    queryKey: [RUNS, 'record', caller, key],
    queryFn: async ({ signal }) => (await listRunRecords({ key }, { caller, signal })).runs[0] ?? null,
  });
}
