import { z } from 'zod';
import { time } from './fact-schemas.ts';

// Schemas of the counts of a memory and of its callers.

const used = z.strictObject({ used: z.int(), limit: z.int().nullable() }).meta({ id: 'QuotaUse' });
const embeddingsSchema = z
  .strictObject({
    model: z.string(),
    state: z.enum(['idle', 'working', 'backing_off']),
    indexed: z.int().describe('facts that can be found by meaning'),
    waiting: z.int().describe('facts that cannot yet'),
    problem: z.string().optional().describe('why it does not go on'),
  })
  .meta({ id: 'Embeddings' });
export const statsResponse = z
  .strictObject({
    scope: z.string(),
    counts: z.record(z.string(), z.int()),
    bytes: z.int(),
    bytes_by_kind: z.record(z.string(), z.int()),
    quota: z.strictObject({ facts: used, bytes: used }),
    unreadable_rows: z.int().nullable().describe('null: the rows were not checked'),
    oldest: time.nullable(),
    next_expiry: time.nullable(),
    embeddings: embeddingsSchema.nullable().describe('null: search by meaning is off'),
    key_id: z.string(),
    key_ephemeral: z.boolean(),
    rotation: z.strictObject({ total: z.int(), done: z.int(), unreadable: z.int(), finished: z.boolean() }),
  })
  .meta({ id: 'Stats' });

const callerCount = z
  .strictObject({
    namespace: z.string(),
    count: z.int(),
    tokens: z.int().optional().describe('admins: valid tokens minted here, without browser sessions'),
    last_call_at: time.nullable().optional().describe('admins: when one of its tokens was last used'),
    last_write_at: time.nullable().optional().describe('admins: when its newest fact was written'),
  })
  .meta({ id: 'CallerCount' });
export const callersResponse = z
  .strictObject({ callers: z.array(callerCount), next_cursor: z.string().optional() })
  .meta({ id: 'CallerPage' });
