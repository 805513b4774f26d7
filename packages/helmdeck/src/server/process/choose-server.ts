import { existsSync } from 'node:fs';
import { AppError } from '../../errors.ts';
import type { ServerAccess } from '../../surfaces/cli/deps.ts';
import { serverUrl } from '../../surfaces/cli/server-url.ts';
import { type Environment, type LoadedConfig, loadConfig } from '../config/config.ts';
import { isFile } from '../config/config-values.ts';
import { explicitToken, tokenForUrl } from './cli-token.ts';
import { findRunningServer, isResponding } from './connect.ts';
import { type RunningServer, runningServers } from './running-servers.ts';
import { readLogin } from './saved-login.ts';

/** What a command talks to: a given server with its token, or the memory of a data folder and the server that runs on it. */
export type ChosenServer =
  | { kind: 'given'; access: ServerAccess }
  | { kind: 'local'; loaded: LoadedConfig; url: string | undefined };

/**
 * In this order: HELMDECK_URL; the data folder that the environment names; the server of `helmdeck login`; the memory of
 * the current folder; the only server that runs on this machine.
 */
export async function chooseServer(loaded: LoadedConfig, env: Environment): Promise<ChosenServer> {
  if (loaded.config.url !== undefined) return givenUrl(loaded, env, serverUrl(loaded.config.url));
  const isNamed = Boolean(env.HELMDECK_DB || env.HELMDECK_DATA_DIR);
  const login = isNamed ? undefined : readLogin(env);
  if (login)
    return { kind: 'given', access: { url: login.url, token: explicitToken(loaded) ?? login.token } };
  const here: ChosenServer = { kind: 'local', loaded, url: await findRunningServer(loaded.config) };
  if (isNamed || here.url !== undefined || hasMemory(loaded)) return here;
  const servers = await respondingServers(env);
  if (servers.length > 1) throw severalServers(servers, loaded.config.dataDir);
  const [only] = servers;
  return only ? { kind: 'local', loaded: configOf(only, env), url: only.url } : here;
}

/** The token of HELMDECK_TOKEN, else the one in the data folder of the server that runs at this address. */
function givenUrl(loaded: LoadedConfig, env: Environment, url: string): ChosenServer {
  const server = runningServers(env).find((each) => each.url === url);
  const token = tokenForUrl(loaded, url) ?? (server && tokenForUrl(configOf(server, env), url));
  return { kind: 'given', access: { url, token } };
}

/** Whether the current folder has a memory: a database, or the secrets for one. */
function hasMemory({ config, effective }: LoadedConfig): boolean {
  const isSaved = effective.some(
    ({ name, from }) => name === 'HELMDECK_MEMORY_KEY' && from === 'secrets file',
  );
  return isSaved || (isFile(config.db) && existsSync(config.db));
}

async function respondingServers(env: Environment): Promise<RunningServer[]> {
  const servers = runningServers(env);
  const responding = await Promise.all(servers.map(({ url }) => isResponding(url)));
  return servers.filter((_, at) => responding[at]);
}

/** The configuration of a command that was started in the folder of this server. */
function configOf({ dataDir }: RunningServer, env: Environment): LoadedConfig {
  return loadConfig({ ...env, HELMDECK_DATA_DIR: dataDir });
}

function severalServers(servers: readonly RunningServer[], dataDir: string): AppError {
  const list = servers.map(({ url, dataDir: folder }) => `${url} (data in ${folder})`).join(', ');
  return new AppError(
    'invalid_input',
    `${servers.length} servers are running, and none of them on ${dataDir}: ${list}.`,
    {
      reason: 'several_servers',
      hint: 'Set HELMDECK_DATA_DIR to the data folder of one of them, or HELMDECK_URL to its address.',
    },
  );
}
