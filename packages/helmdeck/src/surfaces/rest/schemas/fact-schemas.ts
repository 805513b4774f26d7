import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../../errors.ts';
import { SCOPE_FORMS } from '../../../memory/erase/forget.ts';
import { FACT_POLICY } from '../../../memory/facts/validate-fact.ts';
import { TRUST_CLASSES } from '../../../memory/gate/trust.ts';

// Schemas of the memory routes. They document the routes and pin their responses in tests; `validateFact` decides what a
// fact may be.

export const time = z.iso.datetime({ offset: true });

export const errorCode = z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]).meta({ id: 'ErrorCode' });
export const errorSchema = z
  .strictObject({
    error: errorCode,
    message: z.string(),
    reason: z.string().optional().describe('finer code'),
    hint: z.string().optional().describe('what to do'),
    request_id: z.string().optional(),
    error_description: z.string().optional().describe('the message, for OAuth clients'),
  })
  .meta({ id: 'ErrorEnvelope' });

export const sourceSchema = z
  .strictObject({
    surface: z.string(),
    client: z.string().optional(),
    token_id: z.string().optional(),
    by: z.string().optional().describe('in a space: who wrote it; an alias once that person is erased'),
  })
  .describe('where this version came from; stamped by the server')
  .meta({ id: 'Source' });

export const promotedFromField = z
  .strictObject({ version: z.int(), at: time, by: z.string() })
  .optional()
  .describe("in a space: the version of a person's own fact that it was copied from");

export const trustSchema = z
  .enum(TRUST_CLASSES)
  .describe('how far the origin is trusted, stamped by the server')
  .meta({ id: 'Trust' });

export const FACT_EXAMPLE = {
  key: 'deploy/konflux',
  value: 'Releases go out through Konflux; nobody pushes tags by hand.',
  category: 'ops',
  tags: ['deploy'],
};

export const factInput = z
  .strictObject({
    key: z.string().describe(`1 to ${FACT_POLICY.maxKeyBytes} bytes; slashes form a hierarchy`),
    value: z.string().describe('the fact, as text'),
    category: z
      .string()
      .optional()
      .describe(`absent: as the fact has it; for a new one ${FACT_POLICY.defaultCategory}`),
    tags: z
      .array(z.string())
      .max(FACT_POLICY.maxTags)
      .optional()
      .describe('absent: as the fact has them; [] removes them'),
    project: z
      .string()
      .max(FACT_POLICY.maxProjectChars)
      .optional()
      .describe('the project that it is about; absent: as the fact has it; an empty text removes it'),
    ttl_seconds: z
      .int()
      .optional()
      .describe(
        `${FACT_POLICY.minTtlSeconds} to ${FACT_POLICY.maxTtlSeconds}; 0 means ${FACT_POLICY.defaultTtlSeconds}; absent: as the fact has it, counted from now; for a new one ${FACT_POLICY.defaultTtlSeconds}`,
      ),
    review_after_seconds: z
      .int()
      .optional()
      .describe(
        `${FACT_POLICY.minReviewSeconds} to ${FACT_POLICY.maxReviewSeconds}: due for review so long after its confirmation; 0: as configured; absent: as the fact has it`,
      ),
    if_version: z.int().min(0).optional().describe('store only over this version; 0 = must be new'),
    replaces: z
      .array(z.string())
      .max(FACT_POLICY.maxReplaced)
      .optional()
      .describe('keys of other facts that become this one in the same write, with their history'),
    propose: z.boolean().optional().describe('true: it waits in the inbox until a person decides'),
    trust: trustSchema.optional().describe('lowers the class that the server stamps; never raises it'),
  })
  .meta({ id: 'FactInput', examples: [FACT_EXAMPLE] });

export const patchInput = factInput
  .pick({ category: true, tags: true, project: true, ttl_seconds: true })
  .extend({
    ttl_seconds: factInput.shape.ttl_seconds.describe(
      `${FACT_POLICY.minTtlSeconds} to ${FACT_POLICY.maxTtlSeconds}, from now; 0 means ${FACT_POLICY.defaultTtlSeconds}; absent: the expiry stays`,
    ),
  })
  .meta({ id: 'FactPatch', examples: [{ tags: ['deploy', 'ci'], ttl_seconds: 2_592_000 }] });

export const confirmInput = z
  .strictObject({
    ttl_seconds: factInput.shape.ttl_seconds.describe(
      `lifetime from now, ${FACT_POLICY.minTtlSeconds} to ${FACT_POLICY.maxTtlSeconds}; absent: as the fact has it`,
    ),
    if_version: factInput.shape.if_version.describe('confirm only this version'),
  })
  .meta({ id: 'ConfirmInput', examples: [{}] });
export const confirmResponse = z
  .strictObject({
    key: z.string(),
    version: z.int(),
    confirmed_at: time,
    review_by: time.optional(),
    expires_at: time,
  })
  .meta({ id: 'Confirmed' });

export const conflictKind = z.enum(['number', 'date', 'polarity', 'choice']);

export const similarFacts = z.array(
  z.strictObject({ key: z.string(), score: z.number() }).meta({ id: 'SimilarFact' }),
);
export const conflictingFacts = z.array(
  z
    .strictObject({ key: z.string(), kind: conflictKind, mine: z.string(), theirs: z.string() })
    .meta({ id: 'Conflict' }),
);

export const storedFact = z
  .strictObject({
    status: z.literal('active'),
    key: z.string(),
    category: z.string(),
    expires_at: time,
    created: z.boolean(),
    version: z.int(),
    updated_at: time,
    replaced: z.array(z.string()).optional().describe('the keys that became this fact'),
    similar: similarFacts.optional().describe('facts under other keys that say nearly the same'),
    conflicts: conflictingFacts.optional().describe('facts that say otherwise'),
    echo: z.literal(true).optional().describe('this text was recalled or forgotten a moment ago'),
  })
  .meta({ id: 'StoreResult' });
const declined = z
  .strictObject({ status: z.literal('declined').describe('a person declined this text before') })
  .meta({ id: 'DeclinedStore' });
export const storeResponse = z.union([storedFact, declined]).meta({ id: 'StoreAnswer' });
export const proposedResponse = z
  .strictObject({
    status: z.enum(['proposed', 'quarantined']),
    key: z.string(),
    reason: z
      .string()
      .describe('lower_trust, token_policy, external_source, asked, space_role, or screen:<rule>'),
    proposal_id: z.string(),
    folded: z.literal(true).optional().describe('a proposal with this text or a similar one waits already'),
    expires_at: time.describe('when it ends if it is not decided'),
  })
  .meta({ id: 'ProposedStore' });

export const batchInput = z
  .strictObject({ facts: z.array(factInput).max(500) })
  .meta({ id: 'BatchInput', examples: [{ facts: [FACT_EXAMPLE] }] });
export const batchResponse = z
  .strictObject({
    results: z.array(
      z.union([
        storedFact.extend({ index: z.int() }).meta({ id: 'BatchStored' }),
        proposedResponse.extend({ index: z.int() }).meta({ id: 'BatchProposed' }),
        declined.extend({ index: z.int() }).meta({ id: 'BatchDeclined' }),
        errorSchema.extend({ index: z.int() }).meta({ id: 'BatchError' }),
      ]),
    ),
  })
  .meta({ id: 'BatchResult' });

const filedFact = z
  .strictObject({
    key: z.string(),
    category: z.string(),
    tags: z.array(z.string()).max(FACT_POLICY.maxTags),
    expires_at: time,
    after: z
      .strictObject({ updated_at: time, expires_at: time })
      .describe('how the change left it: a fact that was written since is not restored'),
  })
  .meta({ id: 'FiledFact' });

export const bulkInput = z
  .strictObject({
    keys: z.array(z.string()).min(1).max(500).optional().describe('needed unless there is restore'),
    restore: z
      .array(filedFact)
      .min(1)
      .max(500)
      .optional()
      .describe('the before of an earlier answer, to undo that change; alone'),
    category: factInput.shape.category.describe('absent: as each fact has it'),
    ttl_seconds: patchInput.shape.ttl_seconds,
    add_tags: z.array(z.string()).max(FACT_POLICY.maxTags).optional(),
    remove_tags: z.array(z.string()).max(FACT_POLICY.maxTags).optional(),
    forget: z.boolean().optional().describe('true: forget these facts, with their history'),
    confirm: z.boolean().optional().describe('needed to forget more than 20'),
  })
  .meta({ id: 'BulkInput', examples: [{ keys: ['deploy/konflux'], add_tags: ['ci'] }] });
export const bulkResponse = z
  .strictObject({
    changed: z.int(),
    before: z
      .array(filedFact)
      .optional()
      .describe('the changed facts as they were; absent if they were forgotten'),
    failed: z.array(errorSchema.extend({ index: z.int().describe('of the key') }).meta({ id: 'BulkError' })),
  })
  .meta({ id: 'BulkResult' });

/** When a fact was last confirmed, on every view of it. */
export const freshnessFields = {
  confirmed_at: time.describe('last stored or confirmed'),
  review_by: time.optional().describe('from then on it should be confirmed; absent: never'),
  stale: z.literal(true).optional().describe('review_by has passed: check before relying on it'),
};

/** On every view of a fact. */
export const projectField = z.string().optional().describe('absent: about no project in particular');

export const factSchema = z
  .strictObject({
    key: z.string(),
    value: z.string(),
    category: z.string(),
    tags: z.array(z.string()),
    project: projectField,
    version: z.int(),
    created_at: time,
    updated_at: time,
    expires_at: time,
    source: sourceSchema,
    trust: trustSchema,
    ...freshnessFields,
    promoted_from: promotedFromField,
    confirmed_by: sourceSchema.optional().describe('absent: by the store of its value'),
    recalled_count: z.int().describe('how often a search, a recall or notes handed it out'),
    last_recalled_at: time.optional().describe('absent: never'),
  })
  .meta({ id: 'Fact' });

/** The parameters that `factFilter` reads. */
export const factFilterQuery = z.object({
  prefix: z.string().optional().describe('keys that begin with this, literally'),
  category: z.string().optional(),
  tag: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('repeated: facts that have all of them'),
  project: z.string().optional().describe('facts about this project'),
  source: z.string().optional().describe('a client or a surface'),
  expiring_within: z.int().optional().describe('seconds'),
  due: z.enum(['0', '1']).optional().describe('1: only facts that are stale or expire within a week'),
  updated_since: time.optional().describe('changed then or later'),
});

export const factPage = z
  .strictObject({ facts: z.array(factSchema), next_cursor: z.string().optional() })
  .meta({ id: 'FactPage' });

export const historyResponse = z
  .strictObject({
    versions: z.array(
      z
        .strictObject({
          version: z.int(),
          value: z.string(),
          category: z.string(),
          tags: z.array(z.string()),
          project: projectField,
          at: time,
          source: sourceSchema,
          trust: trustSchema,
          promoted_from: promotedFromField,
        })
        .meta({ id: 'FactVersion' }),
    ),
  })
  .meta({ id: 'FactHistory' });

export const deletedResponse = z.strictObject({ deleted: z.int() }).meta({ id: 'Deleted' });

export const receiptSchema = z
  .strictObject({
    receipt_id: z.uuid(),
    namespace_digest: z.string(),
    rows: z.int(),
    erased_at: time,
    not_covered: z.array(z.string()),
    public_key: z.string(),
    signature: z.string(),
  })
  .meta({ id: 'Receipt' });

export const forgetInput = z
  .strictObject({
    scope: z.string().describe(`one of ${SCOPE_FORMS.join(', ')}`),
    confirm: z.boolean().optional(),
    caller: z.string().optional().describe('admins: whose memory'),
  })
  .meta({ id: 'ForgetInput', examples: [{ scope: 'key:deploy/konflux' }] });
export const forgetResponse = z
  .strictObject({ scope: z.string(), deleted: z.int(), receipt: receiptSchema.optional() })
  .meta({ id: 'ForgetResult' });

const named = z.array(z.strictObject({ name: z.string(), count: z.int() }).meta({ id: 'NamedCount' }));
export const facetsResponse = z
  .strictObject({
    total: z.int().describe('facts that match the whole filter'),
    categories: named,
    tags: named,
    projects: named,
    sources: named,
    prefixes: named,
  })
  .meta({ id: 'Facets' });

export const inboxCounts = z
  .strictObject({ proposed: z.int(), quarantined: z.int() })
  .meta({ id: 'InboxCounts' });

const categoryOverview = z
  .strictObject({ name: z.string(), count: z.int(), recent_keys: z.array(z.string()).max(5) })
  .meta({ id: 'CategoryOverview' });
export const myMemoryResponse = z
  .strictObject({
    scope: z.string(),
    fetched_at: time,
    categories: z.array(categoryOverview),
    inbox: inboxCounts.optional().describe('absent: nothing waits for a person'),
    note: z.string().optional(),
  })
  .meta({ id: 'MemoryOverview' });

const contextEntry = z
  .strictObject({
    key: z.string(),
    category: z.string(),
    tags: z.array(z.string()),
    fingerprint: z.string(),
    created_at: time,
    updated_at: time,
    ...freshnessFields,
    confirmed_at: freshnessFields.confirmed_at.optional().describe('facts only'),
  })
  .meta({ id: 'ContextEntry' });
export const contextResponse = z
  .strictObject({
    namespace: z.string(),
    entries: z.record(z.string(), z.array(contextEntry)),
    inbox: inboxCounts.optional().describe('absent: nothing waits for a person'),
  })
  .meta({ id: 'MemoryContext' });

export const changeEvent = z
  .strictObject({
    type: z.enum(['store', 'forget', 'expire', 'erase', 'run', 'recall', 'proposal']),
    kind: z.string().optional(),
    key: z.string().optional(),
    scope: z.string().optional(),
    version: z.int().optional(),
    deleted: z.int().optional(),
    at: time,
  })
  .meta({ id: 'ChangeEvent' });
