import { DEFAULT_SCOPES } from '../../surfaces/http/auth.ts';
import type { Server } from '../build.ts';
import type { Config } from '../config/config.ts';
import { writeSecret } from '../config/secrets-file.ts';

const TTL_SECONDS = 90 * 86_400;
const RENEW_MS = 7 * 86_400_000;

/** A token that works right away, for the one subject a person's clients share; nothing where none is needed or possible. */
export async function firstToken(
  server: Server,
  config: Config,
  saved: string | undefined,
): Promise<string | undefined> {
  if (config.authDisabled || !server.auth.canMint) return undefined;
  if (saved !== undefined && (await isStillGood(server, config, saved))) return saved;
  const { token, record } = await server.auth.mint({
    caller: { subject: config.adminUsername },
    scopes: DEFAULT_SCOPES,
    ttlSeconds: TTL_SECONDS,
    client: 'first-token',
  });
  await server.memory?.tokens.add(record);
  // Under a secret that dies with the process, the token does too; and one that nobody can list or revoke is not kept.
  if (config.jwtSecret !== undefined && server.memory) writeSecret(config.dataDir, 'HELMDECK_TOKEN', token);
  return token;
}

async function isStillGood(server: Server, config: Config, token: string): Promise<boolean> {
  try {
    const { caller, expiresMs, jti } = await server.auth.verify(token);
    const mine = caller.subject === config.adminUsername && caller.tenant === undefined;
    // Unknown to the registry: the database is a new one, and there the token could not be listed or revoked.
    const known =
      !server.memory || (jti !== undefined && (await server.memory.tokens.find(jti)) !== undefined);
    return mine && known && expiresMs - Date.now() > RENEW_MS;
  } catch {
    return false; // expired, revoked, or of another secret
  }
}
