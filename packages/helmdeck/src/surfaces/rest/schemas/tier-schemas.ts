import { z } from 'zod';

// Schemas of the routes by tier.

export const TIERS = ['working', 'episodic', 'semantic', 'procedural'] as const;
export type Tier = (typeof TIERS)[number];

const time = z.iso.datetime({ offset: true });

const tierEntry = z
  .strictObject({
    tier: z.enum(TIERS),
    key: z.string(),
    value: z.string().describe('of a procedure: its definition as JSON'),
    version: z.int().optional(),
    created_at: time,
    updated_at: time,
    expires_at: time.optional(),
  })
  .meta({ id: 'TierEntry' });

export const tierPage = z
  .strictObject({ agent_id: z.string(), entries: z.array(tierEntry), next_cursor: z.string().optional() })
  .meta({ id: 'TierPage' });

export const tierQuery = z.object({
  tier: z.enum(TIERS).optional().describe('default: the newest of each tier that you can read'),
  query: z.string().optional().describe('a few words; none: the newest first'),
  session_id: z.string().optional().describe('of the working tier: the notes of this session'),
  limit: z.int().min(1).max(200).optional().describe('default 50'),
  cursor: z.string().optional().describe('with a tier'),
});

export const tierInput = z
  .strictObject({
    tier: z.enum(TIERS).describe('procedural is read-only: 405'),
    key: z.string(),
    value: z.string(),
    ttl_seconds: z
      .int()
      .optional()
      .describe('working: at most a day; episodic: default 30 days; at most a year'),
    session_id: z.string().optional().describe('of the working tier: the note ends with this session'),
    embedding: z
      .array(z.number())
      .max(8_192)
      .optional()
      .describe('accepted and not used: the server embeds texts itself, with one model'),
  })
  .meta({
    id: 'TierInput',
    examples: [{ tier: 'episodic', key: 'runs/42', value: 'The deploy failed: no quota.' }],
  });

export const tierStored = z
  .strictObject({
    agent_id: z.string(),
    tier: z.enum(TIERS),
    key: z.string(),
    status: z.enum(['active', 'proposed', 'quarantined', 'declined']),
    expires_at: time.optional(),
    proposal_id: z.string().optional(),
    reason: z.string().optional(),
  })
  .meta({ id: 'TierStored' });
