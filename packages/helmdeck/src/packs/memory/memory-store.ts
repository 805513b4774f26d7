import { z } from 'zod';
import { definePack, type Pack, type PackContext } from '../../engine/pack/pack.ts';
import { AppError, errorEnvelope, toAppError } from '../../errors.ts';
import { rememberFact } from '../../memory/facts/remember.ts';
import type { Adviser, WriteAnswer } from '../../memory/facts/store-answer.ts';
import { asObject, FACT_POLICY, validateFact } from '../../memory/facts/validate-fact.ts';
import { mayOnlyPropose } from '../../memory/scopes.ts';
import type { MemoryAccess } from './memory-access.ts';

const MAX_FACTS = 500;

// These fields only document; `validateFact` decides, so that every surface rejects for the same reasons.
const described = (type: string, description: string) => z.unknown().optional().meta({ type, description });
const FIELDS = {
  key: described('string', 'Name of the fact, 1 to 512 bytes; slashes form a hierarchy: preferences/editor'),
  value: described('string', 'The fact itself, as text'),
  category: described('string', `Group of facts; default as it was, or ${FACT_POLICY.defaultCategory}`),
  tags: z
    .unknown()
    .optional()
    .meta({
      type: 'array',
      items: { type: 'string' },
      description: 'Up to 32 words to find it by; default as they were',
    }),
  ttl_seconds: described('integer', 'Lifetime, from one hour to one year; default as it was, or 90 days'),
  review_after_seconds: described(
    'integer',
    'When to check it again, one hour to one year; default as it was',
  ),
  if_version: described('integer', 'Store only over this version; 0 means it must be new'),
  propose: described('boolean', 'true: only suggest it; the user decides in the inbox'),
  trust: described('string', 'Lower it for text from elsewhere: tool_output_external, untrusted_document'),
};

const stored = z.object({
  status: z.literal('active'),
  key: z.string().describe('As it was stored'),
  category: z.string(),
  expires_at: z.string().describe('RFC 3339, UTC'),
  created: z.boolean().describe('false when an earlier value was replaced'),
  version: z.int(),
  updated_at: z.string(),
  similar: z
    .array(z.object({ key: z.string(), score: z.number() }))
    .optional()
    .describe('Facts under other keys that say nearly the same: perhaps update one of them instead'),
  conflicts: z
    .array(z.object({ key: z.string(), kind: z.string(), mine: z.string(), theirs: z.string() }))
    .optional()
    .describe('Facts under other keys that say otherwise: ask the user which holds'),
  echo: z.literal(true).optional().describe('This text was recalled or forgotten a moment ago'),
});

/** Says plainly that nothing was stored; a model would take the JSON of a proposal for success. */
function notStoredText(answer: Partial<WriteAnswer>): string | undefined {
  if (answer.status === 'declined')
    return 'Not stored: the user declined this text before. Do not store it in other words.';
  if (answer.status !== 'proposed' && answer.status !== 'quarantined') return undefined;
  return `Not stored yet: "${answer.key}" was proposed and waits for the user, who decides in the Helmdeck inbox (${answer.reason}). Until then it is not remembered; do not store it again.`;
}

const proposed = z
  .object({
    status: z.enum(['proposed', 'quarantined']),
    key: z.string(),
    reason: z.string(),
    proposal_id: z.string(),
    expires_at: z.string(),
  })
  .describe('Not stored: it waits in the inbox until the user decides');
const declined = z
  .object({ status: z.literal('declined') })
  .describe('Not stored: the user declined this text before');

/** `helmdeck.memory_store`: lets agents store one fact or many. */
export function memoryStorePack({ memoryOf, adviser, rules }: MemoryAccess): Pack {
  const store = async (ec: PackContext, input: unknown, advisedBy?: Adviser): Promise<WriteAnswer> => {
    const { source, trust, scopes } = ec;
    const options = { source, trust, proposeOnly: mayOnlyPropose(scopes), adviser: advisedBy };
    const { replayed: _, ...answer } = await rememberFact(
      memoryOf(ec.caller),
      validateFact(input, rules),
      options,
    );
    return answer;
  };
  return definePack({
    name: 'helmdeck.memory_store',
    version: 'v1',
    description:
      'Remember a fact for later conversations: a preference, a convention, a decision. The same key again replaces the value, keeps the earlier one as history, and keeps category, tags and lifetime unless given. Never for credentials.',
    input: z.looseObject({
      ...FIELDS,
      facts: z
        .unknown()
        .optional()
        .meta({
          type: 'array',
          items: { type: 'object' },
          description: `Instead of one fact up to ${MAX_FACTS}, each with the fields above and stored on its own`,
        }),
    }),
    output: z.union([
      stored,
      proposed,
      declined,
      z.object({ results: z.array(z.looseObject({ index: z.int() })) }),
    ]),
    scopes: ['memory:propose'],
    audit: false,
    metadata: {
      accepts: ['user_fact'],
      produces: ['store_receipt'],
      intent_keywords: [
        'remember this',
        'save this preference',
        'for next time',
        'store a fact',
        'note that',
      ],
      typical_use: 'The user states something that should hold in later conversations.',
      limitations: ['No credentials: they belong into the vault.', 'A fact lives for a year at most.'],
    },
    text: (output) => notStoredText(output as Partial<WriteAnswer>),
    async handler(ec) {
      if (ec.input.facts === undefined) return store(ec, ec.input, adviser());
      const { facts } = asObject(ec.input, ['facts']);
      if (!Array.isArray(facts) || facts.length > MAX_FACTS) {
        throw new AppError('invalid_input', `facts must be an array of at most ${MAX_FACTS}.`, {
          reason: Array.isArray(facts) ? 'too_many_facts' : 'bad_type',
        });
      }
      memoryOf(ec.caller); // with memory off, fails once instead of once per fact
      const results = await Promise.all(
        facts.map((fact: unknown, index) =>
          store(ec, fact).then(
            (answer) => ({ index, ...answer }),
            (thrown: unknown) => ({ index, ...errorEnvelope(toAppError(thrown)) }),
          ),
        ),
      );
      return { results };
    },
  });
}
