import type { Check, ServerAccess } from '../../surfaces/cli/deps.ts';
import { type Config, type Environment, type LoadedConfig, loadConfig } from '../config/config.ts';
import { ConfigError } from '../config/config-values.ts';
import { keyringOf } from '../open-memory.ts';
import { chooseServer } from '../process/choose-server.ts';
import { connectLocal, findRunningServer } from '../process/connect.ts';
import { connectTo } from '../process/http-connection.ts';
import { runningServers } from '../process/running-servers.ts';
import { checkBackups } from './check-backups.ts';
import { checkDatabase, type ServerState } from './check-database.ts';
import { checkEmbeddings } from './check-embeddings.ts';
import { checkHooks } from './check-hooks.ts';
import { checkDataFolder, checkRuntime, checkSecretsFile } from './check-machine.ts';
import { checkPublic } from './check-public.ts';
import { checkSharedCache } from './check-redis.ts';
import { fail, ok, warn } from './check-result.ts';
import { checkRunningServer } from './check-running-server.ts';

/**
 * `helmdeck doctor`: runs all checks of what commands use, without changing anything. `publicly` checks instead what
 * applications meet that connect over the public URL.
 */
export async function examine(env: Environment, { publicly = false } = {}): Promise<Check[]> {
  let loaded: LoadedConfig;
  try {
    loaded = loadConfig(env);
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    // All further checks need a valid configuration.
    const fix = 'Correct the variable and run "helmdeck doctor" again.';
    return [...checkRuntime(), fail('Configuration', thrown.message, fix)];
  }
  if (publicly) return examinePublic(loaded, env);
  return [...checkRuntime(), ...(await examineChosen(loaded, env)), ...(await checkHooks(env, Date.now()))];
}

async function examinePublic(loaded: LoadedConfig, env: Environment): Promise<Check[]> {
  const chosen = await chooseServer(loaded, env);
  const url = chosen.kind === 'local' ? chosen.url : chosen.access.url;
  if (url === undefined) return checkPublic(loaded.config.publicUrl, undefined);
  const connection =
    chosen.kind === 'local' ? await connectLocal(chosen.loaded, url, () => {}) : connectTo(chosen.access);
  try {
    return await checkPublic(loaded.config.publicUrl, { url, connection });
  } finally {
    await connection.close();
  }
}

async function examineChosen(loaded: LoadedConfig, env: Environment): Promise<Check[]> {
  const chosen = await chooseServer(loaded, env);
  if (chosen.kind === 'local')
    return chosen.loaded === loaded
      ? examineHere(loaded, chosen.url, env)
      : examineElsewhere(chosen.loaded, chosen.url!, loaded.config.dataDir);
  const { url } = chosen.access;
  const isHere = (await findRunningServer(loaded.config)) === url;
  return isHere ? examineHere(loaded, url, env) : examineGiven(chosen.access);
}

/** A server that HELMDECK_URL or a login names: only what it says of itself. */
async function examineGiven(access: ServerAccess): Promise<Check[]> {
  const by = access.addressFrom === 'login' ? '"helmdeck login"' : access.addressFrom;
  return [
    ok('Examined', `The server at ${access.url}, because of ${by}.`),
    ...(await checkRunningServer(connectTo(access), access.url)),
  ];
}

/** The only server of this machine, started in another folder with settings that are not known here. */
async function examineElsewhere(server: LoadedConfig, url: string, dataDir: string): Promise<Check[]> {
  const folder = server.config.dataDir;
  return [
    ok(
      'Examined',
      `The server at ${url} with its data in ${folder}, because there is no memory in ${dataDir}. Its settings are checked where it was started.`,
    ),
    ...checkDataFolder(folder),
    ...checkSecretsFile(folder),
    ...(await checkRunningServer(await connectLocal(server, url, () => {}), url)),
  ];
}

async function examineHere(
  loaded: LoadedConfig,
  url: string | undefined,
  env: Environment,
): Promise<Check[]> {
  const { config, warnings } = loaded;
  const server =
    url === undefined
      ? [noServer(config.dataDir, env)]
      : await checkRunningServer(await connectLocal(loaded, url, () => {}), url, config);
  return [
    ok('Examined', `The data folder ${config.dataDir}${url === undefined ? '' : ' and its server'}.`),
    ...(warnings.length === 0
      ? [ok('Configuration', 'No problems found.')]
      : warnings.map((warning) =>
          warn('Configuration', warning, 'Remove the variable, or correct its name.'),
        )),
    ...checkDataFolder(config.dataDir),
    ...checkSecretsFile(config.dataDir),
    checkKey(config),
    checkAuth(config),
    checkSecretGuard(config),
    ...(await checkEmbeddings(config, { fetch: globalThis.fetch, now: Date.now })),
    ...(await checkSharedCache(config.cacheUrl)),
    ...server,
    ...(await checkDatabase(config, stateOf(url, server))),
    ...(await checkBackups(config, Date.now())),
  ];
}

function stateOf(url: string | undefined, checks: readonly Check[]): ServerState {
  if (url === undefined) return 'none';
  return checks.some(({ status }) => status === 'fail') ? 'memory off' : 'memory on';
}

/** A server on another data folder means that this may be the wrong one. */
function noServer(dataDir: string, env: Environment): Check {
  const elsewhere = runningServers(env)
    .map((server) => server.dataDir)
    .filter((folder) => folder !== dataDir);
  const message = `No server is running on ${dataDir}.`;
  if (elsewhere.length === 0) return ok('Server', message);
  const fix = 'To check that one, run this in the folder that it was started in.';
  return warn('Server', `${message} One is running on ${elsewhere.join(' and on ')}.`, fix);
}

function checkKey(config: Config): Check {
  const name = 'Memory key';
  if (!config.memoryOn)
    return warn(name, 'Memory is switched off (HELMDECK_MEMORY=off).', 'Set HELMDECK_MEMORY=on to use it.');
  try {
    const keyring = keyringOf(config);
    if (!keyring.ephemeral) return ok(name, `Set (id ${keyring.currentId.toString('hex')}).`);
    return warn(name, 'Not set: facts can be read only until the server stops.', 'Run "helmdeck init".');
  } catch (thrown) {
    const { message, hint } = thrown as Error & { hint?: string };
    return fail(name, message, hint ?? 'Set HELMDECK_MEMORY_KEY to 64 hexadecimal characters.');
  }
}

function checkAuth(config: Config): Check {
  const name = 'Auth';
  if (config.authDisabled)
    return warn(
      name,
      'Off: everyone who can reach the server can read everything.',
      'Remove HELMDECK_DISABLE_AUTH.',
    );
  if (config.jwtSecret === undefined && config.jwks === undefined)
    return warn(
      name,
      'No HELMDECK_JWT_SECRET: tokens are valid only until the server stops.',
      'Run "helmdeck init".',
    );
  return ok(name, 'On.');
}

function checkSecretGuard(config: Config): Check {
  if (config.secretGuard) return ok('Secret guard', 'On: facts that contain credentials are refused.');
  return warn(
    'Secret guard',
    'Off: credentials can be stored as facts.',
    'Remove HELMDECK_SECRET_GUARD=off.',
  );
}
