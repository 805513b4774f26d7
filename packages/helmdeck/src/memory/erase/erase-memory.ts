import type { Directory } from '../crypto/directory.ts';
import type { Memory } from '../memory.ts';
import type { Store } from '../store.ts';
import { type Receipt, type ReceiptSigner, signReceipt } from './receipts.ts';

/** Destroys everything `ErasableResources` lists for this caller and returns a signed receipt. */
export async function eraseMemory(memory: Memory, signer: ReceiptSigner): Promise<Receipt> {
  const { caller, changes, directory, now, pending } = memory;
  const { runs, namespaceRows, ...others } = memory.erasable();
  const ns = directory.idOf(caller);

  // Stop writers and wait for writes in flight: either could create the namespace again.
  await runs.stop(caller);
  await pending.drain(ns);

  // Drop the namespace even if it does not exist: this also completes an earlier erase that could not truncate the WAL.
  let { rows } = await namespaceRows.erase(caller);

  const notCovered: string[] = [];
  for (const resource of Object.values(others)) {
    const erased = await resource?.erase(caller);
    rows += erased?.rows ?? 0;
    if (erased?.notCovered !== undefined) notCovered.push(erased.notCovered);
  }

  changes.emit(ns, { type: 'erase', deleted: rows, atMs: now() });
  return signReceipt(signer, { caller, rows, erasedMs: now(), notCovered });
}

/** Destroys a namespace, including the only copy of its data key; returns the rows removed. */
export async function destroyNamespace(store: Store, directory: Directory, ns: Buffer): Promise<number> {
  directory.forgetKeys(ns);
  const rows = await store.dropNamespace(ns);
  directory.forgetKeys(ns); // a concurrent read may have cached them again during the drop
  return rows;
}
