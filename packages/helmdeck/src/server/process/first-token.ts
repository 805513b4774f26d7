import { isSameCaller } from '../../memory/namespace.ts';
import { DEFAULT_SCOPES, FIRST_TOKEN_CLIENT } from '../../surfaces/http/auth.ts';
import type { Server } from '../build.ts';
import type { Config } from '../config/config.ts';
import { writeSecrets } from '../config/secrets-file.ts';

const TTL_SECONDS = 90 * 86_400;
const RENEW_BEFORE_MS = 7 * 86_400_000;

/**
 * Returns the token that `serve --init` prints for a new user's clients: the saved one while it is valid, otherwise a new
 * one, which is saved in the secrets file. Undefined if auth is disabled or the server cannot mint tokens.
 */
export async function ensureFirstToken(
  server: Server,
  config: Config,
  saved: string | undefined,
): Promise<string | undefined> {
  if (config.authDisabled || !server.auth.canMint) return undefined;
  if (saved !== undefined && (await isUsable(server, config, saved))) return saved;
  const { token, record } = await server.auth.mint({
    caller: { subject: config.adminUsername },
    scopes: DEFAULT_SCOPES,
    ttlSeconds: TTL_SECONDS,
    client: FIRST_TOKEN_CLIENT,
  });
  await server.memory?.tokens.add(record);
  // Not saved under an ephemeral secret, with which it becomes invalid, or without memory, where it cannot be revoked.
  if (config.jwtSecret !== undefined && server.memory)
    writeSecrets(config.dataDir, { HELMDECK_TOKEN: token });
  return token;
}

async function isUsable(server: Server, config: Config, token: string): Promise<boolean> {
  try {
    const { caller, expiresMs, jti } = await server.auth.verify(token);
    const isAdmin = isSameCaller(caller, { subject: config.adminUsername });
    // A token of an earlier database is not in the registry of this one, and could not be listed or revoked.
    const isKnown =
      !server.memory || (jti !== undefined && (await server.memory.tokens.find(jti)) !== undefined);
    return isAdmin && isKnown && expiresMs - Date.now() > RENEW_BEFORE_MS;
  } catch {
    return false; // expired, revoked, or signed with another secret
  }
}
