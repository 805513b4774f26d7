import { z } from 'zod';
import { definePack, type Pack } from '../../engine/pack/pack.ts';
import { confirmFact } from '../../memory/facts/confirm-fact.ts';
import { validateConfirmation, validKey } from '../../memory/facts/validate-fact.ts';
import { type MemoryAccess, SPACE_INPUT } from './memory-access.ts';

/** `helmdeck.memory_confirm`: lets agents say that a fact is still true. */
export function memoryConfirmPack({ memoryIn }: MemoryAccess): Pack {
  return definePack({
    name: 'helmdeck.memory_confirm',
    version: 'v1',
    description:
      'Confirm (keep, renew) a remembered fact that is still true: the user said so, or you checked it. For what recall marks as unconfirmed. The value stays; its lifetime starts again.',
    input: z.strictObject({
      key: z.string().describe('Exact key of the fact'),
      space: SPACE_INPUT,
      ttl_seconds: z
        .unknown()
        .optional()
        .meta({ type: 'integer', description: 'New lifetime, from one hour to one year; default as it was' }),
    }),
    output: z.object({
      key: z.string(),
      version: z.int(),
      confirmed_at: z.string(),
      review_by: z.string().optional().describe('Due for review then'),
      expires_at: z.string(),
    }),
    scopes: ['memory:write'],
    audit: false,
    metadata: {
      accepts: ['fact_key'],
      produces: ['confirmation'],
      intent_keywords: ['that is still true', 'still correct', 'confirm a fact', 'yes, that still holds'],
      typical_use: 'A recalled fact was marked as unconfirmed, and the user says that it still holds.',
      limitations: ['It changes no value: a fact that is no longer true is stored again or forgotten.'],
    },
    async handler(ec) {
      const { key, ttl_seconds } = ec.input;
      const confirmation = validateConfirmation({ ttl_seconds });
      return confirmFact(await memoryIn(ec, ec.input.space, 'writer'), validKey(key), confirmation, ec.source);
    },
  });
}
