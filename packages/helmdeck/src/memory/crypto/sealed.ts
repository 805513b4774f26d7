import { createSecretKey, hash, type KeyObject } from 'node:crypto';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import type { Entry, EntryContent, Kind } from '../entry.ts';
import type { Row } from '../store.ts';
import { decrypt, deriveKey, encrypt } from './keyring.ts';

const SCHEMA = 1;
const ID_BYTES = 16;
const PAD_BYTES = 64;
const NO_GROUP = Buffer.alloc(ID_BYTES);
const SPACE = 0x20;
const MAX_GROUP_IDS = 64;
const FINGERPRINT_BYTES = 9;

/** The keys of a namespace: `encryption` seals its rows, `lookup` computes their ids. */
export interface NamespaceKeys {
  readonly ns: Buffer;
  readonly generation: number;
  readonly encryption: KeyObject;
  readonly lookup: LookupKey;
}

/** Derives the two keys of a namespace from its data key. */
export function namespaceKeys(ns: Uint8Array, generation: number, dataKey: Uint8Array): NamespaceKeys {
  return {
    ns: Buffer.from(ns),
    generation,
    encryption: createSecretKey(deriveKey(dataKey, 'encryption')),
    lookup: lookupKey(deriveKey(dataKey, 'lookup')),
  };
}

/** A row's id: an HMAC of kind, session and key, which reveals nothing without the lookup key. */
export function rowId(keys: NamespaceKeys, kind: Kind, key: string, session = ''): Buffer {
  return lookup(keys, 'row', kind, session, key);
}

/** Cached group ids: callers have few categories and use them all the time. Not in the keys, which are sent to workers. */
const groupIds = new WeakMap<NamespaceKeys, BoundedMap<string, Buffer>>();

/** A fingerprint of a text: equal texts of one caller can be recognised, and without the lookup key no guess be tested. */
export const fingerprint = (keys: NamespaceKeys, text: string): string =>
  lookup(keys, 'value', text).toString('base64url', 0, FINGERPRINT_BYTES);

/** The id shared by the rows of one category, pack, pipeline or session. */
export function groupId(
  keys: NamespaceKeys,
  what: 'category' | 'pack' | 'pipeline' | 'session',
  name: string,
): Buffer {
  const known = groupIds.get(keys) ?? new BoundedMap<string, Buffer>(MAX_GROUP_IDS);
  groupIds.set(keys, known);
  const cached = known.get(`${what} ${name}`);
  if (cached) return cached;
  const id = lookup(keys, 'group', what, name);
  known.set(`${what} ${name}`, id);
  return id;
}

/** The plaintext columns of a row; all of them are authenticated as AAD. */
export type RowHeader = Omit<Row, 'body' | 'seq'>;

/** Seals an entry's content and binds it to its row: copied into another row, it cannot be decrypted. */
export function seal(keys: NamespaceKeys, header: RowHeader, content: EntryContent): Omit<Row, 'seq'> {
  return {
    ...header,
    body: encrypt(keys.encryption, padded(JSON.stringify(content)), [associated(keys.ns, header)]),
  };
}

/** A row's decrypted content (JSON); `undefined` for a wrong key, changed bytes, or a body copied from another row. */
export function openContent(keys: NamespaceKeys, row: Row): Buffer | undefined {
  // Ids of any other length would overlap the next field in the associated data.
  if (row.id.length !== ID_BYTES || (row.group !== null && row.group.length !== ID_BYTES)) return undefined;
  const plain = decrypt(keys.encryption, row.body, [associated(keys.ns, row)]);
  return plain?.subarray(0, plain.lastIndexOf('}') + 1);
}

/** Decrypts a row; `undefined` if that fails. */
export function open(keys: NamespaceKeys, row: Row): Entry | undefined {
  const plain = openContent(keys, row);
  if (!plain) return undefined;
  const entry = JSON.parse(plain.toString('utf8')) as Entry;
  entry.id = Buffer.from(row.id.buffer, row.id.byteOffset, row.id.byteLength);
  entry.kind = row.kind;
  entry.rev = row.rev;
  entry.seq = row.seq;
  entry.createdMs = row.createdMs;
  entry.updatedMs = row.updatedMs;
  entry.expiresMs = row.expiresMs;
  return entry;
}

/** Seals bytes other than rows, such as a snapshot. The same `context` is needed to open them. */
export function sealBytes(keys: NamespaceKeys, context: string, plain: Uint8Array): Buffer {
  return encrypt(keys.encryption, plain, [bytesContext(keys, context)]);
}

export function openBytes(keys: NamespaceKeys, context: string, sealed: Uint8Array): Buffer | undefined {
  return decrypt(keys.encryption, sealed, [bytesContext(keys, context)]);
}

/** The AAD of `sealBytes`. It begins with 0, unlike that of any row. */
function bytesContext(keys: NamespaceKeys, context: string): Buffer {
  return Buffer.concat([Buffer.alloc(1), keys.ns, Buffer.from(`${keys.generation} ${context}`)]);
}

/** Pads JSON with trailing spaces, so that the size of the ciphertext does not reveal its exact length. */
function padded(json: string): Buffer {
  const length = Buffer.byteLength(json);
  const plain = Buffer.allocUnsafe(Math.ceil(length / PAD_BYTES) * PAD_BYTES);
  plain.write(json, 'utf8');
  plain.fill(SPACE, length);
  return plain;
}

// One buffer for all rows: the cipher reads it synchronously, before the next call overwrites it.
const ASSOCIATED = Buffer.alloc(256);
ASSOCIATED[0] = SCHEMA;

/** The associated data (AAD) of a row: all plaintext columns, so that none of them can be changed. */
function associated(ns: Uint8Array, header: RowHeader): Buffer {
  ASSOCIATED.set(ns, 1);
  ASSOCIATED.set(header.id, 1 + ID_BYTES);
  ASSOCIATED.set(header.group ?? NO_GROUP, 1 + 2 * ID_BYTES);
  ASSOCIATED[1 + 3 * ID_BYTES] = (header.group === null ? 0 : 1) + (header.expiresMs === null ? 0 : 2);
  let at = 2 + 3 * ID_BYTES;
  at = ASSOCIATED.writeDoubleBE(header.rev, at);
  at = ASSOCIATED.writeDoubleBE(header.createdMs, at);
  at = ASSOCIATED.writeDoubleBE(header.updatedMs, at);
  at = ASSOCIATED.writeDoubleBE(header.expiresMs ?? 0, at);
  at += ASSOCIATED.write(header.kind, at, 'utf8');
  return ASSOCIATED.subarray(0, at);
}

/** An HMAC key as the two padded blocks that precede the inner and the outer message. */
interface LookupKey {
  inner: Buffer;
  outer: Buffer;
}

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;

function lookupKey(key: Uint8Array): LookupKey {
  const block = (pad: number) => {
    const bytes = Buffer.alloc(BLOCK_BYTES, pad);
    for (const [at, byte] of key.entries()) bytes[at]! ^= byte;
    return bytes;
  };
  return { inner: block(0x36), outer: Buffer.concat([block(0x5c), Buffer.alloc(DIGEST_BYTES)]) };
}

/**
 * HMAC-SHA-256 of the parts, which are length-prefixed, so that different parts never give the same message. Written as
 * two one-shot hashes with text digests, because creating an Hmac object or a Buffer for each costs more than the hash.
 */
function lookup({ lookup: { inner, outer } }: NamespaceKeys, ...parts: string[]): Buffer {
  let text = '';
  for (const part of parts) text += `${part.length}:${part}`;
  const message = Buffer.allocUnsafe(BLOCK_BYTES + Buffer.byteLength(text));
  message.set(inner);
  message.write(text, BLOCK_BYTES);
  outer.write(hash('sha256', message, 'binary'), BLOCK_BYTES, 'latin1');
  const id = Buffer.allocUnsafe(ID_BYTES);
  id.write(hash('sha256', outer, 'binary'), 0, ID_BYTES, 'latin1');
  return id;
}
