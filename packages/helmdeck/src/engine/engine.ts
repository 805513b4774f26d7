import { randomUUID } from 'node:crypto';
import { setImmediate as nextTick } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import type { ArtifactInfo } from '../memory/artifact.ts';
import type { Source } from '../memory/entry.ts';
import type { FactRules } from '../memory/facts/validate-fact.ts';
import { lowest, type Trust, trustOfSource } from '../memory/gate/trust.ts';
import { createMemory } from '../memory/memory.ts';
import type { Caller } from '../memory/namespace.ts';
import { hasScope } from '../memory/scopes.ts';
import type { SpaceServices } from '../memory/spaces/enter-space.ts';
import type { SpaceIdentity } from '../memory/spaces/space.ts';
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
  /** Absent while memory is off: packs then run without it. */
  memory?: SpaceServices & { history: RunHistory };
  rules: FactRules;
  services: PackServices;
  now: () => number;
  log: PackLogger;
  observe?: (observation: RunObservation) => void;
  /** Additional interceptors; they run inside cache and deadline, around session, context, capture and handler. */
  interceptors?: readonly Interceptor[];
}

/** A call of a pack by a caller. */
export interface RunRequest {
  pack: string;
  version?: string;
  /** May carry `_session_id` beside the pack's own fields. */
  input: unknown;
  caller: Caller;
  source: Source;
  /** The most that the run is trusted, if that is less than its source: a step of a pipeline. */
  trust?: Trust;
  scopes: ReadonlySet<string>;
  /** The identity whose spaces the run gets into; absent: it gets into none. */
  spaceAccess?: SpaceIdentity;
  signal?: AbortSignal;
  noCache?: boolean;
  /** Values in the input that are outputs of other runs. */
  foreignData?: readonly unknown[];
  onProgress?: (progress: Progress) => void;
  /** Called before the result is returned if it comes from outside. */
  onExternal?: () => void;
}

/** The result of a run, as every surface returns it. */
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
  /** Cancels every run of a caller, except the run that calls this. */
  stopRuns(caller: Caller): Promise<void>;
  /** Cancels all runs and rejects new ones. */
  close(): void;
}

const NEVER_ABORTED = new AbortController().signal;

/** Runs packs: composes the interceptors around the pack's handler and turns a request into a result. */
export function createEngine(options: EngineOptions): Engine {
  const { packs, memory, rules, services, now, log, observe = () => {} } = options;
  const closing = new AbortController();
  const running = createRunningRuns();
  // Outermost first. A cache hit never gets past `cache`.
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
    createInvoke({ services, spaces: memory, rules, log }),
  );

  return {
    packs,
    async execute(request) {
      const startMs = performance.now();
      const pack = packs.get(request.pack, request.version);
      assertMayRun(pack, request.scopes);
      const { caller, scopes, source, signal = NEVER_ABORTED, noCache = false, foreignData } = request;
      const outcome = await run({
        id: `run_${randomUUID()}`, // Node draws the randomness of many at once
        pack,
        ...splitSession(request.input),
        caller,
        scopes,
        spaceAccess: request.spaceAccess,
        source,
        trust: lowest(trustOfSource(source), request.trust),
        memory: memory && createMemory(memory.parts, caller),
        noCache,
        foreignData,
        signal,
        progress: createProgress(request.onProgress, now),
        trail: { artifacts: [] },
      });
      const { output, artifacts, cache, session: session_id, external } = outcome;
      if (external || pack.external) request.onExternal?.();
      return {
        pack: pack.name,
        version: pack.version,
        output,
        ...(artifacts && artifacts.length > 0 ? { artifacts } : {}),
        duration_ms: Math.round(performance.now() - startMs),
        ...(session_id === undefined ? {} : { session_id }),
        ...(cache ? { cache } : {}),
      };
    },
    async stopRuns(caller) {
      running.cancelAll(caller, runContext.getStore()?.runId);
      await nextTick(); // by then they have enqueued their run records
    },
    close: () => closing.abort(),
  };
}

/** Whether a token with these scopes may run the pack; `packs:run` itself is checked by the surface. */
export function mayRun(pack: Pack, scopes: ReadonlySet<string>): boolean {
  return pack.scopes.every((scope) => hasScope(scopes, scope));
}

export function assertMayRun(pack: Pack, scopes: ReadonlySet<string>): void {
  if (mayRun(pack, scopes)) return;
  const missing = pack.scopes.find((scope) => !hasScope(scopes, scope));
  throw new AppError('insufficient_scope', `The pack ${pack.name} needs the scope ${missing}.`);
}

/** Separates `_session_id` from the pack's own input fields. */
function splitSession(input: unknown): Pick<Run, 'input' | 'session'> {
  if (typeof input !== 'object' || input === null || !('_session_id' in input)) return { input };
  const { _session_id: id, ...rest } = input;
  if (typeof id === 'string') return { input: rest, session: id };
  throw new AppError('invalid_input', '_session_id must be a string.', { reason: 'bad_type' });
}
