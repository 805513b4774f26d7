import { memoryContext } from '../../memory/facts/overview.ts';
import { commonFindings } from '../history/defaults.ts';
import type { PackLogger } from '../pack/pack.ts';
import type { Interceptor } from '../run.ts';

/**
 * Gives a pack what it declares: `context`, an overview of the caller's memory, and `findings`, what earlier runs reported.
 * If one cannot be read, the run continues without it.
 */
export function createContext(log: PackLogger): Interceptor {
  return async (run, next) => {
    const { pack, memory, session } = run;
    const { context: wantsContext, findings: wanted } = pack.memory;
    if (!memory || !(wantsContext || wanted)) return next(run);
    const context = wantsContext && (await orNothing(memoryContext(memory, session), 'context'));
    const of = wanted === 'own' ? pack.name : undefined;
    const findings = wanted && (await orNothing(commonFindings(memory, of), 'findings'));
    return next({ ...run, ...(context && { context }), ...(findings && { findings }) });

    function orNothing<T>(reading: Promise<T>, what: string): Promise<T | undefined> {
      return reading.catch(() => {
        log.warn({ pack: pack.name, what }, 'what a pack is given from memory could not be read');
        return undefined;
      });
    }
  };
}
