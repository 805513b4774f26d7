import { z } from 'zod';
import { definePack, type Pack } from '../../engine/pack/pack.ts';
import { visibleText } from '../../memory/facts/hidden-characters.ts';
import { readHistory } from '../../memory/facts/read-facts.ts';
import { validKey } from '../../memory/facts/validate-fact.ts';
import { type MemoryAccess, SPACE_INPUT } from './memory-access.ts';

/** `helmdeck.memory_history`: the versions of a fact. */
export function memoryHistoryPack({ memoryIn }: MemoryAccess): Pack {
  return definePack({
    name: 'helmdeck.memory_history',
    version: 'v1',
    description:
      'Earlier versions of one remembered fact, newest first: what it said before, when and from where. To take one back, store its value again.',
    input: z.strictObject({ key: z.string().describe('Exact key of the fact'), space: SPACE_INPUT }),
    output: z.object({
      versions: z.array(
        z.object({
          version: z.int(),
          value: z.string(),
          category: z.string(),
          tags: z.array(z.string()),
          at: z.string().describe('When this value was stored'),
          source: z
            .object({ surface: z.string(), client: z.string().optional(), token_id: z.string().optional(), by: z.string().optional() })
            .describe('Where it came from'),
        }),
      ),
    }),
    scopes: ['memory:read'],
    audit: false,
    metadata: {
      accepts: ['fact_key'],
      produces: ['fact_history'],
      intent_keywords: ['what was it before', 'history of a fact', 'when did this change', 'undo a fact'],
      typical_use: 'Finding out how a fact changed, or taking back an earlier value.',
      limitations: ['At most 20 versions are kept, and only while the fact lives.'],
    },
    async handler(ec) {
      const versions = await readHistory(await memoryIn(ec, ec.input.space, 'reader'), validKey(ec.input.key));
      return { versions: versions.map((version) => ({ ...version, value: visibleText(version.value) })) };
    },
  });
}
