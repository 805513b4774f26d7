import { z } from 'zod';
import { definePack, type Pack } from '../../engine/pack/pack.ts';
import { forgetOnRequest } from '../../memory/erase/forget-request.ts';
import { type MemoryAccess, SPACE_INPUT } from './memory-access.ts';

/** `helmdeck.memory_forget`: lets agents forget facts and more. */
export function memoryForgetPack({ memoryIn, ledger }: MemoryAccess): Pack {
  return definePack({
    name: 'helmdeck.memory_forget',
    version: 'v1',
    description:
      'Forget (delete) remembered facts for good when the user asks: one by its key, or a category, tag, prefix, or all. To change a fact, store it again under its key instead.',
    input: z
      .strictObject({
        scope: z
          .unknown()
          .optional() // the scope parser reports it missing and lists the valid scopes
          .meta({
            type: 'string',
            description:
              'key:<key> for one fact; category:<c>, tag:<t>, prefix:<p> for groups; facts for all facts. Also all, erase; packs, pipelines, pack:<id>, pipeline:<id> (run records); cache, cache:<pack>',
          }),
        space: SPACE_INPUT,
        confirm: z.boolean().optional().describe('true: the user was asked and agreed to forget this much'),
      })
      .meta({ required: ['scope'] }),
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
    handler: async (ec) => forgetOnRequest(ledger(), await memoryIn(ec, ec.input.space, 'writer'), ec.input.scope, ec.caller),
  });
}
