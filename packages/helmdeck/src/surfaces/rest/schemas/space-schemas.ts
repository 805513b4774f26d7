import { z } from 'zod';
import { SPACE_ROLES } from '../../../memory/spaces/space.ts';
import { promotedFromField, proposedResponse, receiptSchema, storedFact, time } from './fact-schemas.ts';

// Schemas of spaces, grants and promotion, for the OpenAPI document and the wire tests.

const slug = z.string().regex(/^[a-z0-9-]{1,64}$/);
const role = z.enum(SPACE_ROLES).meta({ id: 'SpaceRole' });
const quotaFields = {
  quota_facts: z.int().min(1).nullable().optional().describe('null or absent: that of the configuration'),
  quota_bytes: z.int().min(1).nullable().optional(),
};

const spaceSchema = z
  .strictObject({
    id: z.string().describe('random; the receipt of an erase is made out to it'),
    slug,
    role: role.nullable().describe('yours; null: you see it as an admin'),
    created_at: time,
    usage: z.strictObject({ facts: z.int(), bytes: z.int() }),
    quota: z.strictObject({ facts: z.int().nullable(), bytes: z.int().nullable() }),
    inbox: z
      .strictObject({ proposed: z.int(), quarantined: z.int() })
      .optional()
      .describe('what waits; for its writers'),
  })
  .meta({ id: 'Space' });
export const spaceResponse = spaceSchema;
export const spacesResponse = z.strictObject({ spaces: z.array(spaceSchema) }).meta({ id: 'SpaceList' });
export const addSpaceInput = z
  .strictObject({
    slug,
    owner: z.string().optional().describe('as ?caller= names people; absent: yourself'),
    ...quotaFields,
  })
  .meta({ id: 'SpaceInput', examples: [{ slug: 'platform', owner: 'ada' }] });
export const changeSpaceInput = z
  .strictObject(quotaFields)
  .meta({ id: 'SpaceChange', examples: [{ quota_facts: 10_000 }] });
export const erasedSpaceResponse = z
  .strictObject({ slug, id: z.string(), deleted: z.int(), receipt: receiptSchema })
  .meta({ id: 'ErasedSpace' });

const grantSchema = z
  .strictObject({
    principal: z.string().describe('the name of a person, or group:<name>'),
    role,
    by: z.string().describe('who granted it'),
    at: time,
    expires_at: time.nullable(),
  })
  .meta({ id: 'SpaceGrant' });
export const grantResponse = grantSchema;
export const grantsResponse = z.strictObject({ grants: z.array(grantSchema) }).meta({ id: 'SpaceGrants' });
export const grantInput = z
  .strictObject({
    role,
    expires_at: time.nullable().optional().describe('absent or null: until it is revoked'),
  })
  .meta({ id: 'SpaceGrantInput', examples: [{ role: 'writer' }] });
export const revokedResponse = z.strictObject({ revoked: z.boolean() }).meta({ id: 'RevokedGrant' });

export const ownProposalsResponse = z
  .strictObject({
    proposals: z.array(
      z
        .strictObject({
          id: z.string(),
          key: z.string(),
          status: z.enum(['proposed', 'quarantined', 'accepted', 'rejected']),
          proposed_at: time,
          value: z.string().optional().describe('while it waits'),
          reason: z.string().optional(),
          expires_at: time.optional(),
          decided_at: time.optional(),
          decided_by: z.string().optional(),
        })
        .meta({ id: 'OwnProposal' }),
    ),
  })
  .meta({ id: 'OwnProposals' });

export const promoteInput = z
  .strictObject({ space: slug })
  .meta({ id: 'Promotion', examples: [{ space: 'platform' }] });
const promoted = { space: slug, promoted_from: promotedFromField.unwrap() };
export const promoteResponse = z
  .union([
    storedFact.extend(promoted).meta({ id: 'PromotedFact' }),
    z.strictObject({ status: z.literal('declined') }).meta({ id: 'DeclinedPromotion' }),
  ])
  .meta({ id: 'PromotionAnswer' });
export const promotionProposed = proposedResponse.extend(promoted).meta({ id: 'ProposedPromotion' });
