import { type BlobName, type BlobStore, blobPath, parseBlobPath } from './blob-store.ts';
import { failed, openS3, type S3Account } from './s3-client.ts';

export interface S3Options extends S3Account {
  bucket: string;
  /** Keeps servers apart that share a bucket. */
  folder: string;
}

/** Blobs as objects `<folder>/<namespace>/<row>` of a bucket. */
export async function openS3Blobs(options: S3Options): Promise<BlobStore> {
  const { folder } = options;
  const s3 = await openS3(options, options.bucket);
  const keyOf = (name: BlobName) => `${folder}/${blobPath(name)}`;
  return {
    write: (name, bytes) => s3.put(keyOf(name), bytes),
    async read(name) {
      const answer = await s3.get(keyOf(name));
      return answer && whole(answer);
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

/** A body that breaks off is as bad as none at all. */
async function whole(answer: Response): Promise<Uint8Array> {
  try {
    return new Uint8Array(await answer.arrayBuffer());
  } catch (thrown) {
    throw failed('broke off', thrown);
  }
}
