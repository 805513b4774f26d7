import { createSecretKey, randomBytes } from 'node:crypto';
import { decrypt, encrypt } from '../memory/crypto/keyring.ts';
import type { Entry } from '../memory/entry.ts';
import { type BlobName, blobPath } from './blob-store.ts';

/** The content of an artifact's sealed row. */
export interface SealedArtifact {
  filename: string;
  contentType: string;
  kind?: string;
  size: number;
  /** Decrypts the bytes and is stored nowhere else: deleting the row makes every copy of the bytes unreadable. */
  contentKey: string;
}

const PAD_BYTES = 1_024;
const CONTEXT = Buffer.from('helmdeck/1/artifact');

export function sealedArtifactOf(entry: Entry): SealedArtifact {
  return JSON.parse(entry.value) as SealedArtifact;
}

export function newContentKey(): string {
  return randomBytes(32).toString('hex');
}

/** Seals content for one blob name: under another name it does not open. Padded to hide the exact size. */
export function sealContent(name: BlobName, contentKey: string, content: Uint8Array): Buffer {
  const plain = Buffer.alloc(Math.max(1, Math.ceil(content.length / PAD_BYTES)) * PAD_BYTES);
  plain.set(content);
  return encrypt(keyOf(contentKey), plain, [CONTEXT, Buffer.from(blobPath(name))]);
}

/** The content; `undefined` if the bytes were changed, moved or truncated. */
export function openContent(
  name: BlobName,
  { contentKey, size }: SealedArtifact,
  bytes: Uint8Array,
): Buffer | undefined {
  const plain = decrypt(keyOf(contentKey), bytes, [CONTEXT, Buffer.from(blobPath(name))]);
  return plain && plain.length >= size ? plain.subarray(0, size) : undefined;
}

const keyOf = (contentKey: string) => createSecretKey(Buffer.from(contentKey, 'hex'));
