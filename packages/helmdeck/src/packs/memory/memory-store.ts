import { z } from 'zod';
import { definePack, type Pack, type PackContext } from '../../engine/pack/pack.ts';
import { AppError } from '../../errors.ts';
import { rememberFact } from '../../memory/facts/remember.ts';
import type { Adviser, WriteAnswer } from '../../memory/facts/store-answer.ts';
import { validateFact } from '../../memory/facts/validate-fact.ts';
import { mayOnlyPropose } from '../../memory/scopes.ts';
import { type MemoryAccess, SPACE_INPUT } from './memory-access.ts';

// These fields only document; `validateFact` decides, so that every surface rejects for the same reasons.
const described = (type: string, description: string) => z.unknown().optional().meta({ type, description });
const listed = (description: string) =>
  z
    .unknown()
    .optional()
    .meta({ type: 'array', items: { type: 'string' }, description });
const FIELDS = {
  key: described(
    'string',
    'Path from general to particular, lower case: preferences/editor, project/helmdeck/deploy, people/anna. Reuse the key that memory_recall returned',
  ),
  value: described('string', 'The fact as a full sentence that is clear without this conversation'),
  category: described(
    'string',
    'preferences, conventions or profile: told at the start of every conversation. Else leave out',
  ),
  tags: listed('Up to 32 words to find it by; default as they were'),
  project: described('string', 'The project it is about, if it is about one; default as it was'),
  space: described('string', SPACE_INPUT.description!),
  replaces: listed('Keys of facts that this one renames or merges: they go, their history stays with it'),
  ttl_seconds: described('integer', 'Lifetime, one hour to one year; default as it was, or 90 days'),
  review_after_seconds: described('integer', 'When to check it again; default as it was'),
  if_version: described('integer', 'Only over this version; 0: must be new'),
  propose: described('boolean', 'true: only suggest it; the user decides in the inbox'),
  trust: described('string', 'Lower it for text from elsewhere: tool_output_external, untrusted_document'),
};
/** `required` for models; `validateFact` reports what is missing in words that help more than those of a schema. */
export const FACT_INPUT = z
  .looseObject(FIELDS)
  .meta({ required: ['key', 'value'], additionalProperties: false });

const stored = z.object({
  status: z.literal('active'),
  key: z.string().describe('As it was stored'),
  category: z.string(),
  expires_at: z.string().describe('RFC 3339, UTC'),
  created: z.boolean().describe('false when an earlier value was replaced'),
  version: z.int(),
  updated_at: z.string(),
  replaced: z.array(z.string()).optional().describe('Keys that became this fact'),
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

/** Stores one fact with the trust and the scopes of a run. */
export async function storeFact(
  { memoryIn, rules }: Pick<MemoryAccess, 'memoryIn' | 'rules'>,
  ec: PackContext,
  input: unknown,
  adviser?: Adviser,
): Promise<WriteAnswer> {
  const { source, trust, scopes } = ec;
  const options = { source, trust, proposeOnly: mayOnlyPropose(scopes), adviser };
  const { space, ...fact } = (input ?? {}) as Record<string, unknown>;
  const memory = await memoryIn(ec, spaceIn(space), 'proposer');
  const { replayed: _, ...answer } = await rememberFact(memory, validateFact(fact, rules), options);
  return answer;
}

function spaceIn(input: unknown): string | undefined {
  if (input === undefined || input === null) return undefined;
  if (typeof input === 'string') return input;
  throw new AppError('invalid_input', 'space must be the name of a space.', { reason: 'bad_type' });
}

/** `helmdeck.memory_store`: lets agents store a fact. */
export function memoryStorePack(access: MemoryAccess): Pack {
  return definePack({
    name: 'helmdeck.memory_store',
    version: 'v1',
    description:
      'Save (remember, note) one lasting fact about the user or their projects for later conversations: a preference, convention, decision, person. Recall first, and reuse the key to change a fact. Not for small talk, what is true only now, or credentials (refused). If the answer lists similar or conflicts, ask the user which holds and store that once, the other keys in replaces.',
    input: FACT_INPUT,
    output: z.union([stored, proposed, declined]),
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
      limitations: ['No credentials: they belong in the vault.', 'A fact lives for a year at most.'],
    },
    text: (output) => notStoredText(output as Partial<WriteAnswer>),
    handler: (ec) => storeFact(access, ec, ec.input, access.adviser()),
  });
}
