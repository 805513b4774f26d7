import { type BlobName, type BlobStore, blobPath, parseBlobPath } from './blob-store.ts';
import { openS3, type S3Account, s3Error } from './s3-client.ts';

export interface S3Options extends S3Account {
  bucket: string;
  /** Separates servers that share a bucket. */
  folder: string;
}

/** Stores blobs as objects `<folder>/<namespace>/<row>` of a bucket. */
export async function openS3Blobs(options: S3Options): Promise<BlobStore> {
  const { folder } = options;
  const s3 = await openS3(options, options.bucket);
  const keyOf = (name: BlobName) => `${folder}/${blobPath(name)}`;
  return {
    write: (name, bytes) => s3.put(keyOf(name), bytes),
    async read(name) {
      const response = await s3.get(keyOf(name));
      return response && readBody(response);
    },
    delete: (name) => s3.delete(keyOf(name)),
    async *list(ns) {
      const prefix = `${folder}/${ns ? `${Buffer.from(ns).toString('hex')}/` : ''}`;
      for await (const { key, modifiedMs } of s3.list(prefix)) {
        const blob = parseBlobPath(key.slice(folder.length + 1));
        if (blob) yield { ...blob, modifiedMs };
      }
    },
  };
}

async function readBody(response: Response): Promise<Uint8Array> {
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch (thrown) {
    throw s3Error('closed the connection before the end of the body', thrown);
  }
}
