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

/** When a valid token of this client was last used. */
export function lastCallOf(client: string, tokens: readonly Token[], nowMs: number): string | undefined {
  return tokens
    .filter((token) => token.client === client && worksAt(token, nowMs))
    .map((token) => token.last_used_at)
    .filter((at) => at !== null)
    .sort()
    .at(-1);
}
