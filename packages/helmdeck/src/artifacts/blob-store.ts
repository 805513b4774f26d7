/** The name of the sealed bytes of one artifact: two opaque ids, nothing a caller chose. */
export interface BlobName {
  ns: Uint8Array;
  id: Uint8Array;
}

export interface FoundBlob extends BlobName {
  modifiedMs: number;
}

/** Stores the bytes of artifacts; only ever sees sealed bytes under opaque names. */
export interface BlobStore {
  /** Durable when it resolves; a reader sees all of it or nothing. */
  write(name: BlobName, bytes: Uint8Array): Promise<void>;
  read(name: BlobName): Promise<Uint8Array | undefined>;
  /** Succeeds if the blob does not exist. */
  delete(name: BlobName): Promise<void>;
  /** All blobs, or those of one namespace; skips names that are not blob paths. */
  list(ns?: Uint8Array): AsyncIterable<FoundBlob>;
}

const ID = /^[0-9a-f]{32}$/;

/** `<namespace>/<row>` in hexadecimal, the same in every blob store. */
export function blobPath({ ns, id }: BlobName): string {
  return `${Buffer.from(ns).toString('hex')}/${Buffer.from(id).toString('hex')}`;
}

/** The inverse of `blobPath`; `undefined` for anything else. */
export function parseBlobPath(path: string): BlobName | undefined {
  const [ns, id, ...rest] = path.split('/');
  if (rest.length > 0 || !ID.test(ns ?? '') || !ID.test(id ?? '')) return undefined;
  return { ns: Buffer.from(ns!, 'hex'), id: Buffer.from(id!, 'hex') };
}
