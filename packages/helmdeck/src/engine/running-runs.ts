import { type Caller, namespaceOf } from '../memory/namespace.ts';
import type { Run } from './run.ts';

/** The runs in progress in this process, by caller, so that all runs of one caller can be cancelled together. */
export interface RunningRuns {
  /** Registers a run with its cancel function; call the returned function when the run has ended. */
  add(run: Run, cancel: () => void): () => void;
  /** Cancels all runs of a caller but one. */
  cancelAll(caller: Caller, exceptRunId: string | undefined): void;
}

export function createRunningRuns(): RunningRuns {
  const byCaller = new Map<string, Map<() => void, string>>();
  const mapKeyOf = (caller: Caller) => namespaceOf(caller).toString('latin1');
  return {
    add(run, cancel) {
      const mapKey = mapKeyOf(run.caller);
      const runs = byCaller.get(mapKey) ?? new Map<() => void, string>();
      byCaller.set(mapKey, runs.set(cancel, run.id));
      return () => {
        runs.delete(cancel);
        if (runs.size === 0 && byCaller.get(mapKey) === runs) byCaller.delete(mapKey);
      };
    },
    cancelAll(caller, exceptRunId) {
      for (const [cancel, id] of [...(byCaller.get(mapKeyOf(caller)) ?? [])])
        if (id !== exceptRunId) cancel();
    },
  };
}
