import { useQuery } from '@tanstack/react-query';
import type { Token } from '../api/generated/rest.ts';
import { listTokens } from '../api/token-api.ts';

export const TOKENS = ['tokens'] as const;

/** Polls the list while the page waits for a client's first call. */
export function useTokens(waiting = false) {
  return useQuery({ queryKey: TOKENS, queryFn: listTokens, refetchInterval: waiting ? 2_000 : false });
}

export const worksAt = (token: Token, nowMs: number): boolean =>
  token.revoked_at === null && Date.parse(token.expires_at) > nowMs;
