import { createAuth, DEFAULT_SCOPES, type MintRequest } from '../../surfaces/http/auth.ts';
import { type Config, isLoopback, type LoadedConfig } from '../config/config.ts';

const TOKEN_SECONDS = 300;
const AGENT_TOKEN_SECONDS = 43_200;

/** What a command on the server's own machine may do: everything, for as long as a command takes. */
export function adminGrant(config: Config): MintRequest {
  return {
    caller: { subject: config.adminUsername },
    scopes: ['admin'],
    ttlSeconds: TOKEN_SECONDS,
    client: 'cli',
  };
}

/** What an agent that was started on the server's own machine may do: what a token may that says nothing of scopes. */
export function agentGrant(config: Config): MintRequest {
  return {
    caller: { subject: config.adminUsername },
    scopes: DEFAULT_SCOPES,
    ttlSeconds: AGENT_TOKEN_SECONDS,
    client: 'mcp',
  };
}

/** A grant by the settings: for commands, or for an agent. */
export type GrantOf = (config: Config) => MintRequest;

/** Gives a token, and a new one when half of its time is over. */
export type TokenSource = () => Promise<string | undefined>;

export function renewing(grant: MintRequest, make: TokenSource): TokenSource {
  let token: string | undefined;
  let freshUntilMs = 0;
  return async () => {
    if (Date.now() >= freshUntilMs) {
      token = await make();
      freshUntilMs = Date.now() + grant.ttlSeconds * 500;
    }
    return token;
  };
}

/** A token that somebody set for this command, not the one the secrets file keeps. */
export function explicitToken({ config, effective }: LoadedConfig): string | undefined {
  const from = effective.find(({ name }) => name === 'HELMDECK_TOKEN')?.from;
  return from === 'environment' || from === 'file' ? config.token : undefined;
}

/** The secrets file's token belongs to this machine's server and is not sent to any other. */
export function tokenForUrl(loaded: LoadedConfig, url: string): string | undefined {
  const local = isLoopback(new URL(url).hostname.replaceAll(/[[\]]/g, ''));
  return explicitToken(loaded) ?? (local ? loaded.config.token : undefined);
}

/** Whoever can read the secret may do anything; who set a token wants to be that caller. */
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

export function withToken(init: RequestInit, token: string | undefined): Headers {
  const headers = new Headers(init.headers);
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  return headers;
}
