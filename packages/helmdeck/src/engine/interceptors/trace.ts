import { toAppError } from '../../errors.ts';
import type { CacheStatus, Interceptor } from '../run.ts';

/** One run as metrics and logs see it: names of packs and codes only. */
export interface RunObservation {
  runId: string;
  pack: string;
  version: string;
  /** `ok` or the code of the error. */
  outcome: string;
  /** The error's finer code. */
  reason?: string;
  cache?: CacheStatus;
  seconds: number;
  /** What lies behind an unexpected failure; its text must not be shown. */
  cause?: unknown;
}

/** Outermost: times the run, tells the observer, and lets nothing but typed errors out. */
export function createTrace(observe: (observation: RunObservation) => void): Interceptor {
  return async (run, next) => {
    const startMs = performance.now();
    const { id: runId, pack } = run;
    const about = { runId, pack: pack.name, version: pack.version };
    try {
      const outcome = await next(run);
      const seconds = (performance.now() - startMs) / 1000;
      observe({ ...about, outcome: 'ok', cache: outcome.cache?.status, seconds });
      return outcome;
    } catch (thrown) {
      const error = toAppError(thrown);
      const seconds = (performance.now() - startMs) / 1000;
      observe({ ...about, outcome: error.code, reason: error.reason, seconds, cause: error.cause });
      throw error;
    }
  };
}
