import { setTimeout as delay } from 'node:timers/promises';
import { PERSONS_CLIENTS } from '../memory/gate/trust.ts';
import type { Caller } from '../memory/namespace.ts';
import type { TokenRegistry } from '../memory/token-registry.ts';

/** Revokes every token of a caller and what was minted with them, wherever they were minted; returns how many were known. */
export async function endAccess(
  tokens: TokenRegistry,
  { tenant, issuer, subject }: Caller & { subject: string },
  now: () => number,
): Promise<number> {
  const issuedUntilMs = now();
  const count = await tokens.refuse({ tenant, caller: { issuer, subject }, issuedUntilMs });
  // Tokens tell their time of issue in whole seconds. After this one, a new token cannot be taken for a revoked one.
  const waitMs = Math.floor(issuedUntilMs / 1000) * 1000 + 1000 - now();
  if (waitMs > 0) await delay(waitMs);
  return count;
}

/** Ends a person's browser sessions and logins, but for one; programs that they connected stay connected. */
export async function endSessions(
  tokens: TokenRegistry,
  { tenant, issuer, subject = '' }: Caller,
  exceptJti?: string,
): Promise<number> {
  const sessions = (await tokens.list({ tenant, issuer, subject })).filter(
    ({ client, jti, revoked_at }) =>
      client !== undefined && PERSONS_CLIENTS.includes(client) && revoked_at === null && jti !== exceptJti,
  );
  for (const { jti } of sessions) await tokens.revoke(jti);
  return sessions.length;
}
