import type { Directory } from '../crypto/directory.ts';
import type { Caller } from '../namespace.ts';
import type { Store } from '../store.ts';

/**
 * Destroys both namespaces of a caller, including the only copies of their data keys; returns the rows removed. Run
 * records go last: a process that still moves old ones out of the main namespace (`move-run-records.ts`) then either
 * finds no more of them or fails to write them.
 */
export async function destroyNamespaces(store: Store, directory: Directory, caller: Caller): Promise<number> {
  const main = directory.idOf(caller);
  let rows = 0;
  for (const ns of [main, directory.runs.idOf(main)]) {
    directory.forgetKeys(ns);
    rows += await store.dropNamespace(ns);
    directory.forgetKeys(ns); // a concurrent read may have cached them again during the drop
  }
  return rows;
}
