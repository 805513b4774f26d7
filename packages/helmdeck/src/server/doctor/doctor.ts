import type { Check } from '../../surfaces/cli/deps.ts';
import { type Config, type Environment, type LoadedConfig, loadConfig } from '../config/config.ts';
import { ConfigError } from '../config/config-values.ts';
import { keyringOf } from '../open-memory.ts';
import { findRunningServer } from '../process/connect.ts';
import { runningServers } from '../process/running-servers.ts';
import { checkBackups } from './check-backups.ts';
import { checkDatabase } from './check-database.ts';
import { checkEmbeddings } from './check-embeddings.ts';
import { checkDataFolder, checkRuntime, checkSecretsFile } from './check-machine.ts';
import { checkSharedCache } from './check-redis.ts';
import { fail, ok, warn } from './check-result.ts';
import { checkRunningServer } from './check-running-server.ts';

/** `helmdeck doctor`: runs all checks, without changing anything. */
export async function examine(env: Environment): Promise<Check[]> {
  const checks = checkRuntime();
  let loaded: LoadedConfig;
  try {
    loaded = loadConfig(env);
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    // All further checks need a valid configuration.
    return [
      ...checks,
      fail('Configuration', thrown.message, 'Correct the variable and run "helmdeck doctor" again.'),
    ];
  }
  const { config, warnings } = loaded;
  checks.push(
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
  );
  checks.push(...(await checkEmbeddings(config, { fetch: globalThis.fetch, now: Date.now })));
  checks.push(...(await checkSharedCache(config.cacheUrl)));
  const running = await findRunningServer(config);
  if (running === undefined) checks.push(noServer(config.dataDir, env));
  else checks.push(...(await checkRunningServer(loaded, running)));
  checks.push(...(await checkDatabase(config, running !== undefined)));
  checks.push(...(await checkBackups(config, Date.now())));
  return checks;
}

/** Doctor checks one data folder: a server elsewhere means that it may be the wrong one. */
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
