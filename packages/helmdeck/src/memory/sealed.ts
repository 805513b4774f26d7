import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Entry, EntryContent, Kind } from './entry.ts';
import { decrypt, deriveKey, encrypt } from './keyring.ts';
import type { Row } from './store.ts';

const SCHEMA = 1;
const ID_BYTES = 16;
const PAD_BYTES = 64;
const NO_GROUP = Buffer.alloc(ID_BYTES);
const SPACE = 0x20;
const MAX_KNOWN_GROUPS = 64;

/** Everything a namespace needs to find and open its rows. */
export interface NamespaceKeys {
  readonly ns: Buffer;
  readonly generation: number;
  readonly encryption: KeyObject;
  readonly lookup: KeyObject;
  /** Groups that were asked for before: callers have few categories and use them all the time. */
  readonly groups: Map<string, Buffer>;
}

/** The two keys of a namespace, from its data key. */
export function namespaceKeys(ns: Uint8Array, generation: number, dataKey: Uint8Array): NamespaceKeys {
  return {
    ns: Buffer.from(ns),
    generation,
    encryption: createSecretKey(deriveKey(dataKey, 'encryption')),
    lookup: createSecretKey(deriveKey(dataKey, 'lookup')),
    groups: new Map(),
  };
}

/** A row's id: the same for the same kind, session and key, and meaningless without the lookup key. */
export function rowId(keys: NamespaceKeys, kind: Kind, key: string, session = ''): Buffer {
  return lookup(keys, 'row', kind, session, key);
}

/** The id that rows of one category, pack or session share. */
export function groupId(
  keys: NamespaceKeys,
  what: 'category' | 'pack' | 'pipeline' | 'session',
  name: string,
): Buffer {
  const known = keys.groups.get(`${what} ${name}`);
  if (known) return known;
  const id = lookup(keys, 'group', what, name);
  if (keys.groups.size >= MAX_KNOWN_GROUPS) keys.groups.clear();
  keys.groups.set(`${what} ${name}`, id);
  return id;
}

/** The clear columns of a row that is about to be sealed. */
export type RowHead = Omit<Row, 'body' | 'seq'>;

/** Seals an entry's content under the row it will sit in: moved anywhere else it no longer opens. */
export function seal(keys: NamespaceKeys, head: RowHead, content: EntryContent): Omit<Row, 'seq'> {
  return {
    ...head,
    body: encrypt(keys.encryption, padded(JSON.stringify(content)), [associated(keys.ns, head)]),
  };
}

/** Opens a row, or says `undefined`: wrong key, changed bytes, or a body that belongs to another row. */
export function open(keys: NamespaceKeys, row: Row): Entry | undefined {
  // Ids of another length would overlap their neighbours in the associated data.
  if (row.id.length !== ID_BYTES || (row.group !== null && row.group.length !== ID_BYTES)) return undefined;
  const plain = decrypt(keys.encryption, row.body, [associated(keys.ns, row)]);
  if (!plain) return undefined;
  const content = JSON.parse(plain.toString('utf8')) as EntryContent;
  return {
    ...content,
    id: Buffer.from(row.id.buffer, row.id.byteOffset, row.id.byteLength),
    kind: row.kind,
    rev: row.rev,
    seq: row.seq,
    createdMs: row.createdMs,
    updatedMs: row.updatedMs,
    expiresMs: row.expiresMs,
  };
}

/** JSON ends where white space begins, so spaces pad it and need no removing. */
function padded(json: string): Buffer {
  const length = Buffer.byteLength(json);
  const plain = Buffer.allocUnsafe(Math.ceil(length / PAD_BYTES) * PAD_BYTES);
  plain.write(json, 'utf8');
  plain.fill(SPACE, length);
  return plain;
}

function associated(ns: Uint8Array, head: RowHead): Buffer {
  const kind = Buffer.from(head.kind);
  const bytes = Buffer.alloc(1 + 3 * ID_BYTES + 2 + 5 * 8 + kind.length);
  let at = bytes.writeUInt8(SCHEMA, 0);
  for (const part of [ns, head.id, head.group ?? NO_GROUP]) {
    bytes.set(part, at);
    at += ID_BYTES;
  }
  at = bytes.writeUInt8(head.group === null ? 0 : 1, at);
  at = bytes.writeUInt8(head.expiresMs === null ? 0 : 1, at);
  for (const number of [head.rev, head.createdMs, head.updatedMs, head.expiresMs ?? 0, kind.length]) {
    at = bytes.writeDoubleBE(number, at);
  }
  bytes.set(kind, at);
  return bytes;
}

/** Parts are length-prefixed, so no choice of names makes two of them meet. */
function lookup(keys: NamespaceKeys, ...parts: string[]): Buffer {
  const hmac = createHmac('sha256', keys.lookup);
  let text = '';
  for (const part of parts) text += `${part.length}:${part}`;
  return hmac.update(text).digest().subarray(0, ID_BYTES);
}
