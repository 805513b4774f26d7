import type { RunObservation } from '../../engine/interceptors/trace.ts';
import { ERRORS, type ErrorCode, errorFrames } from '../../errors.ts';
import type { RestLog } from '../../surfaces/rest/route.ts';
import type { Metrics } from './metrics.ts';

/** Counts pack runs, and logs those that failed with a server error. */
export function observeRuns(log: RestLog, metrics: Metrics): (run: RunObservation) => void {
  return ({ runId, pack, version, outcome, reason, cache, seconds, cause }) => {
    metrics.packRan(pack, outcome, cache ?? 'none', seconds);
    // A cancelled run is not a server error.
    const failed = outcome !== 'ok' && reason !== 'cancelled' && ERRORS[outcome as ErrorCode].http >= 500;
    if (!failed && !log.isEnabled('debug')) return;
    const fields = { run: runId, pack, version, outcome, cache, ms: Math.round(seconds * 1000) };
    const at = cause === undefined ? {} : { at: errorFrames(cause) };
    if (failed) log.warn({ ...fields, ...at }, 'a run failed');
    else log.debug(fields, 'run');
  };
}
