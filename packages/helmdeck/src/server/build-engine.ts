import type { ArtifactService } from '../artifacts/artifact-room.ts';
import { createEngine, type Engine } from '../engine/engine.ts';
import { forgetEnded } from '../engine/history/delete-finished-records.ts';
import { createJobs, type Jobs } from '../engine/jobs.ts';
import type { Pack } from '../engine/pack/pack.ts';
import { createPackRegistry, type PackRegistry } from '../engine/pack/pack-registry.ts';
import { createPipelineRuns, type PipelineRuns } from '../engine/pipeline/pipeline-runs.ts';
import { type BuiltInPipeline, createPipelines, type Pipelines } from '../engine/pipeline/pipelines.ts';
import { recoverRuns } from '../engine/pipeline/recover-runs.ts';
import { routingCandidates } from '../engine/routing/routing-guide.ts';
import type { Interceptor } from '../engine/run.ts';
import { type AppError, toAppError } from '../errors.ts';
import type { FactRules } from '../memory/facts/validate-fact.ts';
import { createMemory } from '../memory/memory.ts';
import type { Caller } from '../memory/namespace.ts';
import { builtInPacks } from '../packs/built-in-packs.ts';
import { BUILT_IN_PIPELINES } from '../packs/built-in-pipelines.ts';
import { createGateway } from '../packs/language-model/gateway.ts';
import type { OpenMemory, RestLog } from '../surfaces/rest/route.ts';
import type { Config } from './config/config.ts';
import type { Metrics } from './metrics/metrics.ts';
import { observeRuns } from './metrics/observe-runs.ts';
import { openPackRooms } from './pack-services.ts';
import { VERSION } from './process/version.ts';
import { useOwnPacks } from './user-packs.ts';

/** What a program that embeds the server can add. */
export interface EngineExtras {
  /** Packs besides the built-in ones; one of the same name and version takes their place. */
  packs?: readonly Pack[];
  /** Pipelines that belong to all. */
  pipelines?: readonly BuiltInPipeline[];
  /** Loads packs of the folder again whenever a file in it changes. */
  watchPacks?: boolean;
  /** Layers around every run, inside the built-in ones. */
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

/** The engine with everything that runs on it. */
export interface EngineRuntime {
  engine: Engine;
  jobs: Jobs;
  pipelines: Pipelines;
  /** Absent while memory is off. */
  pipelineRuns: PipelineRuns | undefined;
  artifacts: ArtifactService | undefined;
  close(): Promise<void>;
}

export async function buildEngine(config: Config, parts: EngineParts): Promise<EngineRuntime> {
  const { memory, memoryProblem, rules, now, log, metrics } = parts;
  const rooms = await openPackRooms(config, { memory, memoryProblem, now, log });
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
      ledger: memoryOrThrow,
      recall: () => memoryOrThrow().recall,
      adviser: () => memoryOrThrow().adviser,
      rules,
    },
    vault: rooms.vault,
    github: rooms.github,
    route: {
      memoryIfOn,
      async candidates(caller, scopes) {
        const own = memoryIfOn(caller);
        const known = own ? await pipelines.list(own) : []; // runs of pipelines are kept in memory
        return routingCandidates(registry, known, scopes);
      },
    },
    gateway,
  });
  registerAll(registry, [...builtIn, ...(parts.packs ?? [])]);
  const stopWatching =
    config.packsDir === undefined
      ? () => {}
      : await useOwnPacks(config.packsDir, registry, log, parts.watchPacks ?? false);
  const engine = createEngine({
    packs: registry,
    memory,
    rules,
    services: rooms.services,
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
  memory?.parts.belongings.push({
    async beforeErase(caller) {
      pipelineRuns?.stopAll(caller);
      await engine.stopRuns(caller);
    },
    async forgetAll(caller) {
      await forgetEnded(createMemory(memory.parts, caller));
      return 0; // they are the traces of what was counted elsewhere
    },
  });
  const recovery = memory && pipelineRuns && startRecovery(memory, pipelineRuns, log);
  return {
    engine,
    jobs,
    pipelines,
    pipelineRuns,
    artifacts: rooms.artifacts,
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

/** How soon runs of a process that counts as gone are seen to. */
const RECOVERY_MS = 5_000;

/** In the background, so that a start does not wait for it; again and again where other processes may end. */
function startRecovery(memory: OpenMemory, runs: PipelineRuns, log: RestLog): { stop(): Promise<void> } {
  const { parts } = memory;
  async function recover(): Promise<void> {
    try {
      const found = await recoverRuns(parts, runs);
      if (found > 0) log.warn({ runs: found }, 'pipeline runs were cut off by the end of their process');
    } catch (thrown) {
      log.error({ code: toAppError(thrown).code }, 'looking for interrupted pipeline runs failed');
    }
  }
  let working = recover();
  const again = () => {
    working = working.then(recover);
  };
  const timer = parts.store.sharing && setInterval(again, RECOVERY_MS).unref();
  return {
    async stop() {
      clearInterval(timer);
      await working;
    },
  };
}
