import { memoryContext } from '../../memory/facts/overview.ts';
import type { PackLogger } from '../pack/pack.ts';
import type { Interceptor } from '../run.ts';

/** Gives a pack that declares `context` an overview of the caller's memory. If that fails, the run continues without it. */
export function createContext(log: PackLogger): Interceptor {
  return async (run, next) => {
    if (!run.pack.memory.context || !run.memory) return next(run);
    const context = await memoryContext(run.memory, run.session).catch(() => {
      log.warn({ pack: run.pack.name }, 'the memory context could not be read');
      return undefined;
    });
    return next({ ...run, context });
  };
}
