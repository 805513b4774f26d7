import { AppError } from '../../errors.ts';
import { namespaceOf } from '../../memory/namespace.ts';
import type { Interceptor } from '../run.ts';

/** How many runs may be in progress at once. */
const RUN_LIMITS = Object.freeze({ maxPerCaller: 2_000, maxInAll: 20_000 });

/** Keeps one caller from taking the whole server: limits concurrent runs, and runs per second. */
export function createQuota(): Interceptor {
  const running = new Map<string, number>();
  let inAll = 0;
  return async (run, next) => {
    const { memory, caller, trail } = run;
    const name = namespaceOf(caller).toString('latin1');
    const mine = running.get(name) ?? 0;
    trail.refused = true;
    if (memory) {
      const ns = memory.directory.idOf(caller);
      // A pack without a run record is limited by the writes it makes itself, and as a read.
      if (run.pack.audited) memory.limits.takeRun(ns);
      else memory.limits.takeReads(ns, 1);
    }
    if (mine >= RUN_LIMITS.maxPerCaller || inAll >= RUN_LIMITS.maxInAll) {
      throw new AppError('resource_exhausted', 'Too many runs at once.', {
        reason: 'too_many_runs',
        retryAfterSeconds: 1,
      });
    }
    trail.refused = undefined;
    running.set(name, mine + 1);
    inAll++;
    try {
      return await next(run);
    } finally {
      inAll--;
      const left = running.get(name)! - 1;
      if (left > 0) running.set(name, left);
      else running.delete(name);
    }
  };
}
