import type { ValueTrace } from '../../memory/entry.ts';
import type { Memory } from '../../memory/memory.ts';
import { walkRuns } from '../history/defaults.ts';

/** A successful run of a pack with the fingerprints of its values. */
export interface TracedRun {
  key: string;
  pack: string;
  atUnix: number;
  trace: ValueTrace;
  learned: Record<string, string>;
}

const MAX_RUNS = 5_000;

/** The caller's newest runs that can be followed, oldest first: successful, and no steps of pipelines. */
export async function tracedRuns(memory: Memory, keys?: ReadonlySet<string>): Promise<TracedRun[]> {
  const runs: TracedRun[] = [];
  for await (const { run, trace } of walkRuns(memory)) {
    if (run.kind !== 'pack' || run.outcome !== 'ok' || !trace) continue;
    if (keys && !keys.has(run.key)) continue;
    const { key, id: pack, at_unix: atUnix, learn_inputs: learned = {} } = run;
    runs.push({ key, pack, atUnix, trace, learned });
    if (runs.length === (keys?.size ?? MAX_RUNS)) break;
  }
  // Keys end in a time in nanoseconds; records of several nodes may be written in another order.
  return runs.sort((a, b) => (stampOf(a) < stampOf(b) ? -1 : 1));
}

const stampOf = ({ key }: TracedRun) => key.slice(key.lastIndexOf('/') + 1);

/** Values that come back as they were given: they did not originate in this run. */
export const isEcho = ({ trace }: TracedRun, value: string): boolean => inputValues(trace).has(value);

const values = new WeakMap<ValueTrace, Set<string>>();

function inputValues(trace: ValueTrace): Set<string> {
  const known = values.get(trace) ?? new Set(Object.values(trace.in));
  values.set(trace, known);
  return known;
}
