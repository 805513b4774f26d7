import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Hono } from 'hono';
import type { Engine } from '../engine/engine.ts';
import type { Jobs } from '../engine/jobs.ts';
import type { PipelineRuns } from '../engine/pipeline/pipeline-runs.ts';
import { AppError, toAppError } from '../errors.ts';
import { attemptsInStore } from '../identity/attempt-records.ts';
import { createOidcClient } from '../identity/oidc-client.ts';
import { deriveKey } from '../memory/crypto/keyring.ts';
import { rowId } from '../memory/crypto/sealed.ts';
import { openIssuerCallers } from '../memory/issuer-callers.ts';
import { callerNamed } from '../memory/namespace.ts';
import { counted } from '../surfaces/cli/terminal/duration.ts';
import { graphEndpoint } from '../surfaces/graph/graph-server.ts';
import { createHttpApp } from '../surfaces/http/app.ts';
import { createAttemptGuard } from '../surfaces/http/attempt-guard.ts';
import { type Auth, createAuth } from '../surfaces/http/auth.ts';
import { createKnownBrowsers } from '../surfaces/http/known-browsers.ts';
import { createLoginGuard } from '../surfaces/http/login-guard.ts';
import { mcpEndpoints } from '../surfaces/mcp/endpoints.ts';
import { mcpRoutes } from '../surfaces/mcp/routes.ts';
import { mem0Routes } from '../surfaces/mem0/mem0-routes.ts';
import { qmdEndpoint } from '../surfaces/qmd/qmd-server.ts';
import type { OpenMemory, Readiness, RestLog, RestServices } from '../surfaces/rest/route.ts';
import { restRoutes } from '../surfaces/rest/routes.ts';
import { createServeUi } from '../surfaces/ui/serve-ui.ts';
import { readUiFiles } from '../surfaces/ui/ui-files.ts';
import { type BackupSchedule, startBackupSchedule } from './backup/backup-schedule.ts';
import { buildEngine, type EngineExtras } from './build-engine.ts';
import { buildOAuth } from './build-oauth.ts';
import { type Config, isLoopback } from './config/config.ts';
import { isFile } from './config/config-values.ts';
import { erasableResources } from './erasable-resources.ts';
import { startIntegrityCheck } from './integrity/start-integrity-check.ts';
import { createClockGuard, lastSeenOf } from './janitor/clock-guard.ts';
import { type Janitor, startJanitor } from './janitor/janitor.ts';
import { createMetrics } from './metrics/metrics.ts';
import { closeMemory, openMemory } from './open-memory.ts';
import { createLogger, type ProgramLog, toRestLog } from './process/logger.ts';
import { VERSION } from './process/version.ts';
import { rotateKeys } from './rotate-keys.ts';

// The composition root: builds the whole server, all but its socket, from a configuration.

/** The relative path is the same from `src` and `dist`. */
const UI_FOLDER = resolve(import.meta.dirname, '../../ui-dist');

export interface BuildOptions extends EngineExtras {
  now?: () => number;
  /** A clock that never leaps; `performance.now` by default. */
  monotonicMs?: () => number;
  /** JSON lines on stderr by default; `console` works too. */
  log?: ProgramLog;
  /** How long to wait for a database server that does not respond yet. */
  databaseWaitMs?: number;
  /** The `surface` in the source of stored facts: `rest` by default, `cli` for the embedded CLI. */
  surface?: string;
  /** Begin a new memory even if an earlier database was used here and is gone. */
  newMemory?: boolean;
  /** A sync of the disk failed, and memory stays off until the process starts again. */
  onStoreStopped?: (error: AppError) => void;
  /** Whether to make scheduled backups; a command that opens the database only briefly does not. */
  backups?: boolean;
  /** Checks the database file once, this long after the start. */
  checkFileAfterMs?: number;
}

/** Everything but the socket. */
export interface Server {
  app: Hono;
  auth: Auth;
  memory: OpenMemory | undefined;
  memoryProblem: AppError | undefined;
  /** Existing callers that may be an identity provider's, while the operator has not decided. */
  undecidedCallers: number;
  janitor: Janitor | undefined;
  backups: BackupSchedule | undefined;
  engine: Engine;
  jobs: Jobs;
  pipelineRuns: PipelineRuns | undefined;
  /** Readiness turns 503 and streams end; requests are still served. */
  drain(): void;
  /** Cancels the runs of packs, whose requests then get an error, and leaves pipelines to be resumed. */
  stopRuns(): Promise<void>;
  /** Drains, stops runs, writes what is pending and closes the store. */
  close(): Promise<void>;
}

/** Builds every part on the ones it depends on: memory, authentication, engine, background work, routes. */
export async function buildServer(config: Config, options: BuildOptions = {}): Promise<Server> {
  const { now = Date.now } = options;
  const log = toRestLog(options.log ?? createLogger(config.logLevel), config.logLevel);
  const metrics = createMetrics();
  const state = await openMemory(config, {
    now,
    log,
    onCommit: metrics.committed,
    onCall: metrics.called,
    onStopped(error) {
      metrics.memoryOn(false);
      options.onStoreStopped?.(error);
    },
    waitMs: options.databaseWaitMs,
    newMemory: options.newMemory,
    // Called on an erase or `forget all`, so never before the engine is built.
    erasable: () => erasableResources(memory!, runtime),
  });
  const memory = 'on' in state ? state.on : undefined;
  const memoryProblem = 'off' in state ? state.off : undefined;
  reportMemory(log, memory, memoryProblem);
  metrics.memoryOn(memory !== undefined);
  if (memory) metrics.watch(memory);

  const { jwks, adminUsername } = config;
  const issuerCallers = memory && jwks && (await openIssuerCallers(memory.parts, { ...jwks, adminUsername }));
  if (memory && issuerCallers && issuerCallers.adoptedNow > 0) {
    const detail = counted(issuerCallers.adoptedNow, 'caller');
    await memory.audit.record({ action: 'callers.adopt', actor: adminUsername, detail });
  }
  const issuers = [jwks?.issuer, config.oidc?.issuer].filter((each) => each !== undefined);
  const auth = createAuth({
    hs256Secret: config.jwtSecret ?? (jwks ? undefined : randomBytes(32).toString('hex')),
    jwks,
    now,
    isRevoked: (identity) => memory?.tokens.isRevoked(identity) ?? false,
    callerOf: issuerCallers?.callerOf,
  });
  const closing = new AbortController();
  const rules = { maxValueBytes: config.maxValueBytes, secretGuard: config.secretGuard };
  const memoryOrThrow = () => {
    if (!memory) throw memoryProblem!;
    return memory;
  };
  const runtime = await buildEngine(config, { ...options, log, memory, memoryProblem, rules, now, metrics });
  const { engine, jobs, pipelines, procedures, pipelineRuns } = runtime;
  metrics.watchRuns(jobs, pipelineRuns);
  const clocks = { now, monotonicMs: options.monotonicMs ?? (() => performance.now()) };
  const clock = memory && createClockGuard(clocks, lastSeenOf(config, memory.parts.store));
  const services: RestServices = {
    memory: memoryOrThrow,
    memoryIfOn: () => memory,
    engine,
    jobs,
    pipelines,
    procedures,
    pipelineRuns() {
      memoryOrThrow();
      return pipelineRuns!;
    },
    auth,
    authDisabled: config.authDisabled,
    login: createLoginGuard({
      username: config.adminUsername,
      password: config.adminPassword,
      now,
      accounts: memory?.accounts,
      records: attemptRecords(memory, 'login'),
      browsers: createKnownBrowsers(sharedKey(config, memory, 'known-browsers'), now),
    }),
    oidc: config.oidc && {
      client: createOidcClient(config.oidc),
      key: sharedKey(config, memory, 'oidc-sign-in'),
    },
    codeAttempts: createAttemptGuard({
      now,
      message: 'Too many wrong codes.',
      records: attemptRecords(memory, 'code'),
    }),
    ...buildOAuth(config, now, attemptRecords(memory, 'registration')),
    adminUsername,
    callerNamed: (name, tenant) => {
      const caller = callerNamed(name, { tenant, issuers });
      return issuerCallers?.callerOf(caller) ?? caller;
    },
    rules,
    surface: options.surface ?? 'rest',
    version: VERSION,
    loopback: isLoopback(config.host),
    listenHost: config.host,
    publicUrl: config.publicUrl,
    trustedProxies: config.trustedProxies,
    metricsToken: config.metricsToken,
    now,
    readiness: async () => ({
      ...(await readiness(memory, memoryProblem ?? integrity?.damage())),
      ...(closing.signal.aborted ? { ready: false, reason: 'draining' as const } : {}),
    }),
    clock() {
      memoryOrThrow();
      return clock!;
    },
    backups() {
      memoryOrThrow();
      return { possible: isFile(config.db), schedule: backups?.status() ?? null };
    },
    metrics,
    log,
    closing: closing.signal,
  };
  const integrity =
    memory && options.checkFileAfterMs !== undefined && isFile(config.db)
      ? startIntegrityCheck(config.db, { delayMs: options.checkFileAfterMs, log, closing: closing.signal })
      : undefined;
  const janitor =
    memory &&
    clock &&
    startJanitor(memory, {
      log,
      clock,
      artifacts: runtime.artifacts,
      onSwept: metrics.swept,
      onPaused: metrics.sweepPaused,
    });
  const backups =
    memory && options.backups
      ? startBackupSchedule(config, { now, log, metrics: metrics.backups })
      : undefined;
  memory?.runMove.start();
  const { vaultService } = runtime;
  const rotation =
    memory &&
    rotateKeys(memory, {
      repeat: config.memoryKeysPrevious.length > 0 || config.vaultKeysPrevious.length > 0,
      vault: vaultService instanceof AppError ? undefined : vaultService,
      log,
      closing: closing.signal,
    });
  const uiFiles = readUiFiles(UI_FOLDER);
  const mcpServices = {
    ...services,
    sessionKey: sharedKey(config, memory, 'mcp-sessions'),
    resourceOrigin: services.protectedResources?.origin,
  };
  const routes = [
    ...restRoutes(services),
    ...mcpRoutes(mcpServices, [...mcpEndpoints(mcpServices), qmdEndpoint(services), graphEndpoint(services)]),
    ...mem0Routes(services),
  ];
  const app = createHttpApp(services, routes, uiFiles && createServeUi(uiFiles));
  const drain = () => closing.abort();
  let runsStopped: Promise<void> | undefined;
  const stopRuns = () => {
    runsStopped ??= (async () => {
      await memory?.runMove.stop();
      await runtime.close();
    })();
    return runsStopped;
  };
  return {
    app,
    auth,
    memory,
    memoryProblem,
    undecidedCallers: issuerCallers?.undecided ?? 0,
    janitor,
    backups,
    engine,
    jobs,
    pipelineRuns,
    drain,
    stopRuns,
    async close() {
      drain();
      await stopRuns();
      await memory?.parts.pending.drain();
      await janitor?.stop();
      await backups?.stop();
      await rotation;
      if (memory) await closeMemory(memory);
    },
  };
}

/** Nodes that share a database count failed attempts together; a server with its own counts in RAM. */
const attemptRecords = (memory: OpenMemory | undefined, what: string) =>
  memory?.parts.store.sharing && attemptsInStore(memory.parts, what);

/** A key derived from what all nodes share; without any of that, what it signs ends with the process. */
function sharedKey({ jwtSecret }: Config, memory: OpenMemory | undefined, purpose: string): Buffer {
  if (jwtSecret !== undefined) return deriveKey(Buffer.from(jwtSecret), purpose);
  const system = memory?.parts.directory.system;
  return system ? deriveKey(rowId(system, 'directory', purpose), purpose) : randomBytes(32);
}

async function readiness(memory: OpenMemory | undefined, problem: AppError | undefined): Promise<Readiness> {
  if (problem?.reason === 'disabled') return { ready: true, memory: { state: 'disabled' } };
  const error = problem ?? (await findProblem(memory!));
  if (!error) return { ready: true, memory: { state: 'on' } };
  return {
    ready: false,
    memory: { state: 'off', reason: error.reason, message: error.message, hint: error.hint },
  };
}

/** A test write, and whether another node has moved the database to a key that this one does not have. */
async function findProblem({ parts }: OpenMemory): Promise<AppError | undefined> {
  try {
    await parts.store.probe();
    await parts.directory.assertKeyFits();
    return undefined;
  } catch (thrown) {
    return toAppError(thrown);
  }
}

function reportMemory(log: RestLog, memory: OpenMemory | undefined, problem: AppError | undefined): void {
  if (problem?.reason === 'disabled') log.warn({}, 'memory is switched off');
  else if (problem)
    log.error({ reason: problem.reason }, `MEMORY IS OFF: ${problem.message} ${problem.hint}`);
  if (!memory) return;
  const { keyId, ephemeral, orphansSwept } = memory.parts.directory;
  if (orphansSwept > 0)
    log.warn({ rows: orphansSwept }, 'rows of an earlier ephemeral key could not be read and were swept');
  if (ephemeral) {
    log.warn(
      { key_id: keyId },
      'NO MEMORY KEY IS SET: facts stay readable only until this process ends. Run "helmdeck init" to keep them.',
    );
  }
}
