import { z } from 'zod';
import { errorSchema } from './fact-schemas.ts';

// Schemas of the pack, job, session and run history routes, for the OpenAPI document and the wire tests.

const time = z.iso.datetime({ offset: true });
const words = z.array(z.string()).optional();

export const metadataSchema = z
  .strictObject({
    accepts: words,
    produces: words,
    intent_keywords: words,
    typical_use: z.string().optional(),
    limitations: words,
    supersedes: words,
  })
  .meta({ id: 'Metadata' });

const jsonSchema = z.record(z.string(), z.unknown()).meta({ id: 'JsonSchema' });

export const packSchema = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    versions: z.array(z.string()),
    latest: z.string(),
    version: z.string().describe('the one described here'),
    metadata: metadataSchema,
    input_schema: jsonSchema,
    output_schema: jsonSchema,
    async: z.boolean().describe('runs as a job'),
    scopes: z.array(z.string()).describe('what it needs besides packs:run'),
    allowed: z.boolean().describe('whether your token may run it'),
  })
  .meta({ id: 'Pack' });

export const packInput = z
  .looseObject({ _session_id: z.string().optional().describe('run inside this session') })
  .describe("the pack's own input")
  .meta({ id: 'PackInput', examples: [{ query: 'how do releases go out?' }] });

export const artifactSchema = z
  .strictObject({
    artifact_key: z.string(),
    filename: z.string(),
    content_type: z.string(),
    kind: z.string().optional(),
    size: z.int(),
    created_at: time,
    expires_at: time,
  })
  .meta({ id: 'Artifact' });

export const runResponse = z
  .strictObject({
    pack: z.string(),
    version: z.string(),
    output: z.unknown(),
    artifacts: z.array(artifactSchema).optional(),
    duration_ms: z.number(),
    session_id: z.string().optional(),
    cache: z
      .strictObject({ status: z.enum(['hit', 'miss', 'stale', 'bypass']), age_s: z.number() })
      .optional(),
  })
  .meta({ id: 'PackResult' });

export const jobSchema = z
  .strictObject({
    job_id: z.string(),
    pack: z.string(),
    version: z.string(),
    status: z.enum(['running', 'succeeded', 'failed', 'cancelled']),
    progress: z.strictObject({ percent: z.number(), message: z.string().optional() }).optional(),
    result: runResponse.optional(),
    error: errorSchema.optional(),
    created_at: time,
    ended_at: time.optional(),
  })
  .meta({ id: 'Job' });

export const jobsResponse = z.strictObject({ jobs: z.array(jobSchema) }).meta({ id: 'JobList' });

export const sessionInput = z
  .strictObject({
    ttl_seconds: z.int().min(60).max(86_400).optional().describe('unused for so long, it ends; default 3600'),
  })
  .meta({ id: 'PackSessionInput', examples: [{ ttl_seconds: 3600 }] });
export const packSessionSchema = z
  .strictObject({ session_id: z.string(), created_at: time, expires_at: time })
  .meta({ id: 'PackSession' });
export const packSessionsResponse = z
  .strictObject({ sessions: z.array(packSessionSchema) })
  .meta({ id: 'PackSessionList' });

const evidence = z
  .strictObject({ count: z.int(), of: z.int(), last_unix: z.int() })
  .describe('how often a learned value was used')
  .meta({ id: 'Evidence' });
const learned = {
  last_used_unix: z.int(),
  common_inputs: z.record(z.string(), z.string()).optional(),
  evidence: z.record(z.string(), evidence).optional(),
};
const learnedPack = z
  .strictObject({ id: z.string(), calls: z.int(), ...learned })
  .meta({ id: 'LearnedPack' });
const learnedPipeline = z
  .strictObject({ id: z.string(), runs: z.int(), ...learned })
  .meta({ id: 'LearnedPipeline' });
const commonFinding = z
  .strictObject({
    code: z.string(),
    occurrence_count: z.int(),
    pack: z.string(),
    severity: z.string().optional(),
    last_seen_unix: z.int(),
  })
  .meta({ id: 'CommonFinding' });
const recentRun = z
  .strictObject({
    kind: z.enum(['pack', 'pipeline']),
    key: z.string(),
    id: z.string(),
    outcome: z.string(),
    at_unix: z.int(),
    duration_ms: z.int().optional(),
    learn_inputs: z.record(z.string(), z.string()).optional(),
    cached: z.literal(true).optional(),
  })
  .meta({ id: 'RecentRun' });

export const defaultsResponse = z
  .strictObject({
    scope: z.string(),
    fetched_at: time,
    packs: z.array(learnedPack).max(12),
    pipelines: z.array(learnedPipeline).max(12),
    common_findings: z.array(commonFinding).max(20),
    recent: z.array(recentRun).max(200),
    note: z.string().optional(),
  })
  .meta({ id: 'Defaults' });

export const runRecordsResponse = z
  .strictObject({
    runs: z.array(
      z
        .strictObject({
          ...recentRun.shape,
          version: z.string().optional(),
          run_id: z.string().optional().describe('of a pipeline: its run, kept for 30 days'),
          findings: z
            .array(
              z.strictObject({
                code: z.string(),
                severity: z.string().optional(),
                file: z.string().optional(),
              }),
            )
            .optional(),
          error: z.strictObject({ message: z.string(), hint: z.string() }).optional(),
        })
        .meta({ id: 'RecordedRun' }),
    ),
    next_cursor: z.string().optional(),
  })
  .meta({ id: 'RecordedRunPage' });

const runCounts = {
  runs: z.int(),
  cached: z.int(),
  outcomes: z.record(z.string(), z.int()),
};
const activityPart = z
  .strictObject({
    kind: z.enum(['pack', 'pipeline']),
    id: z.string(),
    ...runCounts,
    findings: z
      .array(z.strictObject({ code: z.string(), severity: z.string().optional(), count: z.int() }))
      .optional(),
  })
  .meta({ id: 'ActivityPart' });
const activityBucket = z
  .strictObject({
    at: time,
    ...runCounts,
    by_id: z.array(activityPart).describe('the same runs by pack and pipeline, most runs first'),
  })
  .describe('runs within one hour or day, in UTC')
  .meta({ id: 'ActivityBucket' });
export const activityResponse = z
  .strictObject({ scope: z.string(), bucket: z.enum(['hour', 'day']), buckets: z.array(activityBucket) })
  .meta({ id: 'Activity' });

const anyObject = z.record(z.string(), z.unknown());
const guidedPipeline = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    inputs: anyObject,
    metadata: metadataSchema,
  })
  .meta({ id: 'GuidedPipeline' });
const guidedPack = z
  .strictObject({
    id: z.string(),
    description: z.string(),
    input_schema: anyObject,
    metadata: metadataSchema,
  })
  .meta({ id: 'GuidedPack' });
export const routingGuideResponse = z
  .strictObject({
    rules: z.array(z.string()),
    pipelines: z.array(guidedPipeline),
    packs: z.array(guidedPack),
  })
  .meta({ id: 'RoutingGuide' });
