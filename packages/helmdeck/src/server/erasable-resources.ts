import type { ArtifactService } from '../artifacts/artifact-service.ts';
import { deleteFinishedRecords } from '../engine/history/delete-finished-records.ts';
import { AppError } from '../errors.ts';
import type { ErasableResources, ErasedResource } from '../memory/erase/erasable-resources.ts';
import { destroyNamespace } from '../memory/erase/erase-memory.ts';
import { createMemory } from '../memory/memory.ts';
import type { Caller } from '../memory/namespace.ts';
import type { SharedCache } from '../memory/shared-cache.ts';
import type { Store } from '../memory/store.ts';
import type { OpenMemory } from '../surfaces/rest/route.ts';
import { type VaultService, vaultExists } from '../vault/vault.ts';
import type { EngineRuntime } from './build-engine.ts';

/** The resources of this server that hold data of callers: everything `eraseMemory` destroys. */
export function erasableResources(
  { parts, recall, spaces }: OpenMemory,
  runtime: EngineRuntime,
): ErasableResources {
  const { store, directory, entryCache, cache } = parts;
  const { engine, pipelineRuns, artifacts, vaultService } = runtime;
  return {
    runs: {
      async stop(caller) {
        pipelineRuns?.stopAll(caller);
        await engine.stopRuns(caller);
      },
      deleteEnded: (caller) => deleteFinishedRecords(createMemory(parts, caller)),
    },
    namespaceRows: {
      erase: async (caller) => ({ rows: await destroyNamespace(store, directory, directory.idOf(caller)) }),
    },
    runRecords: {
      async erase(caller) {
        const ns = directory.runs.idOf(directory.idOf(caller));
        return { rows: await destroyNamespace(store, directory, ns) };
      },
    },
    sharedPackCache: cache && {
      erase: (caller) => eraseCached(cache, directory.idOf(caller)),
    },
    artifacts: artifacts && {
      erase: (caller) => eraseArtifactBytes(artifacts, caller),
      forgetAll: artifacts.forgetAll,
    },
    vaultSecrets: {
      erase: (caller) => eraseSecrets(store, vaultService, caller),
    },
    spaceNames: {
      erase: async (caller) => ({ rows: await spaces.forgetPerson(caller) }),
    },
    entryCache: {
      async erase(caller) {
        entryCache.drop(directory.idOf(caller));
        return { rows: 0 };
      },
    },
    recallImage: {
      async erase(caller) {
        await recall.drop(directory.idOf(caller));
        return { rows: 0 };
      },
    },
  };
}

async function eraseCached(cache: SharedCache, ns: Uint8Array): Promise<ErasedResource> {
  try {
    return { rows: await (await cache.open()).dropNamespace(ns) };
  } catch {
    const notCovered =
      'Cached results in the shared cache, which did not answer: they are unreadable without the erased key and expire there.';
    return { rows: 0, notCovered };
  }
}

async function eraseArtifactBytes(artifacts: ArtifactService, caller: Caller): Promise<ErasedResource> {
  try {
    await artifacts.afterErase(caller);
    return { rows: 0 };
  } catch {
    const notCovered =
      'Encrypted bytes of artifacts in a storage that did not answer; their keys are destroyed.';
    return { rows: 0, notCovered };
  }
}

async function eraseSecrets(
  store: Store,
  vault: VaultService | AppError,
  caller: Caller,
): Promise<ErasedResource> {
  if (!(vault instanceof AppError)) return { rows: await vault.erase(caller) };
  if (!(await vaultExists(store))) return { rows: 0 };
  return { rows: 0, notCovered: 'The vault, which this server could not open.' };
}
