import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import type { ArtifactInfo } from '../memory/artifact.ts';
import type { Source } from '../memory/entry.ts';
import type { FactRules } from '../memory/facts/validate-fact.ts';
import { createMemory, type MemoryParts } from '../memory/memory.ts';
import type { Caller } from '../memory/namespace.ts';
import { compose } from './compose.ts';
import type { RunHistory } from './history/run-history.ts';
import { createAudit } from './interceptors/audit.ts';
import { createCache } from './interceptors/cache.ts';
import { createCapture } from './interceptors/capture.ts';
import { createContext } from './interceptors/context.ts';
import { createDeadline } from './interceptors/deadline.ts';
import { createQuota } from './interceptors/quota.ts';
import { session } from './interceptors/session.ts';
import { createTrace, type RunObservation } from './interceptors/trace.ts';
import { validate } from './interceptors/validate.ts';
import { createInvoke } from './pack/invoke.ts';
import type { Pack, PackLogger } from './pack/pack.ts';
import type { PackRegistry } from './pack/pack-registry.ts';
import type { PackServices } from './pack/pack-services.ts';
import type { CacheStatus, Interceptor, Run } from './run.ts';
import { runContext } from './run-context.ts';
import { createProgress, type Progress } from './run-progress.ts';
import { createRunningRuns } from './running-runs.ts';

export interface EngineOptions {
  packs: PackRegistry;
  /** Absent while memory is off: packs then run as if it did not exist. */
  memory?: { parts: MemoryParts; history: RunHistory };
  rules: FactRules;
  services: PackServices;
  now: () => number;
  log: PackLogger;
  observe?: (observation: RunObservation) => void;
  /** Layers of others; they go around the session, the handler and what is kept of its result. */
  interceptors?: readonly Interceptor[];
}

/** Who wants which pack run, and how. */
export interface RunRequest {
  pack: string;
  version?: string;
  /** May carry `_session_id` beside the pack's own fields. */
  input: unknown;
  caller: Caller;
  source: Source;
  scopes: ReadonlySet<string>;
  signal?: AbortSignal;
  noCache?: boolean;
  onProgress?: (progress: Progress) => void;
}

/** The answer to a run, as every surface gives it. */
export interface RunResult {
  pack: string;
  version: string;
  output: unknown;
  artifacts?: readonly ArtifactInfo[];
  duration_ms: number;
  session_id?: string;
  cache?: { status: CacheStatus; age_s: number };
}

export interface Engine {
  readonly packs: PackRegistry;
  execute(request: RunRequest): Promise<RunResult>;
  /** Stops every run of a caller, except the one that asks for it. */
  stopRuns(caller: Caller): Promise<void>;
  /** Stops what runs; nothing starts any more. */
  close(): void;
}

const NEVER = new AbortController().signal;

export function createEngine(options: EngineOptions): Engine {
  const { packs, memory, rules, services, now, log, observe = () => {} } = options;
  const closing = new AbortController();
  const running = createRunningRuns();
  // The order of the layers, outermost first. A cached answer never gets past `cache`.
  const run = compose(
    [
      createTrace(observe),
      createAudit(memory?.history, now),
      createQuota(),
      validate,
      createCache(log),
      createDeadline(closing.signal, running),
      ...(options.interceptors ?? []),
      session,
      createContext(log),
      createCapture(rules, log),
    ],
    createInvoke({ services, rules, log }),
  );

  return {
    packs,
    async execute(request) {
      const startMs = performance.now();
      const pack = packs.get(request.pack, request.version);
      assertMayRun(pack, request.scopes);
      const { caller, scopes, source, signal = NEVER, noCache = false } = request;
      const {
        output,
        artifacts,
        cache,
        session: ranIn,
      } = await run({
        id: `run_${randomBytes(8).toString('hex')}`,
        pack,
        ...splitSession(request.input),
        caller,
        scopes,
        source,
        memory: memory && createMemory(memory.parts, caller),
        noCache,
        signal,
        progress: createProgress(request.onProgress, now),
        trail: { artifacts: [] },
      });
      return {
        pack: pack.name,
        version: pack.version,
        output,
        ...(artifacts && artifacts.length > 0 ? { artifacts } : {}),
        duration_ms: Math.round(performance.now() - startMs),
        ...(ranIn === undefined ? {} : { session_id: ranIn }),
        ...(cache ? { cache } : {}),
      };
    },
    async stopRuns(caller) {
      running.stopAll(caller, runContext.getStore()?.runId);
      await nextTurn(); // until they have said how they ended
    },
    close: () => closing.abort(),
  };
}

/** Whether a token with these scopes may run the pack; `packs:run` is the surface's question. */
export function mayRun(pack: Pack, scopes: ReadonlySet<string>): boolean {
  return scopes.has('admin') || pack.scopes.every((scope) => scopes.has(scope));
}

export function assertMayRun(pack: Pack, scopes: ReadonlySet<string>): void {
  if (mayRun(pack, scopes)) return;
  const missing = pack.scopes.find((scope) => !scopes.has(scope));
  throw new AppError('insufficient_scope', `The pack ${pack.name} needs the scope ${missing}.`);
}

/** Takes the session out of the input, which belongs to the pack. */
function splitSession(input: unknown): Pick<Run, 'input' | 'session'> {
  if (typeof input !== 'object' || input === null || !('_session_id' in input)) return { input };
  const { _session_id: id, ...rest } = input;
  if (typeof id === 'string') return { input: rest, session: id };
  throw new AppError('invalid_input', '_session_id must be a string.', { reason: 'bad_type' });
}
