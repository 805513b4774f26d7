import { createSecretKey, randomBytes } from 'node:crypto';
import { decrypt, encrypt } from '../memory/crypto/keyring.ts';
import type { Entry } from '../memory/entry.ts';
import { type BlobName, blobPath } from './blob-store.ts';

/** What the sealed row of an artifact says. */
export interface SealedArtifact {
  filename: string;
  contentType: string;
  kind?: string;
  size: number;
  /** Opens the bytes, and is nowhere else: whoever deletes the row makes every copy of the bytes worthless. */
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

/** Seals content for one place: under another name it does not open. Padded, so that its size is not told exactly. */
export function sealContent(name: BlobName, contentKey: string, content: Uint8Array): Buffer {
  const plain = Buffer.alloc(Math.max(1, Math.ceil(content.length / PAD_BYTES)) * PAD_BYTES);
  plain.set(content);
  return encrypt(keyOf(contentKey), plain, [CONTEXT, Buffer.from(blobPath(name))]);
}

/** The content again; `undefined` when the bytes were changed, moved or cut. */
export function openContent(
  name: BlobName,
  { contentKey, size }: SealedArtifact,
  bytes: Uint8Array,
): Buffer | undefined {
  const plain = decrypt(keyOf(contentKey), bytes, [CONTEXT, Buffer.from(blobPath(name))]);
  return plain && plain.length >= size ? plain.subarray(0, size) : undefined;
}

const keyOf = (contentKey: string) => createSecretKey(Buffer.from(contentKey, 'hex'));
