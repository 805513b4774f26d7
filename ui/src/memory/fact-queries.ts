import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import {
  type FacetQuery,
  listFacts,
  readFacets,
  readFact,
  readHistory,
  searchFacts,
} from '../api/fact-api.ts';
import type { Fact, SearchHit } from '../api/generated/rest.ts';
import { useSearch, useWhose } from '../navigation/navigation.tsx';
import { defaultSort, filterOf, type MemorySearch, WEEK_SECONDS } from './list/memory-search.ts';
import { rowText, withoutMarks } from './list/row-text.ts';

/** The query key of everything that changes when a fact changes. */
export const MEMORY = 'memory';
/** The query key of everything that changes when a pack or pipeline has run. */
export const RUNS = 'runs';
/** Counts scan the whole memory on the server; events tell when to refetch them. */
const COUNTS_STALE_MS = 60_000;

/** A row of the list, from a search or a listing. */
export type Row = Pick<Fact, 'key' | 'category' | 'tags' | 'created_at' | 'updated_at' | 'expires_at'> & {
  /** One line of its value, without marks. */
  text: string;
  /** The matches of the search in that line. */
  highlights?: readonly (readonly [number, number])[];
  source?: Fact['source'];
  hit?: SearchHit;
};

export interface FactList {
  rows: Row[];
  /** Only for a search: how long it took, and how good its results are. */
  found?: {
    tookMs: number;
    abstained: boolean;
    degraded: boolean;
    isCut: boolean;
    /** How many rows come before the weak ones: up to the last confident hit. */
    strong: number;
  };
  hasMore: boolean;
  loadMore(): void;
  isPending: boolean;
  /** The rows still belong to the previous search. */
  isOld: boolean;
  error: unknown;
  retry(): void;
}

/** The caller whose memory is shown, for admins; for what no space has. */
export const useCaller = (): string | undefined => useSearch({ strict: false }).caller;

export function useFactList(search: MemorySearch): FactList {
  const listed = useListed(search);
  const found = useFound(search);
  return search.q === undefined ? listed : found;
}

/** The first hits just fill the screen, so that they arrive soon; scrolling loads as many as the server returns. */
const FIRST_HITS = 40;
const MAX_HITS = 100;

function useFound(search: MemorySearch): FactList {
  const whose = useWhose();
  const { q = '' } = search;
  const filter = filterOf(search);
  const [scrolledQ, setScrolledQ] = useState<string>();
  const limit = scrolledQ === q ? MAX_HITS : FIRST_HITS;
  const query = useQuery({
    queryKey: [MEMORY, 'search', whose, q, filter, limit],
    queryFn: ({ signal }) => searchFacts({ ...filter, q, limit }, { ...whose, signal }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
  const results = query.data?.results;
  const { project } = filter;
  const rows = useMemo(
    () =>
      // A search ranks the facts of a project higher; the filter of this page shows no others.
      (results ?? [])
        .filter((hit) => project === undefined || hit.project === project)
        .map((hit) => {
          const plain =
            hit.highlights.length === 0
              ? { text: rowText(hit.snippet), highlights: [] }
              : withoutMarks(hit.snippet, hit.highlights);
          return { ...hit, ...plain, hit };
        }),
    [results, project],
  );
  const isCut = (results?.length ?? 0) >= limit;
  return {
    rows,
    found: query.data && {
      tookMs: Math.max(1, Math.round(query.data.took_ms)),
      abstained: query.data.abstained,
      degraded: query.data.degraded === true,
      isCut,
      strong: rows.findLastIndex(({ hit }) => hit.confident) + 1,
    },
    hasMore: isCut && limit < MAX_HITS,
    loadMore: () => setScrolledQ(q),
    isPending: query.isPending,
    isOld: query.isPlaceholderData,
    error: query.error,
    retry: () => void query.refetch(),
  };
}

function useListed(search: MemorySearch): FactList {
  const whose = useWhose();
  const filter = filterOf(search);
  const sort = search.sort ?? defaultSort(search);
  const query = useInfiniteQuery({
    queryKey: [MEMORY, 'list', whose, filter, sort],
    queryFn: ({ pageParam, signal }) =>
      listFacts({ ...filter, sort, cursor: pageParam }, { ...whose, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
    enabled: search.q === undefined,
    placeholderData: keepPreviousData,
  });
  const pages = query.data?.pages;
  const rows = useMemo(
    () => (pages ?? []).flatMap((page) => page.facts.map((fact) => ({ ...fact, text: rowText(fact.value) }))),
    [pages],
  );
  return {
    rows,
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

/** The hits of a search with why each was found. On demand: explaining every hit would slow down every keystroke. */
export function useExplained(search: MemorySearch): SearchHit[] | undefined {
  const whose = useWhose();
  const { q = '' } = search;
  const filter = filterOf(search);
  const { data } = useQuery({
    queryKey: [MEMORY, 'why', whose, q, filter],
    queryFn: ({ signal }) =>
      searchFacts({ ...filter, q, limit: MAX_HITS, explain: '1' }, { ...whose, signal }),
    enabled: q !== '',
  });
  return data?.results;
}

export function useFact(key: string | undefined) {
  const whose = useWhose();
  return useQuery({
    queryKey: [MEMORY, 'fact', whose, key],
    queryFn: ({ signal }) => readFact(key!, { ...whose, signal }),
    enabled: key !== undefined,
  });
}

export function useHistory(key: string) {
  const whose = useWhose();
  return useQuery({
    queryKey: [MEMORY, 'history', whose, key],
    queryFn: ({ signal }) => readHistory(key, { ...whose, signal }),
  });
}

/** Counts of the facts that match a filter and, with `q`, a few words. */
export function useFacets(query: FacetQuery, enabled = true) {
  const whose = useWhose();
  return useQuery({
    queryKey: [MEMORY, 'facets', whose, query],
    queryFn: ({ signal }) => readFacets(query, { ...whose, signal }),
    placeholderData: keepPreviousData,
    staleTime: COUNTS_STALE_MS,
    enabled,
  });
}

const MAX_EXPIRING_FACTS = 200;

/** The facts that expire within a week, the first one to end first. */
export function useExpiringSoon(): Fact[] {
  const whose = useWhose();
  const query = useQuery({
    queryKey: [MEMORY, 'expiring', whose],
    queryFn: ({ signal }) =>
      listFacts(
        { expiring_within: WEEK_SECONDS, limit: MAX_EXPIRING_FACTS, sort: 'expires' },
        { ...whose, signal },
      ),
    staleTime: COUNTS_STALE_MS,
  });
  return query.data?.facts ?? [];
}

/** How many facts that match a filter expire within a week. */
export function useExpiringCount(query: FacetQuery = {}): number {
  return useFacets({ ...query, expiring_within: WEEK_SECONDS }).data?.total ?? 0;
}

/** Facts under other keys that are similar to what is being typed. */
export function useSimilar(text: string, ownKey: string) {
  const whose = useWhose();
  const q = text.trim().slice(0, 300);
  const query = useQuery({
    queryKey: [MEMORY, 'similar', whose, q],
    queryFn: ({ signal }) => searchFacts({ q, limit: 6 }, { ...whose, signal }),
    enabled: q.length >= 8,
    placeholderData: keepPreviousData,
  });
  if (q.length < 8) return [];
  return (query.data?.results ?? []).filter(({ key, score }) => key !== ownKey && score >= 0.5).slice(0, 3);
}
