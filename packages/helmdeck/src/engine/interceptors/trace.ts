import { toAppError } from '../../errors.ts';
import type { CacheStatus, Interceptor } from '../run.ts';

/** One run as metrics and logs see it: only pack names and error codes. */
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
  /** Of an unexpected failure; its text must not be shown. */
  cause?: unknown;
}

/** The outermost interceptor: times the run, reports it to the observer and converts every error to an AppError. */
export function createTrace(observe: (observation: RunObservation) => void): Interceptor {
  return async (run, next) => {
    const startMs = performance.now();
    const { id: runId, pack } = run;
    const labels = { runId, pack: pack.name, version: pack.version };
    try {
      const outcome = await next(run);
      const seconds = (performance.now() - startMs) / 1000;
      observe({ ...labels, outcome: 'ok', cache: outcome.cache?.status, seconds });
      return outcome;
    } catch (thrown) {
      const error = toAppError(thrown);
      const seconds = (performance.now() - startMs) / 1000;
      observe({ ...labels, outcome: error.code, reason: error.reason, seconds, cause: error.cause });
      throw error;
    }
  };
}
