import { z } from 'zod';
import { conflictKind, factSchema, sourceSchema, time } from './fact-schemas.ts';

// Schemas of what a person reviews: disagreements, and what agents asked and are told.

export const disagreementsResponse = z
  .strictObject({
    disagreements: z.array(
      z
        .strictObject({
          id: z.string(),
          kind: conflictKind,
          found_at: time,
          facts: z
            .array(
              factSchema
                .extend({ says: z.string().describe('the word or number in which it differs') })
                .meta({ id: 'DisagreeingFact' }),
            )
            .describe('two facts, the one stored last first'),
        })
        .meta({ id: 'Disagreement' }),
    ),
  })
  .meta({ id: 'Disagreements' });

export const settledResponse = z.strictObject({ settled: z.literal(true) }).meta({ id: 'Settled' });

export const startNotesResponse = z
  .strictObject({
    text: z.string().describe('empty if the notes do not fit'),
    keys: z.array(z.string()).describe('the facts in the text'),
  })
  .meta({ id: 'StartNotes' });

export const recallsResponse = z
  .strictObject({
    recalls: z.array(
      z
        .strictObject({
          at: time,
          question: z.string().describe('empty if it looked like a credential'),
          took_ms: z.number(),
          source: sourceSchema.describe('who asked'),
          facts: z
            .array(z.strictObject({ key: z.string(), score: z.number() }).meta({ id: 'RecalledFact' }))
            .describe('the facts it was given, best first'),
          gone: z.int().describe('how many more it was given that are gone by now'),
        })
        .meta({ id: 'RecallRecord' }),
    ),
  })
  .meta({ id: 'Recalls' });
