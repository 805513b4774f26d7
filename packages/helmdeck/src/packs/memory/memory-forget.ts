import { z } from 'zod';
import { definePack, type Pack } from '../../engine/pack/pack.ts';
import { SCOPE_FORMS } from '../../memory/erase/forget.ts';
import { forgetOnRequest } from '../../memory/erase/forget-request.ts';
import type { MemoryAccess } from './memory-access.ts';

/** `helmdeck.memory_forget`: lets agents forget facts and more. */
export function memoryForgetPack({ memoryOf, ledger }: MemoryAccess): Pack {
  return definePack({
    name: 'helmdeck.memory_forget',
    version: 'v1',
    description:
      'Forget what a scope names, for good: one fact, a group of facts, run records, cached results, or everything.',
    input: z.strictObject({
      scope: z
        .unknown()
        .optional() // required: the scope parser reports it missing and lists the valid scopes
        .meta({ type: 'string', description: `What to forget: one of ${SCOPE_FORMS.join(', ')}` }),
      confirm: z.boolean().optional().describe('Says that the user agreed to forget this much'),
    }),
    output: z.object({
      scope: z.string(),
      deleted: z.int().describe('How many entries went'),
      receipt: z
        .object({
          receipt_id: z.string(),
          namespace_digest: z.string(),
          rows: z.int(),
          erased_at: z.string(),
          not_covered: z.array(z.string()),
          public_key: z.string(),
          signature: z.string(),
        })
        .optional()
        .describe('Signed proof of an erasure'),
    }),
    scopes: ['memory:write'],
    audit: false,
    metadata: {
      accepts: ['forget_scope'],
      produces: ['forget_receipt'],
      intent_keywords: ['forget this', 'delete what you know', 'erase my memory', 'clear the cache'],
      typical_use: 'The user asks to remove something that was remembered.',
      limitations: ['What is forgotten cannot be brought back.'],
    },
    handler: async (ec) => forgetOnRequest(ledger(), memoryOf(ec.caller), ec.input.scope, ec.caller),
  });
}
