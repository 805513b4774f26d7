import { z } from 'zod';
import { definePack, type Pack } from '../../engine/pack/pack.ts';
import { AppError, errorEnvelope, toAppError } from '../../errors.ts';
import { asObject } from '../../memory/facts/validate-fact.ts';
import type { MemoryAccess } from './memory-access.ts';
import { FACT_INPUT, storeFact } from './memory-store.ts';

const MAX_FACTS = 500;
/** The schema of a fact without the descriptions, which a model has seen at `memory_store`. */
const { $schema: _, ...items } = z.toJSONSchema(FACT_INPUT, {
  io: 'input',
  override: ({ jsonSchema }) => delete jsonSchema.description,
});

/** `helmdeck.memory_store_many`: lets agents store many facts at once, without advice. */
export function memoryStoreManyPack(access: MemoryAccess): Pack {
  return definePack({
    name: 'helmdeck.memory_store_many',
    version: 'v1',
    description: `Save up to ${MAX_FACTS} facts at once, each on its own: one that is refused does not keep the others out. For a single fact use memory_store, which also reports similar and conflicting facts.`,
    input: z
      .looseObject({
        facts: z
          .unknown()
          .optional()
          .meta({ type: 'array', items, description: 'The facts, each as memory_store takes it' }),
      })
      .meta({ required: ['facts'], additionalProperties: false }),
    output: z.object({ results: z.array(z.looseObject({ index: z.int() })) }),
    scopes: ['memory:propose'],
    audit: false,
    metadata: {
      accepts: ['user_facts'],
      produces: ['store_receipts'],
      intent_keywords: ['store all of these', 'import facts', 'remember this list'],
      typical_use: 'Notes from elsewhere that should become facts.',
      limitations: ['It does not look for similar or conflicting facts.'],
    },
    async handler(ec) {
      const { facts } = asObject(ec.input, ['facts']);
      if (!Array.isArray(facts) || facts.length > MAX_FACTS) {
        throw new AppError('invalid_input', `facts must be an array of at most ${MAX_FACTS}.`, {
          reason: Array.isArray(facts) ? 'too_many_facts' : 'bad_type',
        });
      }
      access.memoryOf(ec.caller); // with memory off, fails once instead of once per fact
      const results = await Promise.all(
        facts.map((fact: unknown, index) =>
          storeFact(access, ec, fact).then(
            (answer) => ({ index, ...answer }),
            (thrown: unknown) => ({ index, ...errorEnvelope(toAppError(thrown)) }),
          ),
        ),
      );
      return { results };
    },
  });
}
