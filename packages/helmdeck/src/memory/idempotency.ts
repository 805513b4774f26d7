import { createHash } from 'node:crypto';
import { AppError } from '../errors.ts';
import { type NamespaceKeys, open, rowId } from './crypto/sealed.ts';
import { isLive } from './entry.ts';
import type { ValidFact } from './facts/validate-fact.ts';
import { type Memory, putOp } from './memory.ts';
import type { Op } from './store.ts';

const IDEMPOTENCY_MS = 86_400_000;

/** The answer to an earlier request with this key; otherwise what records the answer to this one. */
export async function readIdempotency<Answer>(
  memory: Memory,
  keys: NamespaceKeys,
  fact: ValidFact,
  idempotencyKey: string,
): Promise<{ answer: Answer; record?: undefined } | { answer?: undefined; record(answer: Answer): Op }> {
  const hash = createHash('sha256').update(JSON.stringify(fact)).digest('base64');
  const id = rowId(keys, 'idempotency', idempotencyKey);
  const row = await memory.store.get(keys.ns, id);
  const known = row && isLive(row, memory.now()) ? open(keys, row) : undefined;
  if (known) {
    const first = JSON.parse(known.value) as { hash: string; answer: Answer };
    if (first.hash !== hash) {
      throw new AppError('conflict', 'This Idempotency-Key was used with another body.', {
        reason: 'idempotency_key_reused',
        hint: 'Use a new Idempotency-Key for a new request.',
      });
    }
    return { answer: first.answer };
  }
  const record = (answer: Answer): Op => {
    const nowMs = memory.now();
    const content = { key: idempotencyKey, value: JSON.stringify({ hash, answer }) };
    const times = { createdMs: nowMs, updatedMs: nowMs, expiresMs: nowMs + IDEMPOTENCY_MS };
    return putOp(keys, { id, kind: 'idempotency', group: null, content, ...times }, row);
  };
  return { record };
}
