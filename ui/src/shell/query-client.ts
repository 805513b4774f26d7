import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  MutationCache,
  type Query,
  QueryCache,
  QueryClient,
} from '@tanstack/react-query';
import { ApiError } from '../api/call-api.ts';
import { connection, reportFailure } from './connection.ts';

export const SESSION = ['session'] as const;

/** Codes that mean the session is over. Of the same status are a wrong password and an unknown application. */
const SESSION_ENDED = ['missing_bearer', 'invalid_token', 'token_expired', 'token_revoked'];

/** Called with every failed request. */
export function onFailure(error: unknown): void {
  reportFailure(error);
  // The sign-in page appears at the same URL, and disappears after signing in.
  if (error instanceof ApiError && SESSION_ENDED.includes(error.code))
    queryClient.setQueryData(SESSION, null);
}

/**
 * Fetches a query again that was invalidated during its first fetch. The library only waits for that fetch, which the
 * server may have answered before the change: the page would show the old state until the next change.
 */
class FreshQueryClient extends QueryClient {
  readonly #waiting = new WeakSet<Query>();

  override invalidateQueries(filters?: InvalidateQueryFilters, options?: InvalidateOptions): Promise<void> {
    for (const query of this.getQueryCache().findAll(filters)) {
      const { data, fetchStatus } = query.state;
      if (data !== undefined || fetchStatus !== 'fetching' || this.#waiting.has(query)) continue;
      this.#waiting.add(query);
      const again = () => {
        this.#waiting.delete(query);
        return super.invalidateQueries({ queryKey: query.queryKey, exact: true });
      };
      void query.promise?.then(again, () => this.#waiting.delete(query));
    }
    return super.invalidateQueries(filters, options);
  }
}

/** The cache of server responses; it handles expired sessions and an unreachable server for all pages. */
export const queryClient: QueryClient = new FreshQueryClient({
  queryCache: new QueryCache({ onError: onFailure }),
  mutationCache: new MutationCache({ onError: onFailure }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      refetchOnWindowFocus: true,
      networkMode: 'always',
      // The connection banner retries for all queries.
      retry: false,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

connection.onReconnect(() => void queryClient.invalidateQueries());
