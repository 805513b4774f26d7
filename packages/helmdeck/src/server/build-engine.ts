import type { ArtifactService } from '../artifacts/artifact-service.ts';
import { createEngine, type Engine } from '../engine/engine.ts';
import { createJobs, type Jobs } from '../engine/jobs.ts';
import type { Pack } from '../engine/pack/pack.ts';
import { createPackRegistry, type PackRegistry } from '../engine/pack/pack-registry.ts';
import { createPipelineRuns, type PipelineRuns } from '../engine/pipeline/pipeline-runs.ts';
import { type BuiltInPipeline, createPipelines, type Pipelines } from '../engine/pipeline/pipelines.ts';
import { recoverRuns } from '../engine/pipeline/recover-runs.ts';
import { createProcedures, type Procedures } from '../engine/procedures/procedures.ts';
import { routingCandidates } from '../engine/routing/routing-guide.ts';
import type { Interceptor } from '../engine/run.ts';
import { type AppError, toAppError } from '../errors.ts';
import type { FactRules } from '../memory/facts/validate-fact.ts';
import { createMemory } from '../memory/memory.ts';
import type { Caller } from '../memory/namespace.ts';
import { enterSpace, namedMemories } from '../memory/spaces/enter-space.ts';
import { unknownSpace } from '../memory/spaces/space.ts';
import { builtInPacks } from '../packs/built-in-packs.ts';
import { BUILT_IN_PIPELINES } from '../packs/built-in-pipelines.ts';
import { createGateway } from '../packs/language-model/gateway.ts';
import type { OpenMemory, RestLog } from '../surfaces/rest/route.ts';
import type { VaultService } from '../vault/vault.ts';
import type { Config } from './config/config.ts';
import type { Metrics } from './metrics/metrics.ts';
import { observeRuns } from './metrics/observe-runs.ts';
import { openPackServices } from './pack-services.ts';
import { VERSION } from './process/version.ts';
import { registerUserPacks } from './user-packs.ts';

// The part of the composition root that builds the engine; `build.ts` calls it.

/** What a program that embeds the server can add to the engine. */
export interface EngineExtras {
  /** Additional packs; one with the name and version of a built-in pack replaces it. */
  packs?: readonly Pack[];
  /** Additional pipelines for all callers. */
  pipelines?: readonly BuiltInPipeline[];
  /** Reloads the packs of HELMDECK_PACKS_DIR whenever a file in it changes. */
  watchPacks?: boolean;
  /** Interceptors around every run, inside the built-in ones. */
  interceptors?: readonly Interceptor[];
}

interface EngineParts extends EngineExtras {
  memory: OpenMemory | undefined;
  memoryProblem: AppError | undefined;
  rules: FactRules;
  now: () => number;
  log: RestLog;
  metrics: Metrics;
}

/** The engine with jobs, pipelines and artifacts. */
export interface EngineRuntime {
  engine: Engine;
  jobs: Jobs;
  pipelines: Pipelines;
  procedures: Procedures;
  /** Absent while memory is off. */
  pipelineRuns: PipelineRuns | undefined;
  artifacts: ArtifactService | undefined;
  vaultService: VaultService | AppError;
  close(): Promise<void>;
}

/** Opens the pack services, registers all packs and composes engine, jobs and pipelines. */
export async function buildEngine(config: Config, parts: EngineParts): Promise<EngineRuntime> {
  const { memory, memoryProblem, rules, now, log, metrics } = parts;
  const packServices = await openPackServices(config, { memory, memoryProblem, now, log });
  const registry = createPackRegistry();
  const gateway = config.gateway && createGateway({ ...config.gateway, userAgent: `helmdeck/${VERSION}` });
  const memoryIfOn = (caller: Caller) => memory && createMemory(memory.parts, caller);
  const memoryOrThrow = () => {
    if (!memory) throw memoryProblem!;
    return memory;
  };
  const builtIn = builtInPacks({
    memory: {
      memoryOf: (caller) => createMemory(memoryOrThrow().parts, caller),
      async memoryIn({ caller, spaceAccess }, space, needed) {
        const opened = memoryOrThrow();
        if (space === undefined) return createMemory(opened.parts, caller);
        if (!spaceAccess) throw unknownSpace();
        return enterSpace(opened, spaceAccess, space, needed);
      },
      memoriesIn: async ({ caller, spaceAccess }, spaces) =>
        namedMemories(
          memoryOrThrow(),
          spaceAccess ?? { caller, scopes: new Set(), spaces: new Set() },
          spaces,
        ),
      ledger: memoryOrThrow,
      recall: () => memoryOrThrow().recall,
      recallLog: () => memoryOrThrow().recallLog,
      adviser: () => memoryOrThrow().adviser,
      rules,
    },
    vault: packServices.vault,
    github: packServices.github,
    route: {
      memoryIfOn,
      record: (caller, plan) => memory?.history.addPlan(caller, plan),
      async candidates(caller, scopes) {
        const own = memoryIfOn(caller);
        const known = own ? await pipelines.list(own) : []; // pipeline runs need memory
        return routingCandidates(registry, known, scopes);
      },
    },
    gateway,
  });
  registerAll(registry, [...builtIn, ...(parts.packs ?? [])]);
  const stopWatching =
    config.packsDir === undefined
      ? () => {}
      : await registerUserPacks(config.packsDir, registry, log, parts.watchPacks ?? false);
  const engine = createEngine({
    packs: registry,
    memory,
    rules,
    services: packServices.services,
    now,
    log,
    observe: observeRuns(log, metrics),
    interceptors: parts.interceptors,
  });
  const jobs = createJobs({ engine, memory: memory?.parts, now, log });
  const pipelines = createPipelines(registry, rules, [...BUILT_IN_PIPELINES, ...(parts.pipelines ?? [])]);
  const pipelineRuns =
    memory &&
    createPipelineRuns({
      engine,
      pipelines,
      history: memory.history,
      processId: memory.parts.leases.processId,
      now,
      log,
    });
  const recovery = memory && pipelineRuns && startRecovery(memory, pipelineRuns, log);
  return {
    engine,
    jobs,
    pipelines,
    procedures: createProcedures(registry, pipelines),
    pipelineRuns,
    artifacts: packServices.artifacts,
    vaultService: packServices.vaultService,
    async close() {
      stopWatching();
      await recovery?.stop();
      await pipelineRuns?.close();
      engine.close();
      await jobs.close();
    },
  };
}

function registerAll(registry: PackRegistry, packs: readonly Pack[]): void {
  for (const pack of packs) registry.register(pack);
}

const RECOVERY_INTERVAL_MS = 5_000;

/** Recovers interrupted pipeline runs in the background; on a shared store periodically, as other nodes may stop. */
function startRecovery(memory: OpenMemory, runs: PipelineRuns, log: RestLog): { stop(): Promise<void> } {
  const { parts } = memory;
  async function recover(): Promise<void> {
    try {
      const recovered = await recoverRuns(parts, runs);
      if (recovered > 0) log.warn({ runs: recovered }, 'recovered pipeline runs whose process had stopped');
    } catch (thrown) {
      log.error({ code: toAppError(thrown).code }, 'interrupted pipeline runs could not be recovered');
    }
  }
  let recovering = recover();
  const recoverAgain = () => {
    recovering = recovering.then(recover);
  };
  const timer = parts.store.sharing && setInterval(recoverAgain, RECOVERY_INTERVAL_MS).unref();
  return {
    async stop() {
      clearInterval(timer);
      await recovering;
    },
  };
}
