import type { Source } from '../entry.ts';
import type { Memory } from '../memory.ts';
import { stampOf } from '../spaces/space-memory.ts';
import { expiryMs, isoSeconds } from '../times.ts';
import { rewriteFact } from './change-facts.ts';
import { type FreshnessView, freshnessView } from './freshness.ts';
import { ttlSecondsOf } from './remember.ts';
import type { Confirmation } from './validate-fact.ts';

/** The response to a confirmation, the same on every surface. */
export interface ConfirmAnswer extends Pick<FreshnessView, 'confirmed_at' | 'review_by'> {
  key: string;
  version: number;
  expires_at: string;
}

/**
 * Says that a fact is still true, and renews it by its own TTL or the given one. `updated_at` stays: it is the time of
 * the text, and a confirmation must not make an old text look new.
 */
export async function confirmFact(
  memory: Memory,
  key: string,
  { ttlSeconds, ifVersion }: Confirmation,
  source: Source,
): Promise<ConfirmAnswer> {
  const { entry } = await rewriteFact(memory, key, ifVersion, (before, nowMs) => {
    const newTtlSeconds = ttlSeconds ?? ttlSecondsOf(before);
    return {
      content: { ttlSeconds: newTtlSeconds, confirmedAtMs: nowMs, confirmedBy: stampOf(memory, source) },
      updatedMs: before.updatedMs,
      expiresMs: expiryMs(nowMs, newTtlSeconds),
    };
  });
  const { confirmed_at, review_by } = freshnessView(memory, entry);
  return {
    key,
    version: entry.version ?? 1,
    confirmed_at,
    ...(review_by === undefined ? {} : { review_by }),
    expires_at: isoSeconds(entry.expiresMs ?? 0),
  };
}
