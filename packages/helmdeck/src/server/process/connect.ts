import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import type { AddressSource, Connection, ServerAccess } from '../../surfaces/cli/deps.ts';
import { unreachableHint } from '../../surfaces/cli/terminal/shell-hint.ts';
import { type Config, type LoadedConfig, SERVER_FILE } from '../config/config.ts';
import {
  adminGrant,
  explicitToken,
  type GrantOf,
  localToken,
  renewingToken,
  type TokenSource,
  withToken,
} from './cli-token.ts';
import { isAlive } from './running-servers.ts';

/** A server that does not respond in time counts as stopped, and the command then runs into its lock: a busy one needs time. */
const HEALTH_TIMEOUT_MS = 10_000;

/** Connects to the server at `url` that runs on this data folder, else to an embedded one. */
export async function connectLocal(
  loaded: LoadedConfig,
  url: string | undefined,
  warn: (text: string) => void,
  grantOf: GrantOf = adminGrant,
): Promise<Connection> {
  const { config } = loaded;
  const grant = grantOf(config);
  if (url !== undefined)
    return overHttp(
      url,
      renewingToken(grant, () => localToken(loaded, grant)),
    );
  const { openEmbedded } = await import('./embedded.ts'); // loads the whole server, so only on demand
  return openEmbedded(config, explicitToken(loaded), warn, grant);
}

/** Connects to a given server with a given token. */
export function connectTo({ url, token, addressFrom }: ServerAccess): Connection {
  return overHttp(url, async () => token, addressFrom);
}

/** The address in server.json of the data folder, if that server responds. */
export async function findRunningServer(config: Config): Promise<string | undefined> {
  try {
    const file = JSON.parse(readFileSync(join(config.dataDir, SERVER_FILE), 'utf8'));
    const { url, pid } = file as { url: string; pid: number };
    return isAlive(pid) && (await isResponding(url)) ? url : undefined;
  } catch {
    return undefined; // no file
  }
}

/** Whether a server responds at this address. */
export async function isResponding(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    return response.ok;
  } catch {
    return false;
  }
}

function overHttp(url: string, token: TokenSource, addressFrom?: AddressSource): Connection {
  return {
    addressFrom,
    async fetch(path, init = {}) {
      try {
        const headers = withToken(init, await token());
        return await fetch(url + path, { ...init, headers, redirect: 'manual' });
      } catch (thrown) {
        if (init.signal?.aborted) throw thrown;
        throw new AppError('memory_unavailable', `No Helmdeck server answers at ${url}.`, {
          reason: 'unreachable',
          hint: unreachableHint(addressFrom),
          cause: thrown,
        });
      }
    },
    close: async () => {},
  };
}
