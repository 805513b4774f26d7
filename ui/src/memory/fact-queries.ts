import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import {
  type Fact,
  type Hit,
  listFacts,
  readFacets,
  readFact,
  readHistory,
  searchFacts,
} from '../api/fact-api.ts';
import { filterOf, type MemorySearch } from './memory-search.ts';

export const WEEK_SECONDS = 604_800;
/** Everything that changes when a fact does. */
export const MEMORY = 'memory';
/** Everything that changes when something has run. */
export const RUNS = 'runs';
/** Counting goes through the whole memory on the server; events say when it is worth doing again. */
const COUNTS_STALE_MS = 60_000;

/** A line of the list, found or listed. */
export type Row = Pick<Fact, 'key' | 'category' | 'tags' | 'created_at' | 'updated_at' | 'expires_at'> & {
  text: string;
  source?: Fact['source'];
  hit?: Hit;
};

export interface FactList {
  rows: Row[];
  /** Of a search: how long the server took, and what it said about it. */
  found?: { tookMs: number; abstained: boolean; degraded: boolean };
  hasMore: boolean;
  loadMore(): void;
  isPending: boolean;
  /** What is shown belongs to the question before this one. */
  isOld: boolean;
  error: unknown;
  retry(): void;
}

/** The caller whose memory is shown, for admins. */
export const useCaller = (): string | undefined => useSearch({ strict: false }).caller;

export function useFactList(search: MemorySearch): FactList {
  const listed = useListed(search);
  const found = useFound(search);
  return search.q === undefined ? listed : found;
}

function useFound(search: MemorySearch): FactList {
  const caller = useCaller();
  const { q = '' } = search;
  const filter = filterOf(search);
  const query = useQuery({
    queryKey: [MEMORY, 'search', caller, q, filter],
    queryFn: ({ signal }) => searchFacts({ ...filter, q, explain: '1' }, { caller, signal }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
  const soonMs = Date.now() + WEEK_SECONDS * 1000;
  const hits = (query.data?.results ?? []).filter(
    (hit) => !search.expiring || Date.parse(hit.expires_at) <= soonMs,
  );
  return {
    rows: hits.map((hit) => ({ ...hit, text: hit.snippet, hit })),
    found: query.data && {
      tookMs: Math.max(1, Math.round(query.data.took_ms)),
      abstained: query.data.abstained,
      degraded: query.data.degraded === true,
    },
    hasMore: false,
    loadMore: () => {},
    isPending: query.isPending,
    isOld: query.isPlaceholderData,
    error: query.error,
    retry: () => void query.refetch(),
  };
}

function useListed(search: MemorySearch): FactList {
  const caller = useCaller();
  const filter = filterOf(search);
  const { sort = 'updated', expiring } = search;
  const query = useInfiniteQuery({
    queryKey: [MEMORY, 'list', caller, filter, sort, expiring],
    queryFn: ({ pageParam, signal }) =>
      listFacts(
        { ...filter, sort, expiring_within: expiring ? WEEK_SECONDS : undefined, cursor: pageParam },
        { caller, signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
    enabled: search.q === undefined,
    placeholderData: keepPreviousData,
  });
  const facts = query.data?.pages.flatMap((page) => page.facts) ?? [];
  return {
    rows: facts.map((fact) => ({ ...fact, text: firstLine(fact.value) })),
    hasMore: query.hasNextPage,
    loadMore: () => {
      if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
    },
    isPending: query.isPending,
    isOld: query.isPlaceholderData,
    error: query.error,
    retry: () => void query.refetch(),
  };
}

/** A row has one line; what does not fit is cut by the browser, but it need not get 64 KiB to cut. */
const firstLine = (value: string) => value.slice(0, 300).replaceAll(/\s+/g, ' ');

export function useFact(key: string | undefined) {
  const caller = useCaller();
  return useQuery({
    queryKey: [MEMORY, 'fact', caller, key],
    queryFn: ({ signal }) => readFact(key!, { caller, signal }),
    enabled: key !== undefined,
  });
}

export function useHistory(key: string) {
  const caller = useCaller();
  return useQuery({
    queryKey: [MEMORY, 'history', caller, key],
    queryFn: ({ signal }) => readHistory(key, { caller, signal }),
  });
}

export function useFacets(prefix: string, enabled = true) {
  const caller = useCaller();
  return useQuery({
    queryKey: [MEMORY, 'facets', caller, prefix],
    queryFn: ({ signal }) => readFacets(prefix, { caller, signal }),
    placeholderData: keepPreviousData,
    staleTime: COUNTS_STALE_MS,
    enabled,
  });
}

const SOON_LIMIT = 200;

/** How many facts end within a week; the server has no plain count, so it is exact up to a page. */
export function useExpiringSoon() {
  const caller = useCaller();
  const query = useQuery({
    queryKey: [MEMORY, 'expiring', caller],
    queryFn: ({ signal }) =>
      listFacts({ expiring_within: WEEK_SECONDS, limit: SOON_LIMIT, sort: 'expires' }, { caller, signal }),
    staleTime: COUNTS_STALE_MS,
  });
  return { facts: query.data?.facts ?? [], more: query.data?.next_cursor !== undefined };
}

/** Close to what is being written, under other keys. */
export function useSimilar(text: string, ownKey: string) {
  const caller = useCaller();
  const q = text.trim().slice(0, 300);
  const query = useQuery({
    queryKey: [MEMORY, 'similar', caller, q],
    queryFn: ({ signal }) => searchFacts({ q, limit: 6 }, { caller, signal }),
    enabled: q.length >= 8,
    placeholderData: keepPreviousData,
  });
  if (q.length < 8) return [];
  return (query.data?.results ?? []).filter(({ key, score }) => key !== ownKey && score >= 0.5).slice(0, 3);
}
