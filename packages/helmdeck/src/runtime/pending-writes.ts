import { namespaceMapKey } from './namespace-map-key.ts';

/** Writes that nobody waits for: run records and cached results. Whoever deletes or counts them waits for them first. */
export interface PendingWrites {
  /** Follows a write until it has ended, well or not. */
  track(ns: Uint8Array, write: Promise<unknown>): void;
  /** Asks a writer that holds rows back to start writing: those of one namespace, or all. */
  beforeDrain(hurry: (ns: Uint8Array | undefined) => void): void;
  /** Resolves when everything that was pending for the namespace, or for all, has ended. */
  drain(ns?: Uint8Array): Promise<void>;
}

export function createPendingWrites(): PendingWrites {
  const pending = new Map<string, Set<Promise<unknown>>>();
  const writers: ((ns: Uint8Array | undefined) => void)[] = [];
  return {
    track(ns, write) {
      const name = namespaceMapKey(ns);
      const writes = pending.get(name) ?? new Set();
      pending.set(name, writes);
      const done = write.then(
        () => {},
        () => {}, // the writer reports its own failures
      );
      writes.add(done);
      void done.then(() => {
        writes.delete(done);
        if (writes.size === 0 && pending.get(name) === writes) pending.delete(name);
      });
    },
    beforeDrain: (hurry) => void writers.push(hurry),
    async drain(ns) {
      for (const hurry of writers) hurry(ns);
      const sets = ns ? [pending.get(namespaceMapKey(ns)) ?? []] : pending.values();
      await Promise.all([...sets].flatMap((writes) => [...writes]));
    },
  };
}
