import { callApi } from './call-api.ts';
import type { Scope } from './generated/rest.ts';

// Access tokens: list, mint, revoke.

const MAX_LISTED = 200;
export const listTokens = () => callApi('GET /api/v1/tokens', { query: { limit: MAX_LISTED } });

interface NewToken {
  name: string;
  client: string;
  scopes: Scope[];
  ttl_seconds: number;
  /** For whom, if not for oneself; admins only. */
  subject?: string;
}

export const mintToken = (body: NewToken) => callApi('POST /api/v1/tokens', { body });

/** A code that the command line redeems for the token, once. */
export const makeConnectCode = (body: NewToken) => callApi('POST /api/v1/connect-codes', { body });

export const revokeToken = (jti: string) => callApi('DELETE /api/v1/tokens/{jti}', { path: { jti } });
