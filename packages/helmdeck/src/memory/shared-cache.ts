import type { Store } from './store.ts';

/** A cache of pack results that all nodes share. Its rows are sealed with the callers' keys. */
export interface SharedCache {
  /** The store behind the cache; rejects immediately while it cannot be reached. */
  open(): Promise<Store>;
  close(): Promise<void>;
}
