import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import type { CliDeps, Terminal } from '../../surfaces/cli/deps.ts';
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
import { ensureFirstToken } from './first-token.ts';
import { init } from './init.ts';
import { createLogger, type Logger } from './logger.ts';
import { registerServer } from './running-servers.ts';
import { onStopSignals } from './stop-signals.ts';
import { handleUnhandledErrors } from './unhandled-errors.ts';

// The command `helmdeck serve`: starts the server and keeps it running until a signal arrives.

/** How long to wait for a database server that is started at the same time, for example by Compose. */
const DATABASE_WAIT_MS = 30_000;

/** The first searches load images from the same file. */
const FILE_CHECK_DELAY_MS = 10_000;

/** EX_IOERR of sysexits.h, and no exit code of a command. */
const STORE_STOPPED_EXIT_CODE = 74;
const EXIT_GRACE_MS = 5_000;

const NO_JWT_SECRET_WARNING =
  'warning: HELMDECK_JWT_SECRET is not set, so tokens are valid only until this process ends. Run "helmdeck init".\n';

const LISTEN_ERRORS: Record<string, string> = {
  EADDRINUSE: 'is already in use; stop the other program or choose another with --port or HELMDECK_ADDR',
  EACCES: 'requires more privileges; choose a port above 1023 with --port or HELMDECK_ADDR',
  EADDRNOTAVAIL: 'is not an address of this machine; correct --host or HELMDECK_ADDR',
  ENOTFOUND: 'cannot be resolved; correct --host or HELMDECK_ADDR',
};

type ServeOptions = Parameters<CliDeps['serve']>[0];

/** Returns after a signal has closed the server. */
export async function serve(
  environment: Environment,
  options: ServeOptions,
  terminal: Terminal,
): Promise<void> {
  const env = { ...environment, HELMDECK_ADDR: addressOf(environment, options) };
  await assertCanListen(loadConfig(env).config); // before anything is created
  const created = options.init ? await createMissingSecrets(env, terminal) : [];
  const loaded = loadConfig(env);
  const { config, warnings } = loaded;
  for (const warning of warnings) terminal.err.write(`warning: ${warning}\n`);
  const log = createLogger(config.logLevel);
  handleUnhandledErrors(log);
  const failure = Promise.withResolvers<AppError>();
  try {
    const server = await buildServer(config, {
      log,
      onStoreStopped: failure.resolve,
      watchPacks: options.watchPacks,
      newMemory: options.newMemory,
      databaseWaitMs: DATABASE_WAIT_MS,
      backups: true,
      checkFileAfterMs: FILE_CHECK_DELAY_MS,
    });
    if (server.undecidedCallers > 0) await refuseUndecided(server);
    const token = await tokenToPrint(server, env, loaded, options.init);
    const listening = await openSocket(server, config);
    const unregister = registerServer(env, {
      url: listening.url,
      dataDir: resolve(config.dataDir),
      pid: process.pid,
      startedAt: new Date().toISOString(),
    });
    const closed = closeOnSignal(listening, log);
    const { memoryProblem } = server;
    printStart(terminal, options, { url: listening.url, loaded, token, created, memoryProblem });
    const failed = await Promise.race([closed, failure.promise]).finally(unregister);
    if (failed) await exitAfterFailure(failed, listening, log);
  } finally {
    await log.flush();
  }
}

/** Asks the operator whose the existing memories are: served under the wrong caller, a memory would seem empty or be read by another. */
async function refuseUndecided(server: Server): Promise<never> {
  const count = server.undecidedCallers;
  await server.close();
  throw new AppError(
    'invalid_input',
    `It is not decided whether existing callers (${count}) are subjects of HELMDECK_JWT_ISSUER, which has memories of its own.`,
    {
      reason: 'configuration',
      hint: 'Set HELMDECK_JWT_ADOPT to all, none or their subjects; "helmdeck callers" lists them.',
    },
  );
}

/** HELMDECK_ADDR, with the host and port of the command line in place of its own. */
function addressOf(env: Environment, { host, port }: ServeOptions): string | undefined {
  if (host === undefined && port === undefined) return env.HELMDECK_ADDR;
  const configured = loadConfig(env).config;
  const name = host ?? configured.host;
  return `${name.includes(':') ? `[${name}]` : name}:${port ?? configured.port}`;
}

/** Returns the names of the secrets it created. A lost key does not prevent the start: the server then reports why memory is off. */
async function createMissingSecrets(env: Environment, terminal: Terminal): Promise<string[]> {
  try {
    return (await init(env, { force: false })).created;
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    terminal.err.write(`warning: no secrets were created: ${thrown.message} ${thrown.hint}\n`);
    return [];
  }
}

/** A token with `--init`, and whenever the JWT secret is ephemeral, because then there is no other way to get a token. */
async function tokenToPrint(server: Server, env: Environment, loaded: LoadedConfig, wanted: boolean) {
  const { config } = loaded;
  const isSecretEphemeral = config.jwtSecret === undefined && config.jwks === undefined;
  if (!wanted && !isSecretEphemeral) return undefined;
  // Only the token of the secrets file is renewed; one in the environment belongs to the user's commands.
  const saved = loadConfig({ ...env, HELMDECK_TOKEN: undefined, HELMDECK_TOKEN_FILE: undefined });
  return ensureFirstToken(server, config, saved.config.token);
}

/** Opens the port for a moment: a taken one is reported before there are secrets or a database. */
async function assertCanListen(config: Config): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolveListening, reject) => {
      probe.once('error', reject);
      probe.listen(config.port, config.host, resolveListening);
    });
  } catch (thrown) {
    throw toListenError(thrown, config);
  }
  await new Promise((resolveClosed) => probe.close(resolveClosed));
}

async function openSocket(server: Server, config: Config): Promise<Listening> {
  try {
    return await listen(server, config);
  } catch (thrown) {
    await server.close();
    throw toListenError(thrown, config);
  }
}

function toListenError(thrown: unknown, config: Config): unknown {
  const problem = LISTEN_ERRORS[(thrown as NodeJS.ErrnoException).code ?? ''];
  if (!problem) return thrown;
  return new AppError('internal', `${config.host}:${config.port} ${problem}.`, {
    reason: 'cannot_listen',
    hint: 'The server was not started.',
    cause: thrown,
  });
}

/** Resolves once a signal has closed the server; a second signal exits at once. */
function closeOnSignal(listening: Listening, log: Logger): Promise<void> {
  return new Promise((resolveClosed, reject) => {
    const close = () => {
      log.info({}, 'closing');
      listening.close().then(resolveClosed, reject);
    };
    onStopSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], close, () => process.exit(1));
  });
}

/** Answers the requests under way and exits, so that a supervisor starts a process that recovers the database. */
async function exitAfterFailure(error: AppError, listening: Listening, log: Logger): Promise<never> {
  log.error(
    { reason: error.reason, exit_code: STORE_STOPPED_EXIT_CODE },
    `${error.message} The server exits.`,
  );
  await Promise.race([listening.close(), delay(EXIT_GRACE_MS)]).catch(() => {});
  await log.flush();
  process.exit(STORE_STOPPED_EXIT_CODE);
}

interface StartedServer {
  url: string;
  loaded: LoadedConfig;
  token: string | undefined;
  created: string[];
  memoryProblem: AppError | undefined;
}

function printStart(terminal: Terminal, options: ServeOptions, started: StartedServer): void {
  const { url, loaded, token, created } = started;
  if (options.json) {
    terminal.out.write(`${JSON.stringify({ url, token, created })}\n`);
    return;
  }
  // One write: a program that waits for the first line has received the others too.
  const firstLine = `Helmdeck is listening on ${url}\n`;
  if (options.init) {
    const secretsFile = resolve(loaded.config.dataDir, SECRETS_FILE);
    const showSecrets = terminal.out.isTTY === true;
    terminal.out.write(`${firstLine}\n${banner({ ...started, secretsFile, showSecrets })}\n`);
    return;
  }
  if (token !== undefined) terminal.err.write(NO_JWT_SECRET_WARNING);
  terminal.out.write(token === undefined ? firstLine : `${firstLine}Token: ${token}\n`);
}
