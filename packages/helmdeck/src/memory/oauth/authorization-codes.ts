import { createHash, randomBytes } from 'node:crypto';
import { rowId } from '../crypto/sealed.ts';
import { type MemoryParts, type Plan, putOp, readEntry, transact } from '../memory.ts';
import type { Caller } from '../namespace.ts';

/** What a person approved, until the application redeems its code. */
export interface Approval {
  /** The id that the connection will have. */
  jti: string;
  caller: Caller & { subject: string };
  /** The session in which it was approved, by which it is refused once that one is revoked. */
  session: { jti?: string; scopes: string[]; issuedMs: number };
  clientId: string;
  clientName: string;
  redirectUri: string;
  redirectHost: string;
  resource: string;
  scopes: string[];
  /** The spaces that its tokens are narrowed to; absent if they are not. */
  spaces?: string[];
  /** PKCE, S256. */
  challenge: string;
}

/** What is left of a code that was redeemed: the connection that it was redeemed for. */
export interface RedeemedCode {
  redeemedFor: string;
  tenant?: string;
}

const CODE_MS = 60_000;
/** A redeemed code is remembered for so long, to notice a second attempt. */
const REDEEMED_MS = 600_000;
const QUEUE = 'oauth-codes';

/** Makes the code of an approval. It is stored as a hash, in the database, so that any node can redeem it. */
export async function addCode(parts: MemoryParts, approval: Approval): Promise<string> {
  const code = randomBytes(32).toString('base64url');
  const nowMs = parts.now();
  await transact(
    parts,
    async () => parts.directory.system,
    QUEUE,
    async (keys) => {
      const key = hashOf(code);
      const content = { key, value: JSON.stringify(approval) };
      const times = { createdMs: nowMs, updatedMs: nowMs, expiresMs: nowMs + CODE_MS };
      const id = rowId(keys, 'oauth-code', key);
      return {
        ops: [putOp(keys, { id, kind: 'oauth-code', group: null, content, ...times }, undefined)],
        result: undefined,
      };
    },
  );
  return code;
}

/**
 * Redeems a code, once: a wrong attempt uses it up as well. For a code that was redeemed before it returns the id of the
 * connection, which must then end: one of the two who redeemed it stole it.
 */
export function redeemCode(parts: MemoryParts, code: string): Promise<Approval | RedeemedCode | undefined> {
  return transact(
    parts,
    async () => parts.directory.system,
    QUEUE,
    async (keys): Promise<Plan<Approval | RedeemedCode | undefined>> => {
      const key = hashOf(code);
      const entry = await readEntry(parts, keys, rowId(keys, 'oauth-code', key));
      if (!entry) return { ops: [], result: undefined };
      const stored = JSON.parse(entry.value) as Approval | RedeemedCode;
      if ('redeemedFor' in stored) return { ops: [], result: stored };
      const nowMs = parts.now();
      const redeemed: RedeemedCode = { redeemedFor: stored.jti, tenant: stored.caller.tenant };
      const content = { key, value: JSON.stringify(redeemed) };
      const times = { createdMs: entry.createdMs, updatedMs: nowMs, expiresMs: nowMs + REDEEMED_MS };
      const { id, kind } = entry;
      return {
        // Another node that redeems it at the same time gets a conflict, and then finds it redeemed.
        ops: [putOp(keys, { id, kind, group: null, content, ...times }, entry)],
        result: stored,
      };
    },
  );
}

const hashOf = (code: string) => createHash('sha256').update(code).digest('base64url');
