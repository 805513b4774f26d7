import { z } from 'zod';
import {
  conflictingFacts,
  errorSchema,
  factInput,
  inboxCounts,
  similarFacts,
  sourceSchema,
  storedFact,
  time,
  trustSchema,
} from './fact-schemas.ts';

// Schemas of the inbox: what waits for a person, and the person's decisions.

const proposal = z
  .strictObject({
    id: z.string().describe('names this text: if the proposal changes, its id does, too'),
    status: z.enum(['proposed', 'quarantined']),
    reason: z.string().describe('lower_trust, token_policy, external_source, asked, or screen:<rule>'),
    explanation: z.string().optional().describe('what the rule of the screen means'),
    key: z.string(),
    value: z.string().describe('hidden characters are made visible'),
    category: z.string(),
    tags: z.array(z.string()),
    project: z.string().optional(),
    trust: trustSchema,
    quote: z
      .string()
      .optional()
      .describe('the sentence that it was taken from, if it comes from a document or a conversation'),
    source: sourceSchema,
    proposed_at: time,
    expires_at: time,
    current: z
      .strictObject({ value: z.string(), version: z.int(), trust: trustSchema })
      .optional()
      .describe('the fact that it would replace'),
    replaces: z.array(z.string()).optional().describe('other facts that accepting it merges into this one'),
    similar: similarFacts.optional().describe('facts that say nearly the same'),
    conflicts: conflictingFacts.optional().describe('facts that say otherwise'),
    blocked: z
      .strictObject({
        error: z.literal('secret_detected'),
        reason: z.string().optional(),
        message: z.string(),
      })
      .optional()
      .describe('why it cannot be accepted as it is; key, value, tags and quote are then withheld'),
  })
  .meta({ id: 'Proposal' });

export const inboxResponse = z
  .strictObject({
    proposals: z.array(proposal),
    counts: inboxCounts,
    next_cursor: z.string().optional(),
  })
  .meta({ id: 'Inbox' });

export const acceptInput = factInput
  .pick({ key: true, value: true, category: true, tags: true, project: true, ttl_seconds: true })
  .partial()
  .meta({ id: 'AcceptInput', examples: [{ value: 'Releases go out through Konflux.' }] });

export const acceptResponse = storedFact;

export const rejectResponse = z
  .strictObject({ id: z.string(), status: z.literal('rejected') })
  .meta({ id: 'RejectedProposal' });

export const decideInput = z
  .strictObject({
    accept: z.array(z.string()).optional(),
    reject: z.array(z.string()).optional(),
  })
  .meta({ id: 'DecideInput', examples: [{ accept: [], reject: ['pq1bvVFiJdXkJZ0uWm0JpWQ.mi4f2k9c'] }] });

export const decideResponse = z
  .strictObject({
    results: z.array(
      z.union([
        z
          .strictObject({
            id: z.string(),
            status: z.literal('accepted'),
            key: z.string(),
            version: z.int(),
          })
          .meta({ id: 'AcceptedProposal' }),
        rejectResponse,
        errorSchema.extend({ id: z.string() }).meta({ id: 'UndecidedProposal' }),
      ]),
    ),
  })
  .meta({ id: 'Decisions' });
