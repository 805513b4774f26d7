import { resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import type { Terminal } from '../../surfaces/cli/deps.ts';
import { buildServer, type Server } from '../build.ts';
import {
  type Config,
  type Environment,
  type LoadedConfig,
  loadConfig,
  SECRETS_FILE,
} from '../config/config.ts';
import { type Listening, listen } from '../http/listen.ts';
import { banner } from './banner.ts';
import { firstToken } from './first-token.ts';
import { init } from './init.ts';
import { createLogger, type Logger } from './logger.ts';
import { survivePacks } from './unhandled-errors.ts';

/** A database server that was started together with this one may take so long. */
const DATABASE_WAIT_MS = 30_000;

/** Runs the server until a signal ends it. */
export async function serve(
  env: Environment,
  options: { init: boolean; json: boolean; watchPacks: boolean },
  terminal: Terminal,
): Promise<void> {
  const created = options.init ? await makeSecrets(env, terminal) : [];
  const loaded = loadConfig(env);
  const { config, warnings } = loaded;
  for (const warning of warnings) terminal.err.write(`warning: ${warning}\n`);
  const log = createLogger(config.logLevel);
  survivePacks(log);
  try {
    const server = await buildServer(config, {
      log,
      watchPacks: options.watchPacks,
      databaseWaitMs: DATABASE_WAIT_MS,
      backups: true,
    });
    const token = await tokenToShow(server, env, loaded, options.init);
    const listening = await listenOrExplain(server, config);
    const ended = closeOnSignal(listening, log);
    const { url } = listening;
    if (options.json) terminal.out.write(`${JSON.stringify({ url, token, created })}\n`);
    else announce(terminal, options.init, { url, loaded, token, created });
    await ended;
  } finally {
    log.flush();
  }
}

interface Started {
  url: string;
  loaded: LoadedConfig;
  token: string | undefined;
  created: string[];
}

function announce(terminal: Terminal, withBanner: boolean, started: Started): void {
  const secretsFile = resolve(started.loaded.config.dataDir, SECRETS_FILE);
  const token = started.token === undefined ? '' : `Token: ${started.token}\n`;
  const rest = withBanner ? `\n${banner({ ...started, secretsFile })}\n` : token;
  if (!withBanner && token !== '') terminal.err.write(SECRET_WARNING);
  // In one piece: whoever waits for the first line has the others too.
  terminal.out.write(`Helmdeck is listening on ${started.url}\n${rest}`);
}

/** A lost key must not keep the server from starting: it says that memory is off, and why. */
async function makeSecrets(env: Environment, terminal: Terminal): Promise<string[]> {
  try {
    return (await init(env, { force: false })).created;
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    terminal.err.write(`warning: no secrets were made: ${thrown.message} ${thrown.hint}\n`);
    return [];
  }
}

/** With `--init` always; else only when the secret was made up, because nobody could make a token then. */
async function tokenToShow(server: Server, env: Environment, loaded: LoadedConfig, wanted: boolean) {
  const { config } = loaded;
  const madeUp = config.jwtSecret === undefined && config.jwksUrl === undefined;
  if (!wanted && !madeUp) return undefined;
  // A token in the environment is for somebody's commands; the one of the secrets file is ours to renew.
  const ours = loadConfig({ ...env, HELMDECK_TOKEN: undefined, HELMDECK_TOKEN_FILE: undefined });
  return firstToken(server, config, ours.config.token);
}

const SECRET_WARNING =
  'warning: HELMDECK_JWT_SECRET is not set, so tokens work only until this process ends. Run "helmdeck init".\n';

const LISTEN_PROBLEMS: Record<string, string> = {
  EADDRINUSE: 'is already in use; stop the other program or set HELMDECK_ADDR to another port',
  EACCES: 'may not be used by you; set HELMDECK_ADDR to a port above 1023',
  EADDRNOTAVAIL: 'is not an address of this machine; correct HELMDECK_ADDR',
  ENOTFOUND: 'is not a known name; correct HELMDECK_ADDR',
};

async function listenOrExplain(server: Server, config: Config): Promise<Listening> {
  try {
    return await listen(server, config);
  } catch (thrown) {
    await server.close();
    const problem = LISTEN_PROBLEMS[(thrown as NodeJS.ErrnoException).code ?? ''];
    if (!problem) throw thrown;
    throw new AppError('internal', `${config.host}:${config.port} ${problem}.`, {
      reason: 'cannot_listen',
      hint: 'Nothing was started.',
      cause: thrown,
    });
  }
}

/** Resolves once a signal has closed everything; a second signal does not wait. */
function closeOnSignal(listening: Listening, log: Logger): Promise<void> {
  return new Promise((resolveEnded, reject) => {
    let closing = false;
    const onSignal = () => {
      if (closing) process.exit(1);
      closing = true;
      log.info({}, 'closing');
      listening.close().then(resolveEnded, reject);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal);
  });
}
