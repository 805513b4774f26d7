import type { Caller } from '../namespace.ts';

/** One place that holds a caller's data. */
export interface ErasableResource {
  /** Runs after the caller's data key is destroyed, so sealed data that cannot be reached here is already unreadable. */
  erase(caller: Caller): Promise<ErasedResource>;
}

export interface ErasedResource {
  rows: number;
  /** What could not be reached, as a sentence for the receipt. */
  notCovered?: string;
}

/**
 * Everything an erase destroys. The list is closed: the composition root supplies every property, with `undefined` for
 * what this server does not have, and `eraseMemory` destroys all of them. A new place for a caller's data belongs here.
 */
export interface ErasableResources {
  /** Pack runs, jobs and pipeline runs in progress are stopped first, so that they write nothing afterwards. */
  runs: {
    stop(caller: Caller): Promise<void>;
    /** Deletes jobs and pipeline runs that have ended: they hold copies of inputs and outputs. */
    deleteEnded(caller: Caller): Promise<void>;
  };
  /** The data key and every row it seals: facts, versions, notes, sessions, cached results, artifact rows. */
  namespaceRows: ErasableResource;
  /**
   * Run records, in a namespace with a data key of their own. Erased after `namespaceRows`: `move-run-records.ts`, which
   * may be moving old ones out of there, then finds no more of them or fails to write them.
   */
  runRecords: ErasableResource;
  /** Cached pack results in Redis. */
  sharedPackCache: ErasableResource | undefined;
  /** Sealed bytes of artifacts in the data folder or in S3. */
  artifacts: (ErasableResource & { forgetAll(caller: Caller): Promise<number> }) | undefined;
  /** Secrets and the vault's own data key for the caller. */
  vaultSecrets: ErasableResource;
  /** A person's grants, and the name behind what they wrote to spaces: the facts stay, with an alias. */
  spaceNames: ErasableResource;
  /** Decrypted entries in RAM. */
  entryCache: ErasableResource;
  /** The search image in RAM and its sealed snapshot file. */
  recallImage: ErasableResource;
}

/** The part of `forget all` besides facts, notes and run records; returns how many entries were deleted. */
export async function forgetAllResources(
  { artifacts, runs }: ErasableResources,
  caller: Caller,
): Promise<number> {
  const deleted = (await artifacts?.forgetAll(caller)) ?? 0;
  await runs.deleteEnded(caller); // not counted: the run record of each one is counted already
  return deleted;
}
