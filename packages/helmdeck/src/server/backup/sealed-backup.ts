import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { AppError } from '../../errors.ts';
import type { Keyring } from '../../memory/crypto/keyring.ts';

/**
 * The format of sealed backups. A backup that leaves the machine is encrypted as a whole: its rows are encrypted already,
 * but a plain database file reveals their number, kinds and times, and would allow replacing a row with an older one.
 *
 * `magic | length of the wrapped key | wrapped key | frames`. Each file has its own random key, wrapped by the master key.
 * A frame is 1 MiB of the file under AES-256-GCM. Its nonce contains its number and whether it is the last one, so that
 * omitted, swapped or truncated frames are detected.
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
      if (next.done) throw damaged('it is truncated');
      rest = Buffer.concat([rest, next.value]);
    }
    const taken = rest.subarray(0, bytes);
    rest = rest.subarray(bytes);
    return taken;
  };
  if (!isSealedBackup(await take(MAGIC.length))) throw damaged('its header is wrong');
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
  if (frame.length < TAG_BYTES) throw damaged('it is truncated');
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

/** Splits a stream into frames of one size; the last one may be shorter or empty. */
export async function* frames(
  chunks: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<{ bytes: Buffer; last: boolean }> {
  let parts: Uint8Array[] = [];
  let buffered = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    buffered += chunk.length;
    if (buffered <= size) continue;
    // More than one frame is buffered, so this frame is not the last.
    let rest = Buffer.concat(parts);
    for (; rest.length > size; rest = rest.subarray(size))
      yield { bytes: rest.subarray(0, size), last: false };
    parts = [rest];
    buffered = rest.length;
  }
  yield { bytes: Buffer.concat(parts), last: true };
}

function damaged(how: string): AppError {
  return new AppError('memory_unavailable', `The backup is damaged: ${how}.`, {
    reason: 'damaged',
    hint: 'Use an earlier backup.',
  });
}
