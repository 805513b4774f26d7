import { z } from 'zod';
import { errorSchema, FACT_EXAMPLE, factInput, projectField, time, trustSchema } from './fact-schemas.ts';

// Schemas of what comes from elsewhere and goes there: exports, imports, harvests of conversations.

export const harvestInput = z
  .strictObject({
    turns: z
      .array(
        z
          .strictObject({
            role: z.string().describe('user and assistant are read; tool, system and any other never'),
            text: z.string(),
            at: time.optional().describe('when it was said; absent: now'),
          })
          .meta({ id: 'HarvestTurn' }),
      )
      .describe('the conversation, oldest first'),
    project: z.string().min(1).max(200).optional().describe('what the conversation is about; part of keys'),
    session_id: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('the limit of proposals counts for each session'),
    dry_run: z.boolean().optional().describe('true: only say what would be proposed'),
  })
  .meta({
    id: 'HarvestInput',
    examples: [{ turns: [{ role: 'user', text: 'We decided to deploy with Kustomize.' }], project: 'shop' }],
  });

export const harvestResponse = z
  .strictObject({
    proposals: z.array(
      z
        .strictObject({
          id: z.string().optional().describe('of the proposal in the inbox; absent in a dry run'),
          key: z.string(),
          value: z.string(),
          category: z.enum(['preferences', 'decisions', 'corrections', 'facts', 'commitments']),
          quote: z.string().describe('the sentence that it was taken from'),
          rule: z.string().describe('the rule that found it'),
          confidence: z.number().min(0).max(1),
          folded: z.literal(true).optional().describe('it waited in the inbox already'),
        })
        .meta({ id: 'HarvestProposal' }),
    ),
    seen: z.int().describe('turns that were read'),
  })
  .meta({ id: 'Harvest' });

export const exportLine = z
  .strictObject({
    key: z.string(),
    value: z.string(),
    category: z.string(),
    tags: z.array(z.string()),
    project: projectField,
    created_at: time,
    expires_at: time,
    trust: trustSchema.optional().describe('absent: as the import is trusted'),
    confirmed_at: time.optional().describe('import: absent means created_at'),
    review_after_seconds: factInput.shape.review_after_seconds.describe('its own review period'),
  })
  .meta({
    id: 'ExportedFact',
    examples: [
      { ...FACT_EXAMPLE, created_at: '2026-11-16T05:00:22.746Z', expires_at: '2027-02-14T05:00:22Z' },
    ],
  });

const importLine = z
  .strictObject({
    line: z.int(),
    status: z.enum(['stored', 'proposed', 'unchanged', 'skipped', 'failed']),
    key: z.string().optional(),
    replaces: z.literal(true).optional().describe('another fact is or was under that key'),
    reason: z.string().optional(),
    error: errorSchema.optional(),
    file: z.string().optional().describe('of a folder or an archive'),
    format: z.string().optional().describe('of another program'),
    value: z.string().optional().describe('dry run of another format: the beginning of the text'),
    category: z.string().optional(),
    current: z.string().optional().describe('dry run of another format: what the fact under that key says'),
    conflicts: z
      .array(
        z
          .strictObject({ key: z.string(), mine: z.string(), theirs: z.string() })
          .meta({ id: 'ImportConflict' }),
      )
      .optional()
      .describe('dry run of another format: facts under other keys that contradict it'),
  })
  .meta({ id: 'ImportLine' });
export const importResponse = z
  .strictObject({
    dry_run: z.boolean(),
    stored: z.int(),
    replaced: z.int().describe('of those stored: how many replace another fact under the same key'),
    proposed: z.int().describe('lines that wait in the inbox'),
    unchanged: z.int(),
    skipped: z.int(),
    failed: z.int(),
    lines: z.array(importLine),
    lines_omitted: z.int().optional().describe('lines that are counted but not listed'),
  })
  .meta({ id: 'ImportReport' });
