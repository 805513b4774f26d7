import { createAuth, DEFAULT_SCOPES, type MintRequest } from '../../surfaces/http/auth.ts';
import { type Config, isLoopback, type LoadedConfig } from '../config/config.ts';
import type { TokenSource } from './http-connection.ts';

// The tokens of commands: how they are minted and renewed, and which one is sent to which server.

const ADMIN_TOKEN_SECONDS = 300;
const AGENT_TOKEN_SECONDS = 43_200;

/** The token of a command on the machine of the server: all rights, for a few minutes. */
export function adminGrant(config: Config): MintRequest {
  return {
    caller: { subject: config.adminUsername },
    scopes: ['admin'],
    ttlSeconds: ADMIN_TOKEN_SECONDS,
    client: 'cli',
  };
}

/** The token of an agent on the machine of the server: default scopes, for hours. */
export function agentGrant(config: Config): MintRequest {
  return {
    caller: { subject: config.adminUsername },
    scopes: DEFAULT_SCOPES,
    ttlSeconds: AGENT_TOKEN_SECONDS,
    client: 'mcp',
  };
}

/** Creates the grant for commands or for an agent. */
export type GrantOf = (config: Config) => MintRequest;

/** Caches a token, and mints a new one when half of its lifetime is over. */
export function renewingToken(grant: MintRequest, mint: TokenSource): TokenSource {
  let token: string | undefined;
  let renewAtMs = 0;
  return async () => {
    if (Date.now() >= renewAtMs) {
      token = await mint();
      renewAtMs = Date.now() + grant.ttlSeconds * 500;
    }
    return token;
  };
}

/** The token that the user set for this command, as opposed to the one in the secrets file. */
export function explicitToken({ config, effective }: LoadedConfig): string | undefined {
  const from = effective.find(({ name }) => name === 'HELMDECK_TOKEN')?.from;
  return from === 'environment' || from === 'file' ? config.token : undefined;
}

/** The token for a server at a URL. The one in the secrets file is sent to servers on this machine only. */
export function tokenForUrl(loaded: LoadedConfig, url: string): string | undefined {
  const local = isLoopback(new URL(url).hostname.replaceAll(/[[\]]/g, ''));
  return explicitToken(loaded) ?? (local ? loaded.config.token : undefined);
}

/** The token for the local server: the one the user set, else one minted with the JWT secret, which grants all rights anyway. */
export async function localToken(
  loaded: LoadedConfig,
  grant = adminGrant(loaded.config),
): Promise<string | undefined> {
  const { config } = loaded;
  const explicit = explicitToken(loaded);
  if (explicit !== undefined || config.authDisabled) return explicit;
  if (config.jwtSecret === undefined) return config.token;
  const auth = createAuth({ hs256Secret: config.jwtSecret, now: Date.now, isRevoked: () => false });
  return (await auth.mint(grant)).token;
}
