import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/call-api.ts';
import { connection, reportFailure } from './connection.ts';

export const SESSION = ['session'] as const;

/** Called with every failed request. */
export function onFailure(error: unknown): void {
  reportFailure(error);
  // The sign-in page appears at the same URL, and disappears after signing in. A wrong password ends no session.
  if (error instanceof ApiError && error.status === 401 && error.code !== 'invalid_credentials')
    queryClient.setQueryData(SESSION, null);
}

/** The cache of server responses; it handles expired sessions and an unreachable server for all pages. */
export const queryClient: QueryClient = new QueryClient({
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
