import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '../errors.ts';
import { namespaceMapKey } from '../runtime/namespace-map-key.ts';
import { rowId } from './crypto/sealed.ts';
import { isLive } from './entry.ts';
import { type MemoryParts, putOp, readEntry, transact } from './memory.ts';
import type { Caller } from './namespace.ts';

/** The token that a code will be redeemed for. */
export interface ConnectGrant {
  jti: string;
  caller: Caller & { subject: string };
  /** The token that the code was made with, by which it is refused once that one is revoked. */
  minter: { caller: Caller; jti?: string; scopes: string[]; issuedMs: number; expiresMs: number };
  scopes: string[];
  spaces?: string[];
  ttlSeconds: number;
  name?: string;
  client?: string;
}

const CODE_MS = 600_000;
/** Of one caller. */
const MAX_LIVE_CODES = 20;
const QUEUE = 'connect-codes';
/** Without letters that look like a digit, and 32 of them, so that five random bits are one character: 40 bits in all. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_CHARS = 8;

/** Makes a one-time code. It is stored as a hash, in the database, so that any node can redeem it. */
export async function addConnectCode(
  parts: MemoryParts,
  grant: ConnectGrant,
): Promise<{ code: string; expiresMs: number }> {
  const chars = Array.from(randomBytes(CODE_CHARS), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  const createdMs = parts.now();
  // The token that made it must still be valid when it is redeemed.
  const expiresMs = Math.min(createdMs + CODE_MS, grant.minter.expiresMs);
  const key = hashOf(chars);
  await transact(
    parts,
    async () => parts.directory.system,
    QUEUE,
    async (keys) => {
      const id = rowId(keys, 'connect-code', key);
      const group = rowId(
        keys,
        'connect-code',
        `of ${namespaceMapKey(parts.directory.idOf(grant.minter.caller))}`,
      );
      const before = await parts.store.scan(keys.ns, {
        kinds: ['connect-code'],
        group,
        limit: 2 * MAX_LIVE_CODES,
      });
      if (before.filter((row) => isLive(row, createdMs)).length >= MAX_LIVE_CODES)
        throw new AppError('quota_exceeded', `At most ${MAX_LIVE_CODES} codes at once.`, {
          hint: 'Wait ten minutes; unused codes end by then.',
          retryAfterSeconds: 600,
        });
      const content = { key, value: JSON.stringify(grant) };
      const times = { createdMs, updatedMs: createdMs, expiresMs };
      return {
        ops: [putOp(keys, { id, kind: 'connect-code', group, content, ...times }, undefined)],
        result: undefined,
      };
    },
  );
  return { code: `${chars.slice(0, 4)}-${chars.slice(4)}`, expiresMs };
}

/** Takes a code out of the database, so that it works once; undefined if it is wrong, used or expired. */
export function takeConnectCode(
  parts: MemoryParts,
  code: string,
): Promise<{ grant: ConnectGrant; createdMs: number } | undefined> {
  return transact(
    parts,
    async () => parts.directory.system,
    QUEUE,
    async (keys) => {
      const entry = await readEntry(parts, keys, rowId(keys, 'connect-code', hashOf(asTyped(code))));
      if (!entry) return { ops: [], result: undefined };
      return {
        // Another node that redeems it at the same time gets a conflict, and then finds nothing.
        ops: [{ type: 'delete', id: entry.id, ifRev: entry.rev }],
        result: { grant: JSON.parse(entry.value) as ConnectGrant, createdMs: entry.createdMs },
      };
    },
  );
}

const hashOf = (chars: string) => createHash('sha256').update(chars).digest('base64url');

const asTyped = (code: string) =>
  code.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
