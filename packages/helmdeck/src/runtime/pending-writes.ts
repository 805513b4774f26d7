import { namespaceMapKey } from './namespace-map-key.ts';

/** Tracks background writes (run records, cached results) so that deletes and counts can wait for them first. */
export interface PendingWrites {
  /** Tracks a write until it resolves or rejects. */
  track(ns: Uint8Array, write: Promise<unknown>): void;
  /** Registers a writer that buffers rows: `flush` must start writing those of one namespace, or all. */
  beforeDrain(flush: (ns: Uint8Array | undefined) => void): void;
  /** Resolves when every write that was pending for the namespace, or for all, has finished. */
  drain(ns?: Uint8Array): Promise<void>;
}

export function createPendingWrites(): PendingWrites {
  const pending = new Map<string, Set<Promise<unknown>>>();
  const flushes: ((ns: Uint8Array | undefined) => void)[] = [];
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
    beforeDrain: (flush) => void flushes.push(flush),
    async drain(ns) {
      for (const flush of flushes) flush(ns);
      const sets = ns ? [pending.get(namespaceMapKey(ns)) ?? []] : pending.values();
      await Promise.all([...sets].flatMap((writes) => [...writes]));
    },
  };
}
