import { AppError } from '../../errors.ts';
import type { Promotion, Source } from '../entry.ts';
import { rememberFact, ttlSecondsOf } from '../facts/remember.ts';
import type { Adviser, WriteAnswer } from '../facts/store-answer.ts';
import { type FactRules, validateFact } from '../facts/validate-fact.ts';
import { trustOf } from '../gate/trust.ts';
import { findEntry, type Memory } from '../memory.ts';

export interface PromotionOptions {
  source: Source;
  rules: FactRules;
  proposeOnly: boolean;
  adviser?: Adviser;
}

/**
 * Copies one's own fact into a space, under the same key. It is trusted there no more than it was here, and screened and
 * checked again; a proposer's copy waits in the space's inbox.
 */
export async function promoteFact(
  own: Memory,
  space: Memory,
  key: string,
  { rules, ...options }: PromotionOptions,
): Promise<WriteAnswer & { promotedFrom: Promotion }> {
  const fact = await findEntry(own, 'fact', key);
  if (!fact) throw new AppError('not_found', 'There is no such fact.');
  const { value, category, tags, project, reviewAfterSeconds, version = 1 } = fact;
  const copied = validateFact(
    {
      key,
      value,
      category,
      tags,
      project,
      ttl_seconds: ttlSecondsOf(fact),
      review_after_seconds: reviewAfterSeconds,
    },
    rules,
  );
  const promotedFrom = { version, atMs: space.now(), by: space.seat!.by! };
  const { replayed: _, ...answer } = await rememberFact(space, copied, {
    ...options,
    trust: trustOf(fact),
    promotedFrom,
  });
  return { ...answer, promotedFrom };
}
