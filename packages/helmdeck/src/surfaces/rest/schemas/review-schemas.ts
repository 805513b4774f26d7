import { z } from 'zod';
import { PROMPT_NOTES_POLICY } from '../../../recall/prompt/prompt-notes.ts';
import { conflictKind, factInput, factSchema, projectField, sourceSchema, time } from './fact-schemas.ts';

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

export const promptNotesInput = z
  .strictObject({
    prompt: z.string().describe('the prompt as the person wrote it'),
    project: factInput.shape.project.describe('facts about this project rank higher'),
    spaces: z.string().optional().describe('names of spaces and mine, separated by commas, or * for all; absent: mine'),
    session_id: z
      .string()
      .min(1)
      .max(PROMPT_NOTES_POLICY.maxSessionChars)
      .optional()
      .describe('a conversation is told each version of a fact once'),
    max_chars: z
      .int()
      .min(PROMPT_NOTES_POLICY.minChars)
      .max(PROMPT_NOTES_POLICY.maxChars)
      .optional()
      .describe(`of the text; default ${PROMPT_NOTES_POLICY.maxChars}`),
  })
  .meta({
    id: 'PromptNotesInput',
    examples: [{ prompt: 'Hi! How do we deploy, again?', session_id: '0b5c2f7e' }],
  });

export const promptNotesResponse = z
  .strictObject({
    notes: z.array(
      z
        .strictObject({
          key: z.string(),
          space: z.string().optional().describe('where it is, if not in your own memory'),
          text: z.string().describe('the value on one line, or an excerpt of a long one'),
          age: z.string().describe('how long ago it was stored or changed'),
          stale: z.literal(true).optional().describe('check before relying on it'),
          project: projectField,
        })
        .meta({ id: 'PromptNote' }),
    ),
    text: z.string().describe('the notes as a model reads them; empty if there are none'),
    receipt: z.string().describe('one line for the person; empty if there are no notes'),
    skipped: z
      .enum(['trivial', 'nothing', 'repeated'])
      .optional()
      .describe('why there are none: nothing is asked, nothing fits, or the session was told'),
  })
  .meta({ id: 'PromptNotes' });

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
