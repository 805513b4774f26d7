import { type NamespaceKeys, rowId } from '../crypto/sealed.ts';
import { isLive } from '../entry.ts';
import { type Memory, putOp } from '../memory.ts';
import type { Op } from '../store.ts';

// Texts that a person declined. Only a fingerprint is kept: an HMAC with the namespace's own key, so that without that
// key nothing can be tested against it.

const KEPT_MS = 180 * 86_400_000;
/** A shorter value, such as "yes", says something only together with its key. */
const MIN_TEXT_CHARS = 20;

interface DeclinedText {
  key: string;
  value: string;
}

/** Whether a person declined this text: the same words, whatever their case, spacing and Unicode form. */
export async function isDeclined(memory: Memory, keys: NamespaceKeys, text: DeclinedText): Promise<boolean> {
  const row = await memory.store.get(keys.ns, fingerprint(keys, text));
  return row !== undefined && isLive(row, memory.now());
}

export async function declineOp(memory: Memory, keys: NamespaceKeys, text: DeclinedText): Promise<Op> {
  const id = fingerprint(keys, text);
  const nowMs = memory.now();
  const times = { createdMs: nowMs, updatedMs: nowMs, expiresMs: nowMs + KEPT_MS };
  const before = await memory.store.get(keys.ns, id);
  const content = { key: '', value: '' };
  return putOp(keys, { id, kind: 'declined', group: null, content, ...times }, before);
}

function fingerprint(keys: NamespaceKeys, { key, value }: DeclinedText): Buffer {
  const words = value.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
  return rowId(keys, 'declined', words.length < MIN_TEXT_CHARS ? `${key}\n${words}` : words);
}
