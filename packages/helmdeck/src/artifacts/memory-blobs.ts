import { type BlobStore, blobPath, parseBlobPath } from './blob-store.ts';

/** Stores blobs in RAM, for servers whose database is in RAM, too. */
export function createMemoryBlobs(): BlobStore {
  const blobs = new Map<string, { bytes: Uint8Array; modifiedMs: number }>();
  return {
    async write(name, bytes) {
      blobs.set(blobPath(name), { bytes: Buffer.from(bytes), modifiedMs: Date.now() });
    },
    read: async (name) => blobs.get(blobPath(name))?.bytes,
    async delete(name) {
      blobs.delete(blobPath(name));
    },
    async *list(ns) {
      const prefix = ns ? `${Buffer.from(ns).toString('hex')}/` : '';
      for (const [path, { modifiedMs }] of [...blobs])
        if (path.startsWith(prefix)) yield { ...parseBlobPath(path)!, modifiedMs };
    },
  };
}
