import type { ArtifactInfo } from '../memory/artifact.ts';
import type { Source } from '../memory/entry.ts';
import type { ContextView } from '../memory/facts/overview.ts';
import type { Trust } from '../memory/gate/trust.ts';
import type { Memory } from '../memory/memory.ts';
import type { Caller } from '../memory/namespace.ts';
import type { SpaceIdentity } from '../memory/spaces/space.ts';
import type { CommonFinding } from './history/defaults.ts';
import type { Pack } from './pack/pack.ts';

/** One call of a pack on its way through the interceptors. They pass on a changed copy, never mutate it. */
export interface Run {
  readonly id: string;
  readonly pack: Pack;
  /** As sent by the caller; after `validate`, as parsed by the schema. */
  readonly input: unknown;
  readonly caller: Caller;
  /** Of the caller's token. */
  readonly scopes: ReadonlySet<string>;
  /** Which spaces it gets into; absent: none. */
  readonly spaceAccess?: SpaceIdentity;
  readonly source: Source;
  /** How far what the run stores is trusted. */
  readonly trust: Trust;
  /** The caller's memory; absent while memory is off. */
  readonly memory?: Memory;
  readonly session?: string;
  readonly context?: ContextView;
  readonly findings?: readonly CommonFinding[];
  readonly noCache: boolean;
  /** Values in the input that are outputs of other runs: data, in which no vault placeholder is filled in. */
  readonly foreignData?: readonly unknown[];
  readonly signal: AbortSignal;
  progress(percent: number, message?: string): void;
  /** Collected on the way and shared by all copies, so that a failed run can be recorded as well. */
  readonly trail: RunTrail;
}

export interface RunTrail {
  /** What the handler returned, valid or not. */
  returned?: unknown;
  artifacts: ArtifactInfo[];
  /** The handler fetched something from outside. */
  fetched?: true;
  /** The handler asked for a space: the result is neither cached nor captured, as it must end with the grant. */
  namedSpace?: true;
  /** Rejected before it began, so it leaves no run record: a caller over its limits would fill the history otherwise. */
  refused?: true;
}

export type CacheStatus = 'hit' | 'miss' | 'stale' | 'bypass';

/** The result that the interceptors pass back. */
export interface Outcome {
  readonly output: unknown;
  readonly artifacts?: readonly ArtifactInfo[];
  readonly cache?: { status: CacheStatus; age_s: number };
  readonly session?: string;
  /** The output comes from outside. */
  readonly external?: true;
}

export type Next = (run: Run) => Promise<Outcome>;

/** Middleware around every run: may change the run, return an outcome without calling `next`, or inspect the outcome. */
export type Interceptor = (run: Run, next: Next) => Promise<Outcome>;
