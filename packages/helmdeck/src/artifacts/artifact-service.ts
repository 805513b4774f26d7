import type { Artifacts } from '../memory/artifact.ts';
import type { NamespaceKeys } from '../memory/crypto/sealed.ts';
import { isLive } from '../memory/entry.ts';
import type { MemoryParts } from '../memory/memory.ts';
import type { Caller } from '../memory/namespace.ts';
import { type Row, StoreConflict, type SweptRow } from '../memory/store.ts';
import { toArtifactError } from './artifact-error.ts';
import { createArtifactLimits } from './artifact-limits.ts';
import { createArtifacts } from './artifacts.ts';
import { type BlobName, type BlobStore, blobPath } from './blob-store.ts';

/** The artifacts of all callers: rows in the store, sealed bytes in a blob store. */
export interface ArtifactService {
  of(caller: Caller): Artifacts;
  /** Deletes the bytes of an expired row. */
  onSwept(row: SweptRow): Promise<void>;
  /** Deletes all artifacts of a caller; returns how many were live. */
  forgetAll(caller: Caller): Promise<number>;
  /** Deletes the bytes of a namespace that was dropped. */
  afterErase(caller: Caller): Promise<void>;
  /** Deletes bytes without a row, which a crash or an unavailable blob store left behind; returns how many blobs. */
  collectOrphans(isStopping?: () => boolean): Promise<number>;
}

export interface ArtifactServiceOptions {
  parts: MemoryParts;
  blobs: BlobStore;
  /** The clock that stamps blobs: that of the storage, not of the server. */
  storageNow?: () => number;
}

/** The row of younger bytes may still be being written, here or by another server. */
const MIN_ORPHAN_AGE_MS = 3_600_000;
const CHUNK_ROWS = 200;

export function createArtifactService({
  parts,
  blobs,
  storageNow = Date.now,
}: ArtifactServiceOptions): ArtifactService {
  const { store, directory } = parts;
  const limits = createArtifactLimits(parts);
  /** Blobs whose row is not written yet: an erase must leave them to their writer. */
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
          limits.invalidate(keys.ns);
        }
      } catch (thrown) {
        if (!(thrown instanceof StoreConflict && thrown.kind === 'gone')) throw toArtifactError(thrown);
        return live; // erased meanwhile: nothing is left to delete
      }
    },
    async afterErase(caller) {
      const ns = directory.idOf(caller);
      limits.invalidate(ns);
      try {
        for await (const blob of blobs.list(ns)) if (await isOrphan(blob)) await blobs.delete(blob);
      } catch (thrown) {
        throw toArtifactError(thrown);
      }
    },
    async collectOrphans(isStopping = () => false) {
      let removed = 0;
      for await (const blob of blobs.list()) {
        if (isStopping()) break;
        if (storageNow() - blob.modifiedMs < MIN_ORPHAN_AGE_MS || !(await isOrphan(blob))) continue;
        await blobs.delete(blob);
        removed++;
      }
      return removed;
    },
  };
}
