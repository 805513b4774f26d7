import { z } from 'zod';
import { errorCode } from './fact-schemas.ts';
import { artifactSchema, metadataSchema } from './pack-schemas.ts';

// Schemas of the pipeline routes, for the OpenAPI document and the wire tests.

const time = z.iso.datetime({ offset: true });
const anyObject = z.record(z.string(), z.unknown());

const PIPELINE_EXAMPLE = {
  name: 'Look up',
  inputs: { query: 'a few words' },
  steps: [{ id: 'find', pack: 'helmdeck.memory_recall', input: { query: '${{ inputs.query }}' } }],
};

const step = z.strictObject({
  id: z.string().describe('letters, digits, _ and -; later steps refer to it'),
  pack: z.string(),
  version: z.string().optional(),
  input: anyObject.optional().describe('may hold ${{ inputs.a.b }} and ${{ steps.<id>.output.x }}'),
});

export const pipelineInput = z
  .strictObject({
    name: z.string(),
    description: z.string().optional(),
    inputs: anyObject.optional().describe('what a run is given, by name; for people and models'),
    steps: z
      .array(step.meta({ id: 'PipelineStepInput' }))
      .min(1)
      .max(50),
    metadata: metadataSchema.optional(),
  })
  .meta({ id: 'PipelineInput', examples: [PIPELINE_EXAMPLE] });

export const pipelineSchema = pipelineInput
  .extend({
    id: z.string(),
    builtin: z.boolean(),
    version: z.int().describe('how often it was changed, and 1; earlier versions are not kept'),
    steps: z.array(step.extend({ input: anyObject }).meta({ id: 'PipelineStep' })),
    metadata: metadataSchema,
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Pipeline' });

export const runInput = z
  .strictObject({ inputs: anyObject.optional() })
  .meta({ id: 'PipelineRunInput', examples: [{ inputs: { query: 'how do releases go out?' } }] });
export const startedResponse = z
  .strictObject({
    run_id: z.string(),
    pipeline_id: z.string(),
    status: z.literal('pending'),
    coalesced: z.boolean().describe('the same run was already going on'),
  })
  .meta({ id: 'StartedRun' });

const status = z.enum(['pending', 'running', 'succeeded', 'failed', 'cancelled']).meta({ id: 'RunStatus' });
const failure = {
  error: z.string().optional(),
  error_code: errorCode.optional(),
  failure_class: z.enum(['caller_fixable', 'state_changed', 'transient', 'pack_bug']).optional(),
  failure_reason: z.string().optional(),
  failure_hint: z.string().optional().describe('what to do about it'),
};

const runStep = z
  .strictObject({
    step_id: z.string(),
    pack: z.string(),
    status,
    output: z.unknown().optional(),
    output_withheld: z.literal(true).optional().describe('holds a credential or is too large to be kept'),
    artifacts: z.array(artifactSchema).optional(),
    attempts: z.int().optional(),
    progress: z
      .array(z.strictObject({ at: time, pct: z.number(), message: z.string().optional() }))
      .optional(),
    ...failure,
    started_at: time.optional(),
    ended_at: time.optional(),
  })
  .meta({ id: 'RunStep' });

export const pipelineRunSchema = z
  .strictObject({
    id: z.string(),
    pipeline_id: z.string(),
    status,
    inputs: anyObject,
    steps: z.array(runStep),
    ...failure,
    started_at: time,
    ended_at: time.optional(),
  })
  .meta({ id: 'PipelineRun' });

export const pipelineRunsResponse = z
  .strictObject({ runs: z.array(pipelineRunSchema), next_cursor: z.string().optional() })
  .meta({ id: 'PipelineRunPage' });

const ofRun = { run_id: z.string(), at: time };
const { error_code } = failure;
export const runEvent = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('run'), status, error_code, ...ofRun }).meta({ id: 'RunStatusEvent' }),
    z
      .strictObject({ type: z.literal('step'), step_id: z.string(), status, error_code, ...ofRun })
      .meta({ id: 'StepStatusEvent' }),
    z
      .strictObject({
        type: z.literal('progress'),
        step_id: z.string(),
        pct: z.number(),
        message: z.string().optional(),
        ...ofRun,
      })
      .meta({ id: 'ProgressEvent' }),
  ])
  .meta({ id: 'RunEvent' });
