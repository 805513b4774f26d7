import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import type { ServerAccess } from '../../surfaces/cli/deps.ts';
import { serverUrl } from '../../surfaces/cli/server-url.ts';
import {
  type Environment,
  isLoopback,
  type LoadedConfig,
  loadConfig,
  SECRETS_FILE,
  SERVER_FILE,
} from '../config/config.ts';
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
  const chosen = await choose(loaded, env);
  assertMayHaveToken(chosen, loaded);
  return chosen;
}

async function choose(loaded: LoadedConfig, env: Environment): Promise<ChosenServer> {
  if (loaded.config.url !== undefined) return givenUrl(loaded, env, serverUrl(loaded.config.url));
  const isNamed = Boolean(env.HELMDECK_DB || env.HELMDECK_DATA_DIR);
  const login = isNamed ? undefined : readLogin(env);
  if (login) return { kind: 'given', access: { ...login, token: explicitToken(loaded) ?? login.token } };
  const here: ChosenServer = { kind: 'local', loaded, url: await findRunningServer(loaded.config) };
  if (isNamed || here.url !== undefined || hasMemory(loaded)) return here;
  const servers = await respondingServers(env);
  if (servers.length > 1) throw severalServers(servers, loaded.config.dataDir);
  const [only] = servers;
  return only ? { kind: 'local', loaded: configOf(only, env), url: only.url } : here;
}

/**
 * An address in the files of a folder must not decide who gets HELMDECK_TOKEN: the folder may be someone else's, or a clone.
 * Such an address gets it only on this machine, and from files of this user.
 */
function assertMayHaveToken(chosen: ChosenServer, { config, effective }: LoadedConfig): void {
  const from = (variable: string) => effective.find(({ name }) => name === variable)?.from;
  if (from('HELMDECK_TOKEN') !== 'environment' && from('HELMDECK_TOKEN') !== 'file') return;
  const isOfSecretsFile = chosen.kind === 'given' && from('HELMDECK_URL') === 'secrets file';
  const url = chosen.kind === 'given' ? chosen.access.url : chosen.url;
  if (url === undefined || (chosen.kind === 'given' && !isOfSecretsFile)) return;
  const file = join(config.dataDir, isOfSecretsFile ? SECRETS_FILE : SERVER_FILE);
  const isLocal = isLoopback(new URL(url).hostname.replaceAll(/[[\]]/g, ''));
  if (isLocal && isOwn(file)) return;
  throw new AppError(
    'invalid_input',
    `The address ${url} comes from ${file}, so HELMDECK_TOKEN is not sent to it.`,
    {
      reason: 'untrusted_address',
      hint: 'If you trust this server, set HELMDECK_URL to its address; else run the command in another folder.',
    },
  );
}

/** Whether a file belongs to this user; a missing one, as of a server in another folder, does. */
function isOwn(file: string): boolean {
  const owner = statSync(file, { throwIfNoEntry: false })?.uid;
  return owner === undefined || process.getuid === undefined || owner === process.getuid();
}

/** The token of HELMDECK_TOKEN, else the one in the data folder of the server that runs at this address. */
function givenUrl(loaded: LoadedConfig, env: Environment, url: string): ChosenServer {
  const server = runningServers(env).find((each) => each.url === url);
  const token = tokenForUrl(loaded, url) ?? (server && tokenForUrl(configOf(server, env), url));
  return { kind: 'given', access: { url, token, addressFrom: 'HELMDECK_URL' } };
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
