import { type Caller, namespaceOf } from '../memory/namespace.ts';
import type { Run } from './run.ts';

/** The runs that are going on, by caller, so that somebody's can be stopped together. */
export interface RunningRuns {
  /** Remembers how to stop a run; the answer forgets it. */
  add(run: Run, stop: () => void): () => void;
  /** Stops all runs of a caller but one. */
  stopAll(caller: Caller, exceptRunId: string | undefined): void;
}

export function createRunningRuns(): RunningRuns {
  const byCaller = new Map<string, Map<() => void, string>>();
  const nameOf = (caller: Caller) => namespaceOf(caller).toString('latin1');
  return {
    add(run, stop) {
      const name = nameOf(run.caller);
      const mine = byCaller.get(name) ?? new Map<() => void, string>();
      byCaller.set(name, mine.set(stop, run.id));
      return () => {
        mine.delete(stop);
        if (mine.size === 0 && byCaller.get(name) === mine) byCaller.delete(name);
      };
    },
    stopAll(caller, exceptRunId) {
      for (const [stop, id] of [...(byCaller.get(nameOf(caller)) ?? [])]) if (id !== exceptRunId) stop();
    },
  };
}
