import type { Artifacts } from '../memory/artifact.ts';
import type { NamespaceKeys } from '../memory/crypto/sealed.ts';
import { isLive } from '../memory/entry.ts';
import type { MemoryParts } from '../memory/memory.ts';
import type { Caller } from '../memory/namespace.ts';
import { type Row, StoreConflict, type SweptRow } from '../memory/store.ts';
import { createArtifactLimits } from './artifact-limits.ts';
import { asArtifactProblem } from './artifact-problem.ts';
import { createArtifacts } from './artifacts.ts';
import { type BlobName, type BlobStore, blobPath } from './blob-store.ts';

/** The artifacts of a server: rows in the store, sealed bytes in a blob store. */
export interface ArtifactService {
  of(caller: Caller): Artifacts;
  /** Removes the bytes of a row that expired. */
  onSwept(row: SweptRow): Promise<void>;
  /** Deletes all artifacts of a caller; returns how many were live. */
  forgetAll(caller: Caller): Promise<number>;
  /** Removes the bytes of a namespace that was dropped. */
  afterErase(caller: Caller): Promise<void>;
  /** Removes bytes that no row speaks of any more: a crash, or a storage that did not answer, left them. */
  collectOrphans(isStopping?: () => boolean): Promise<number>;
}

export interface ArtifactRoomOptions {
  parts: MemoryParts;
  blobs: BlobStore;
  /** The clock that stamps blobs; it is the storage's, not the server's. */
  storageNow?: () => number;
}

/** Younger bytes may belong to a row that is still being written, here or by another server. */
const ORPHAN_AGE_MS = 3_600_000;
const CHUNK_ROWS = 200;

export function createArtifactRoom({
  parts,
  blobs,
  storageNow = Date.now,
}: ArtifactRoomOptions): ArtifactService {
  const { store, directory } = parts;
  const limits = createArtifactLimits(parts);
  /** Bytes that are written and whose row is not: an erasure must leave them to their writer. */
  const beingWritten = new Set<string>();

  async function isOrphan(blob: BlobName): Promise<boolean> {
    return !beingWritten.has(blobPath(blob)) && (await store.get(blob.ns, blob.id)) === undefined;
  }

  async function deleteRows(keys: NamespaceKeys, rows: readonly Row[]): Promise<void> {
    await store.apply(
      keys,
      rows.map(({ id }) => ({ type: 'delete', id })),
    );
    for (const { id } of rows) await blobs.delete({ ns: keys.ns, id });
  }

  return {
    of: (caller) => createArtifacts({ parts, blobs, limits, beingWritten }, caller),
    async onSwept(row) {
      if (row.kind === 'artifact') await blobs.delete(row);
    },
    async forgetAll(caller) {
      const keys = await directory.find(caller);
      let live = 0;
      if (!keys) return live;
      try {
        for (;;) {
          const rows = await store.scan(keys.ns, { kinds: ['artifact'], limit: CHUNK_ROWS });
          if (rows.length === 0) return live;
          await deleteRows(keys, rows);
          live += rows.filter((row) => isLive(row, parts.now())).length;
          limits.forget(keys.ns);
        }
      } catch (thrown) {
        if (!(thrown instanceof StoreConflict && thrown.kind === 'gone')) throw asArtifactProblem(thrown);
        return live; // erased meanwhile: nothing is left to forget
      }
    },
    async afterErase(caller) {
      const ns = directory.idOf(caller);
      limits.forget(ns);
      try {
        for await (const blob of blobs.list(ns)) if (await isOrphan(blob)) await blobs.delete(blob);
      } catch (thrown) {
        throw asArtifactProblem(thrown);
      }
    },
    async collectOrphans(isStopping = () => false) {
      let removed = 0;
      for await (const blob of blobs.list()) {
        if (isStopping()) break;
        if (storageNow() - blob.modifiedMs < ORPHAN_AGE_MS || !(await isOrphan(blob))) continue;
        await blobs.delete(blob);
        removed++;
      }
      return removed;
    },
  };
}
