import type { JSONObject, Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Pack } from '../../../engine/pack/pack.ts';
import { toolName, toolTitle } from './tool-names.ts';

/** The effects of tools, for clients that ask the user before some calls. */
const ANNOTATIONS: Record<string, Tool['annotations']> = {
  'helmdeck.memory_store': {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  'helmdeck.memory_store_many': {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  'helmdeck.memory_confirm': {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  'helmdeck.memory_forget': {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  },
  'vault.write': { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  'vault.delete': { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  'artifact.put': {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  'artifact.delete': {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  },
  'http.fetch': { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
};
/** Claude Code loads tools on demand and finds them by words: these two are always loaded, and found by what users say. */
const META: Record<string, Tool['_meta']> = {
  'helmdeck.memory_store': {
    'anthropic/alwaysLoad': true,
    'anthropic/searchHint': 'save remember note a fact or preference for later',
  },
  'helmdeck.memory_recall': {
    'anthropic/alwaysLoad': true,
    'anthropic/searchHint':
      'recall look up what is remembered about the user, project, preferences, decisions',
  },
};
const READERS = ['helmdeck.memory_', 'vault.', 'artifact.', 'helmdeck.route', 'helmdeck.plan'];
const OUTSIDE_READERS = ['github.'];

/** A user's own pack may do anything, which is also what clients assume by default. */
function annotationsOf({ name }: Pack): Tool['annotations'] {
  const hasPrefix = (prefix: string) => name.startsWith(prefix);
  if (ANNOTATIONS[name]) return ANNOTATIONS[name];
  if (READERS.some(hasPrefix)) return { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
  if (OUTSIDE_READERS.some(hasPrefix))
    return { readOnlyHint: true, idempotentHint: true, openWorldHint: true };
  return { openWorldHint: true };
}

type ObjectSchema = Tool['inputSchema'];

/** A job, as the caller that started it sees it. */
const job = z.looseObject({
  job_id: z.string(),
  pack: z.string(),
  version: z.string(),
  status: z.enum(['running', 'succeeded', 'failed', 'cancelled']),
  progress: z.looseObject({ percent: z.number() }).optional(),
  result: z.looseObject({ output: z.unknown() }).optional(),
  error: z.looseObject({ error: z.string() }).optional(),
});
const { $schema: _, ...jobJson } = z.toJSONSchema(job, { io: 'output' });
export const JOB_SCHEMA = jobJson as ObjectSchema;

/** Whether a pack's output is an object, as `structuredContent` must be. */
export function isObjectOutput({ outputSchema }: Pack): boolean {
  const { type, anyOf } = outputSchema as { type?: string; anyOf?: { type?: string }[] };
  return type === 'object' || (anyOf?.every((each) => each.type === 'object') ?? false);
}

function outputSchemaOf(pack: Pack): ObjectSchema {
  if (pack.async) return JOB_SCHEMA;
  if (isObjectOutput(pack)) return { ...pack.outputSchema, type: 'object' };
  return { type: 'object', properties: { result: pack.outputSchema as JSONObject }, required: ['result'] };
}

/** Cached per definition: every client lists the tools when it connects. */
const cachedTools = new WeakMap<Pack, Tool>();

/** A pack as an MCP tool. */
export function toolOf(pack: Pack): Tool {
  const cached = cachedTools.get(pack);
  if (cached) return cached;
  const name = toolName(pack.name);
  const title = toolTitle(name);
  const tool: Tool = {
    name,
    title,
    description: pack.async
      ? `${pack.description} Runs as a job: what is not ready at once is fetched with job_status.`
      : pack.description,
    inputSchema: { ...pack.inputSchema, type: 'object' },
    outputSchema: outputSchemaOf(pack),
    annotations: { title, ...annotationsOf(pack) },
    ...(META[pack.name] ? { _meta: META[pack.name] } : {}),
  };
  cachedTools.set(pack, tool);
  return tool;
}
