import { namespaceMapKey } from '../runtime/namespace-map-key.ts';
import type { Kind } from './entry.ts';

/** An event about one caller's memory. Never contains a value. */
export interface Change {
  type: 'store' | 'forget' | 'expire' | 'erase' | 'run' | 'recall' | 'proposal';
  kind?: Kind;
  key?: string;
  scope?: string;
  version?: number;
  deleted?: number;
  atMs: number;
}

export type ChangeListener = (change: Change) => void;

/** Publishes changes to the listeners of a namespace in this process. */
export interface ChangeFeed {
  emit(ns: Uint8Array, change: Change): void;
  subscribe(ns: Uint8Array, listener: ChangeListener): () => void;
  /** Notifies every listener of every namespace, but not those of `subscribeToAll`. */
  emitToAll(change: Change): void;
  /** For components of the server that serve every namespace. */
  subscribeToAll(listener: (ns: Uint8Array, change: Change) => void): void;
  hasListeners(ns: Uint8Array): boolean;
  /** The namespace whose listeners are notified of rows in this one: itself, or the main namespace of a caller's runs. */
  listenedAs(ns: Uint8Array): Uint8Array | undefined;
}

export function createChangeFeed(runsIdOf?: (ns: Uint8Array) => Uint8Array): ChangeFeed {
  /** By the id of a runs namespace: the main namespace that has listeners. */
  const mainOfRuns = new Map<string, Uint8Array>();
  const runsKey = (ns: Uint8Array) => runsIdOf && namespaceMapKey(runsIdOf(ns));
  const listeners = new Map<string, Set<ChangeListener>>();
  const listenersToAll: ((ns: Uint8Array, change: Change) => void)[] = [];
  return {
    emit(ns, change) {
      for (const listener of listenersToAll) listener(ns, change);
      if (listeners.size === 0) return;
      for (const listener of listeners.get(namespaceMapKey(ns)) ?? []) listener(change);
    },
    emitToAll(change) {
      for (const each of listeners.values()) for (const listener of each) listener(change);
    },
    subscribe(ns, listener) {
      const set = listeners.get(namespaceMapKey(ns)) ?? new Set();
      listeners.set(namespaceMapKey(ns), set.add(listener));
      const runs = runsKey(ns);
      if (runs !== undefined) mainOfRuns.set(runs, ns);
      return () => {
        set.delete(listener);
        if (set.size > 0) return;
        listeners.delete(namespaceMapKey(ns));
        if (runs !== undefined) mainOfRuns.delete(runs);
      };
    },
    subscribeToAll: (listener) => void listenersToAll.push(listener),
    hasListeners: (ns) => listeners.has(namespaceMapKey(ns)),
    listenedAs: (ns) => (listeners.has(namespaceMapKey(ns)) ? ns : mainOfRuns.get(namespaceMapKey(ns))),
  };
}
