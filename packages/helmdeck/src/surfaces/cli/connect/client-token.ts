import { AppError } from '../../../errors.ts';
import type { TokenView } from '../../../memory/token-registry.ts';
import { askJson, postJson } from '../ask-server.ts';
import type { Connection } from '../deps.ts';

/** Who the commands act as. */
export interface Person {
  subject: string;
  /** The server asks nobody for a token. */
  authOff: boolean;
}

export interface TokenWish {
  client: string;
  scopes: readonly string[];
  ttlSeconds?: number;
}

/** The part of a token that its holder may read. */
interface Claims {
  jti?: string;
  iat?: number;
  exp?: number;
}

export type NewToken = TokenView & { token: string };

/** A token is renewed when less than this part of its life is left. */
const RENEW_BELOW = 0.25;
const ASK_MS = 10_000;

export async function whoAmI(connection: Connection): Promise<Person> {
  const session = await askJson<{ subject: string; expires_at: string | null }>(
    connection,
    '/api/v1/auth/session',
  );
  return { subject: session.subject, authOff: session.expires_at === null };
}

/** Whether a token that a program already has is as good as a new one: works, is the same person's, may the same, lasts. */
export async function isGoodToken(
  serverUrl: string,
  token: string,
  person: Person,
  { client, scopes }: TokenWish,
  nowMs: number,
): Promise<boolean> {
  const { iat, exp } = claimsOf(token);
  if (iat === undefined || exp === undefined) return false;
  if (exp * 1000 - nowMs < (exp - iat) * 1000 * RENEW_BELOW) return false;
  const response = await fetch(`${serverUrl}/api/v1/auth/session`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(ASK_MS),
  });
  if (!response.ok) return false; // expired, revoked, of another server
  const session = (await response.json()) as { subject: string; client?: string; scopes: string[] };
  const sameScopes =
    session.scopes.length === scopes.length && scopes.every((each) => session.scopes.includes(each));
  return session.subject === person.subject && session.client === client && sameScopes;
}

export function mintToken(
  connection: Connection,
  { client, scopes, ttlSeconds }: TokenWish,
): Promise<NewToken> {
  return postJson<NewToken>(connection, '/api/v1/tokens', { client, scopes, ttl_seconds: ttlSeconds });
}

/** Makes a token useless that this server minted; one it does not know needs nothing. Returns whether it did. */
export async function revokeToken(connection: Connection, token: string): Promise<boolean> {
  const { jti } = claimsOf(token);
  if (jti === undefined) return false;
  const path = `/api/v1/tokens/${encodeURIComponent(jti)}`;
  try {
    return (await askJson<{ revoked: boolean }>(connection, path, { method: 'DELETE' })).revoked;
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'not_found') return false;
    throw thrown;
  }
}

/** What a token says of itself, unproven; nothing when it is none. */
function claimsOf(token: string): Claims {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return (claims ?? {}) as Claims;
  } catch {
    return {};
  }
}
