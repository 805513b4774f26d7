import { callApi } from './call-api.ts';

export interface Token {
  jti: string;
  subject: string;
  name?: string;
  client?: string;
  scopes: string[];
  created_at: string;
  expires_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
}

/** A token with itself, which the server says only once. */
export type MintedToken = Token & { token: string };

const LISTED = 200;
export const listTokens = () =>
  callApi<{ tokens: Token[]; next_cursor?: string }>('/tokens', { query: { limit: LISTED } });

export const mintToken = (wanted: { name: string; client: string; scopes: string[]; ttl_seconds: number }) =>
  callApi<MintedToken>('/tokens', { method: 'POST', body: wanted });

export const revokeToken = (jti: string) =>
  callApi<{ revoked: boolean }>(`/tokens/${encodeURIComponent(jti)}`, { method: 'DELETE' });
