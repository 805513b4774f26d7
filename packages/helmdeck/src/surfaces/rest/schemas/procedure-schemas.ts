import { z } from 'zod';
import { pipelineInput } from './pipeline-schemas.ts';

// Schemas of the routes that make pipelines from runs.

const EXAMPLE_RUN = 'pack_history/github.get_issue/01790000000000000000';
const name = z.string().optional().describe('of the pipeline; default: from its packs');

const candidateSchema = z
  .strictObject({
    id: z.string(),
    steps: z.array(z.string()).describe('the packs, in order'),
    count: z.int().describe('how often the sequence ran'),
    of: z.int().describe('how often its first pack ran'),
    last_unix: z.int(),
    example_runs: z.array(z.array(z.string())).describe('keys of run records, the latest time first'),
    draft: pipelineInput.describe('the pipeline that promoting it makes'),
  })
  .meta({ id: 'ProcedureCandidate' });

export const candidatesResponse = z
  .strictObject({ candidates: z.array(candidateSchema) })
  .meta({ id: 'ProcedureCandidates' });

export const promoteInput = z.strictObject({ name }).meta({ id: 'PromoteInput', examples: [{}] });

export const dismissedResponse = z.strictObject({ dismissed: z.string() }).meta({ id: 'DismissedCandidate' });

export const fromRunsInput = z
  .strictObject({
    runs: z
      .array(z.string())
      .min(2)
      .max(20)
      .describe('keys of run records; the steps are in the order they ran'),
    name,
  })
  .meta({
    id: 'FromRunsInput',
    examples: [{ runs: [EXAMPLE_RUN, 'pack_history/artifact.put/01790000000000000001'] }],
  });
