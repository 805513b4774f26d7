import type { Store } from './store.ts';

/** Results of packs in a store of their own, which all nodes share. Its rows are sealed with the callers' keys. */
export interface SharedCache {
  /** The store; rejects at once while it cannot be reached. */
  open(): Promise<Store>;
  close(): Promise<void>;
}
