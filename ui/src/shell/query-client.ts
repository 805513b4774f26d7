import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/call-api.ts';
import { connection, noteFailure } from './connection.ts';

export const SESSION = ['session'] as const;

function onFailure(error: unknown): void {
  noteFailure(error);
  // The sign-in page comes up at the same address, and goes away again.
  if (error instanceof ApiError && error.status === 401) queryClient.setQueryData(SESSION, null);
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: onFailure }),
  mutationCache: new MutationCache({ onError: onFailure }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      refetchOnWindowFocus: true,
      networkMode: 'always',
      // The banner tries again for all of them, and says when.
      retry: false,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

connection.whenBack(() => void queryClient.invalidateQueries());
