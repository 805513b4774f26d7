import { useQuery } from '@tanstack/react-query';
import { listTokens } from '../api/token-api.ts';

export const TOKENS = ['tokens'] as const;

/** While somebody waits for a client's first call, the list is asked again and again. */
export function useTokens(waiting = false) {
  return useQuery({ queryKey: TOKENS, queryFn: listTokens, refetchInterval: waiting ? 2_000 : false });
}
