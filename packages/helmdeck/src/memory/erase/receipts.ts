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
import { type MemoryParts, putOp, transact, walkEntries } from '../memory.ts';
import { type Caller, namespaceOf } from '../namespace.ts';
import { isoMs } from '../times.ts';

/** The signed proof of an erase, with a list of what it does not cover. */
export interface Receipt {
  receipt_id: string;
  /** SHA-256 over the receipt id and the caller: the caller can recompute it, and it does not reveal the caller. */
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
/** The fixed prefix of a PKCS #8 Ed25519 private key; the 32-byte seed follows. */
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

/** Creates and signs the receipt of an erase that has just finished. */
export function signReceipt(
  signer: ReceiptSigner,
  erased: { caller: Caller; rows: number; erasedMs: number; notCovered: readonly string[] },
): Receipt {
  const receiptId = randomUUID();
  const receipt = {
    receipt_id: receiptId,
    namespace_digest: namespaceDigest(receiptId, erased.caller),
    rows: erased.rows,
    erased_at: isoMs(erased.erasedMs),
    not_covered: [...NOT_COVERED, ...erased.notCovered],
    public_key: signer.publicKey,
  };
  return { ...receipt, signature: signer.sign(signedText(receipt)) };
}

/** Verifies a receipt offline: `undefined` if it is genuine, otherwise what is wrong with it. */
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
    return 'The signature does not match: the receipt was changed, or it was not signed with this key.';
  }
  if (trustedKeys && !trustedKeys.includes(receipt.public_key))
    return 'The receipt was signed with a key that is not one of the trusted ones.';
  if (caller && receipt.namespace_digest !== namespaceDigest(receipt.receipt_id, caller))
    return 'The receipt was issued for another caller or space.';
  return undefined;
}

/** Stores the current public key, so that receipts signed under earlier master keys can still be verified. */
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

/** The canonical text of a receipt, independent of the order of its fields. */
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
