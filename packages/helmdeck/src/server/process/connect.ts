import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import type { Connection } from '../../surfaces/cli/deps.ts';
import { type Config, type LoadedConfig, SERVER_FILE } from '../config/config.ts';
import { adminGrant, explicitToken, type GrantOf, localToken, renewingToken } from './cli-token.ts';
import { overHttp } from './http-connection.ts';
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
  assertNodeHasSqlite();
  const { openEmbedded } = await import('./embedded.ts'); // loads the whole server, so only on demand
  return openEmbedded(config, explicitToken(loaded), warn, grant);
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

/** `helmdeck mcp` also runs on the older Node that a desktop program brings, as long as a server has the database. */
function assertNodeHasSqlite(): void {
  if (process.getBuiltinModule?.('node:sqlite') !== undefined) return;
  throw new AppError(
    'memory_unavailable',
    `No server is running, and Node ${process.versions.node} cannot open the database.`,
    {
      reason: 'old_node',
      hint: 'Start the server with "helmdeck serve", set HELMDECK_URL to the address of one, or use Node 24.21 or later.',
    },
  );
}
