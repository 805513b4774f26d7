import { namespaceMapKey } from './namespace-map-key.ts';

/** Runs work for a namespace after all work that was given before it has ended, failed or not. */
export type InTurn = <T>(ns: Uint8Array, work: () => Promise<T>) => Promise<T>;

/** A queue per namespace; namespaces do not wait for each other. Work must not wait for a turn of its own namespace. */
export function createTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return async (ns, work) => {
    const name = namespaceMapKey(ns);
    const before = last.get(name);
    const own = before ? before.then(work, work) : work();
    last.set(name, own);
    try {
      return await own;
    } finally {
      if (last.get(name) === own) last.delete(name);
    }
  };
}
