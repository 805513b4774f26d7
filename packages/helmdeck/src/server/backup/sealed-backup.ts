import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { AppError } from '../../errors.ts';
import type { Keyring } from '../../memory/crypto/keyring.ts';

/**
 * A backup that leaves the machine is sealed as a whole: rows are sealed already, but a database file also shows how
 * many there are, of which kinds, when they were written, and lets somebody put an old row back.
 *
 * `magic | length of the wrapped key | wrapped key | frames`. Each file has a random key of its own, wrapped by the
 * master key. A frame is 1 MiB of the file under AES-256-GCM; its number and whether it is the last one are its nonce,
 * so frames cannot be left out, swapped or cut off.
 */
const MAGIC = Buffer.from('HDKBACK1');
const CONTEXT = Buffer.from('helmdeck/1/backup');
const FRAME_BYTES = 1_048_576;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

export const SEALED_MAGIC_BYTES = MAGIC.length;

export function isSealedBackup(start: Uint8Array): boolean {
  return MAGIC.equals(start.subarray(0, MAGIC.length));
}

export async function* sealBackup(
  plain: AsyncIterable<Uint8Array>,
  keyring: Keyring,
): AsyncGenerator<Buffer> {
  const secret = randomBytes(KEY_BYTES);
  const wrapped = keyring.wrap(secret, CONTEXT);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(wrapped.length);
  yield Buffer.concat([MAGIC, length, wrapped]);
  const key = createSecretKey(secret);
  let number = 0;
  for await (const { bytes, last } of frames(plain, FRAME_BYTES)) {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number++, last));
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }
}

export async function* openBackup(
  sealed: AsyncIterable<Uint8Array>,
  keyring: Keyring,
): AsyncGenerator<Buffer> {
  const source = sealed[Symbol.asyncIterator]();
  let rest = Buffer.alloc(0);
  const take = async (bytes: number) => {
    while (rest.length < bytes) {
      const next = await source.next();
      if (next.done) throw damaged('it is cut off');
      rest = Buffer.concat([rest, next.value]);
    }
    const taken = rest.subarray(0, bytes);
    rest = rest.subarray(bytes);
    return taken;
  };
  if (!isSealedBackup(await take(MAGIC.length))) throw damaged('it does not begin like one');
  const wrapped = await take((await take(2)).readUInt16BE());
  const key = unwrapKey(wrapped, keyring);
  const body = async function* () {
    yield rest;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  };
  let number = 0;
  for await (const { bytes, last } of frames(body(), FRAME_BYTES + TAG_BYTES))
    yield openFrame(key, bytes, nonceOf(number++, last));
}

function unwrapKey(wrapped: Uint8Array, keyring: Keyring): KeyObject {
  const secret = keyring.unwrap(wrapped, CONTEXT);
  if (secret) return createSecretKey(secret);
  throw new AppError('memory_unavailable', 'The configured key does not open this backup.', {
    reason: 'wrong_key',
    hint: 'Set HELMDECK_MEMORY_KEY to the key it was written with. Nothing was changed.',
  });
}

function openFrame(key: KeyObject, frame: Buffer, nonce: Buffer): Buffer {
  if (frame.length < TAG_BYTES) throw damaged('it is cut off');
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(frame.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(frame.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw damaged('a part of it was changed or is missing');
  }
}

function nonceOf(number: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(number, 7);
  nonce[11] = last ? 1 : 0;
  return nonce;
}

/** Cuts a stream into pieces of one size; the last one may be shorter, and even empty. */
export async function* frames(
  chunks: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<{ bytes: Buffer; last: boolean }> {
  let parts: Uint8Array[] = [];
  let held = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    held += chunk.length;
    if (held <= size) continue;
    // More than a frame is there, so this one is not the last.
    let rest = Buffer.concat(parts);
    for (; rest.length > size; rest = rest.subarray(size))
      yield { bytes: rest.subarray(0, size), last: false };
    parts = [rest];
    held = rest.length;
  }
  yield { bytes: Buffer.concat(parts), last: true };
}

function damaged(how: string): AppError {
  return new AppError('memory_unavailable', `The backup is damaged: ${how}.`, {
    reason: 'damaged',
    hint: 'Use an earlier one.',
  });
}
