import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { AppError } from '../../errors.ts';

export const KEY_ID_BYTES = 8;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A master key, which is only used to wrap other keys. */
interface MasterKey {
  id: Buffer;
  wrap: KeyObject;
  receiptSeed: Buffer;
}

/** The current master key and the ones it replaces. */
export interface Keyring {
  /** Id of the key that is configured as the current one. */
  readonly currentId: Buffer;
  /** The key was generated on start and is lost when the process ends. */
  readonly ephemeral: boolean;
  has(keyId: Uint8Array): boolean;
  /** Wraps with the current key, or with another key of the ring. */
  wrap(plain: Uint8Array, context: Uint8Array, keyId?: Uint8Array): Buffer;
  /** Unwraps bytes wrapped with any key of the ring; `undefined` if the key is missing or the bytes were changed. */
  unwrap(wrapped: Uint8Array, context: Uint8Array): Buffer | undefined;
  /** Seed of the Ed25519 key that signs erasure receipts. */
  readonly receiptSeed: Buffer;
}

/** Derives independent keys from one secret. */
export function deriveKey(secret: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `helmdeck/1/${purpose}`, 32));
}

/** Parses a key of 64 hexadecimal characters; the text never appears in the error. */
export function parseMasterKey(hex: string, variable: string): Buffer {
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) {
    throw new AppError('memory_unavailable', `${variable} is not 64 hexadecimal characters.`, {
      reason: 'key_invalid',
      hint: 'Make one with "openssl rand -hex 32", or run "helmdeck init".',
    });
  }
  return Buffer.from(hex, 'hex');
}

/** Creates a keyring; without a current key it generates an ephemeral one. */
export function createKeyring(options: { current?: Uint8Array; previous?: readonly Uint8Array[] }): Keyring {
  const ephemeral = options.current === undefined;
  const current = masterKey(options.current ?? randomBytes(32));
  const ring = new Map<string, MasterKey>();
  for (const key of [...(options.previous ?? []).map(masterKey), current])
    ring.set(key.id.toString('hex'), key);
  return {
    currentId: current.id,
    ephemeral,
    receiptSeed: current.receiptSeed,
    has: (keyId) => ring.has(Buffer.from(keyId).toString('hex')),
    wrap(plain, context, keyId = current.id) {
      const { id, wrap } = ring.get(Buffer.from(keyId).toString('hex'))!;
      return Buffer.concat([id, encrypt(wrap, plain, [id, context])]);
    },
    unwrap(wrapped, context) {
      const keyId = wrappedKeyId(wrapped);
      const key = ring.get(keyId.toString('hex'));
      return key && decrypt(key.wrap, wrapped.subarray(KEY_ID_BYTES), [keyId, context]);
    },
  };
}

/** The id of the master key that wrapped these bytes. */
export function wrappedKeyId(wrapped: Uint8Array): Buffer {
  return Buffer.from(wrapped.subarray(0, KEY_ID_BYTES));
}

/** AES-256-GCM as `iv | ciphertext | tag`. */
export function encrypt(key: KeyObject, plain: Uint8Array, aad: readonly Uint8Array[]): Buffer {
  const iv = nextIv();
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  for (const part of aad) cipher.setAAD(part);
  const body = cipher.update(plain);
  cipher.final();
  const sealed = Buffer.allocUnsafe(IV_BYTES + body.length + TAG_BYTES);
  iv.copy(sealed, 0);
  body.copy(sealed, IV_BYTES);
  cipher.getAuthTag().copy(sealed, IV_BYTES + body.length);
  return sealed;
}

/** The inverse of `encrypt`; `undefined` if key, bytes or AAD do not match. */
export function decrypt(key: KeyObject, sealed: Uint8Array, aad: readonly Uint8Array[]): Buffer | undefined {
  if (sealed.length < IV_BYTES + TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    for (const part of aad) decipher.setAAD(part);
    decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
    const plain = decipher.update(sealed.subarray(IV_BYTES, sealed.length - TAG_BYTES));
    decipher.final();
    return plain;
  } catch {
    return undefined;
  }
}

function masterKey(secret: Uint8Array): MasterKey {
  return {
    id: createHash('sha256').update('helmdeck/1/key-id').update(secret).digest().subarray(0, KEY_ID_BYTES),
    wrap: createSecretKey(deriveKey(secret, 'wrap')),
    receiptSeed: deriveKey(secret, 'receipts'),
  };
}

// One system call for many IVs: requesting 12 bytes from the kernel each time costs more than sealing a short fact.
let ivPool = Buffer.alloc(0);
function nextIv(): Buffer {
  if (ivPool.length < IV_BYTES) ivPool = randomBytes(IV_BYTES * 512);
  const iv = ivPool.subarray(0, IV_BYTES);
  ivPool = ivPool.subarray(IV_BYTES);
  return iv;
}
