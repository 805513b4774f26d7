import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomUUID,
  sign,
  verify,
} from 'node:crypto';
import type { Directory } from '../crypto/directory.ts';
import { rowId } from '../crypto/sealed.ts';
import { isoMs } from '../facts/remember.ts';
import { type Memory, type MemoryParts, putOp, transact, walkEntries } from '../memory.ts';
import { type Caller, namespaceOf } from '../namespace.ts';
import { destroyNamespaces } from './destroy-namespaces.ts';

/** What an erasure proves, signed, and what it cannot. */
export interface Receipt {
  receipt_id: string;
  /** SHA-256 over the receipt id and the caller: the caller can recompute it, nobody can guess from it. */
  namespace_digest: string;
  rows: number;
  erased_at: string;
  not_covered: string[];
  public_key: string;
  signature: string;
}

const NOT_COVERED = [
  'Backups and copies of the database made before the erasure.',
  "A shared database server's own logs, replicas and backups.",
  'The access audit, which records that an erasure happened.',
];
/** The fixed start of a PKCS #8 Ed25519 private key; the seed follows. */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface ReceiptSigner {
  readonly publicKey: string;
  sign(text: string): string;
}

export function createReceiptSigner(seed: Uint8Array): ReceiptSigner {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, seed]), format: 'der', type: 'pkcs8' });
  return {
    publicKey: createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64'),
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64'),
  };
}

/** Destroys everything of this caller: the only copy of its data key first, then its rows. */
export async function eraseMemory(memory: Memory, signer: ReceiptSigner): Promise<Receipt> {
  // Also when there is nothing: an erasure that could not empty the log is made good by the next one.
  const ns = memory.directory.idOf(memory.caller);
  for (const each of memory.belongings) await each.beforeErase?.(memory.caller);
  await memory.pending.drain(ns); // what is still on its way would bring the namespace back
  const rows = await destroyNamespaces(memory.store, memory.directory, memory.caller);
  const others = await eraseBelongings(memory);
  memory.changes.emit(ns, { type: 'erase', deleted: rows + others.rows, atMs: memory.now() });
  const receiptId = randomUUID();
  const receipt = {
    receipt_id: receiptId,
    namespace_digest: namespaceDigest(receiptId, memory.caller),
    rows: rows + others.rows,
    erased_at: isoMs(memory.now()),
    not_covered: [...NOT_COVERED, ...others.notCovered],
    public_key: signer.publicKey,
  };
  return { ...receipt, signature: signer.sign(signedText(receipt)) };
}

async function eraseBelongings({
  belongings,
  caller,
}: Memory): Promise<{ rows: number; notCovered: string[] }> {
  const all = { rows: 0, notCovered: [] as string[] };
  for (const each of belongings) {
    const { rows, notCovered } = (await each.erase?.(caller)) ?? { rows: 0 };
    all.rows += rows;
    if (notCovered !== undefined) all.notCovered.push(notCovered);
  }
  return all;
}

/** Checks a receipt offline; `undefined` when it is genuine, else what is wrong with it. */
export function receiptProblem(
  input: unknown,
  trustedKeys?: readonly string[],
  caller?: Caller,
): string | undefined {
  const receipt = input as Receipt;
  if (typeof receipt !== 'object' || receipt === null || typeof receipt.signature !== 'string')
    return 'This is not a receipt.';
  const { signature, ...signed } = receipt;
  const key = publicKey(receipt.public_key);
  if (!key) return 'The receipt has no readable public key.';
  if (!verify(null, Buffer.from(signedText(signed)), key, Buffer.from(signature, 'base64'))) {
    return 'The signature does not fit: the receipt was changed or was not signed by this key.';
  }
  if (trustedKeys && !trustedKeys.includes(receipt.public_key))
    return 'The receipt was signed by a key that is not one of the trusted ones.';
  if (caller && receipt.namespace_digest !== namespaceDigest(receipt.receipt_id, caller))
    return 'The receipt is about another caller.';
  return undefined;
}

/** Keeps this start's public key, so that receipts of earlier master keys can still be checked. */
export async function publishReceiptKey(parts: MemoryParts, signer: ReceiptSigner): Promise<void> {
  const { system } = parts.directory;
  await transact(
    parts,
    async () => system,
    'receipt-key',
    async (keys) => {
      const id = rowId(keys, 'receipt-key', signer.publicKey);
      if (await parts.store.get(keys.ns, id)) return { ops: [], result: undefined };
      const nowMs = parts.now();
      const times = { createdMs: nowMs, updatedMs: nowMs, expiresMs: null };
      const content = { key: signer.publicKey, value: '' };
      return {
        ops: [putOp(keys, { id, kind: 'receipt-key', group: null, content, ...times }, undefined)],
        result: undefined,
      };
    },
  );
}

export async function receiptKeys(
  parts: MemoryParts & { directory: Directory },
): Promise<{ public_key: string; since: string }[]> {
  const found = [];
  for await (const entry of walkEntries(parts, parts.directory.system, { kinds: ['receipt-key'] })) {
    found.push({ public_key: entry.key, since: isoMs(entry.createdMs) });
  }
  return found;
}

function namespaceDigest(receiptId: string, caller: Caller): string {
  return createHash('sha256').update(`${receiptId}\n`).update(namespaceOf(caller)).digest('hex');
}

/** The same text for the same receipt, whatever the order of its fields. */
function signedText(receipt: Omit<Receipt, 'signature'>): string {
  const sorted = Object.entries(receipt).sort(([a], [b]) => (a < b ? -1 : 1));
  return `helmdeck-receipt/1\n${JSON.stringify(Object.fromEntries(sorted))}`;
}

function publicKey(base64: unknown): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.from(String(base64), 'base64'), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}
