import { createOperationCaller } from '../../../client/call-operation.ts';
import type { MintedToken, Scope } from '../../../client/generated/rest.ts';
import { HelmdeckError } from '../../../client/helmdeck-error.ts';
import { collectPages } from '../collect-pages.ts';
import type { Connection } from '../deps.ts';
import { callServer } from '../server-request.ts';

/** The caller that the commands act as. */
export interface Identity {
  subject: string;
  /** The server requires no tokens. */
  authOff: boolean;
}

export interface TokenRequest {
  client: string;
  scopes: readonly string[];
  ttlSeconds?: number;
}

/** The claims of a token that are read here, unverified. */
interface Claims {
  jti?: string;
  iat?: number;
  exp?: number;
}

export type NewToken = MintedToken;

/** A token is replaced when less than this share of its lifetime is left. */
const RENEW_BELOW_SHARE = 0.25;
const REQUEST_TIMEOUT_MS = 10_000;

export async function currentIdentity(connection: Connection): Promise<Identity> {
  const session = await callServer(connection, 'GET /api/v1/auth/session', {});
  return { subject: session.subject, authOff: session.expires_at === null };
}

/** Whether the token that a client has is as good as a new one: valid, same subject, same scopes, not about to expire. */
export async function isReusableToken(
  serverUrl: string,
  token: string,
  identity: Identity,
  { client, scopes }: TokenRequest,
  nowMs: number,
): Promise<boolean> {
  const { iat, exp } = claimsOf(token);
  if (iat === undefined || exp === undefined) return false;
  if (exp * 1000 - nowMs < (exp - iat) * 1000 * RENEW_BELOW_SHARE) return false;
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const session = await createOperationCaller({ url: serverUrl, token })
    .call('GET /api/v1/auth/session', { signal })
    .catch((thrown: unknown) => {
      if (thrown instanceof HelmdeckError && !thrown.unreachable) return undefined;
      throw thrown;
    });
  if (!session) return false; // expired, revoked, or from another server
  const sameScopes =
    session.scopes.length === scopes.length && session.scopes.every((each) => scopes.includes(each));
  return session.subject === identity.subject && session.client === client && sameScopes;
}

export function mintToken(
  connection: Connection,
  { client, scopes, ttlSeconds }: TokenRequest,
): Promise<NewToken> {
  const body = { client, scopes: scopes as Scope[], ttl_seconds: ttlSeconds };
  return callServer(connection, 'POST /api/v1/tokens', { body });
}

export function redeemCode(connection: Connection, code: string): Promise<NewToken> {
  return callServer(connection, 'POST /api/v1/connect-codes/redeem', { body: { code } });
}

/** Revokes a token of this server; returns false for one that it did not mint, which may be another server's or person's. */
export async function revokeToken(connection: Connection, token: string): Promise<boolean> {
  const { jti } = claimsOf(token);
  if (jti === undefined) return false;
  const { items } = await collectPages(connection, 'GET /api/v1/tokens', {}, 'tokens');
  if (!items.some((minted) => minted.jti === jti)) return false;
  return (await callServer(connection, 'DELETE /api/v1/tokens/{jti}', { path: { jti } })).revoked;
}

/** The unverified claims of a token; empty if it is not a JWT. */
function claimsOf(token: string): Claims {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return (claims ?? {}) as Claims;
  } catch {
    return {};
  }
}
