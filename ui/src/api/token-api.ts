import { callApi } from './call-api.ts';
import type { Scope } from './generated/rest.ts';

// Access tokens: list, mint, revoke.

const MAX_LISTED = 200;
export const listTokens = () => callApi('GET /api/v1/tokens', { query: { limit: MAX_LISTED } });

export const mintToken = (body: { name: string; client: string; scopes: Scope[]; ttl_seconds: number }) =>
  callApi('POST /api/v1/tokens', { body });

export const revokeToken = (jti: string) => callApi('DELETE /api/v1/tokens/{jti}', { path: { jti } });
