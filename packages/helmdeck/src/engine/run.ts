import type { ArtifactInfo } from '../memory/artifact.ts';
import type { Source } from '../memory/entry.ts';
import type { ContextView } from '../memory/facts/overview.ts';
import type { Memory } from '../memory/memory.ts';
import type { Caller } from '../memory/namespace.ts';
import type { Pack } from './pack/pack.ts';

/** One call of a pack on its way through the interceptors. They hand on a changed copy, never change it. */
export interface Run {
  readonly id: string;
  readonly pack: Pack;
  /** As it was sent, and from `validate` on as the schema made it. */
  readonly input: unknown;
  readonly caller: Caller;
  /** What the caller's token may do. */
  readonly scopes: ReadonlySet<string>;
  readonly source: Source;
  /** The caller's memory; absent while memory is off. */
  readonly memory?: Memory;
  readonly session?: string;
  readonly context?: ContextView;
  readonly noCache: boolean;
  readonly signal: AbortSignal;
  progress(percent: number, message?: string): void;
  /** What is learned on the way, shared by all copies, so that a failed run can be told about as well. */
  readonly trail: RunTrail;
}

export interface RunTrail {
  /** What the handler returned, fit or not. */
  returned?: unknown;
  artifacts: ArtifactInfo[];
  /** It was turned away before it began: no run, no row. Otherwise whoever calls too much would fill the history. */
  refused?: true;
}

export type CacheStatus = 'hit' | 'miss' | 'stale' | 'bypass';

/** What comes back through the interceptors. */
export interface Outcome {
  readonly output: unknown;
  readonly artifacts?: readonly ArtifactInfo[];
  readonly cache?: { status: CacheStatus; age_s: number };
  readonly session?: string;
}

export type Next = (run: Run) => Promise<Outcome>;

/** A layer around every run: may change the run, answer in its place, or look at what comes back. */
export type Interceptor = (run: Run, next: Next) => Promise<Outcome>;
