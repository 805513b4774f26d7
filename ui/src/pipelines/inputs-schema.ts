import type { Schema } from '../api/pack-api.ts';
import type { PipelineBody } from '../api/pipeline-api.ts';

const REFERENCE = /\$\{\{\s*inputs\.([A-Za-z0-9_-]+)/g;

/** What a run can be given, as a schema: what its author described, and what its steps ask for besides. */
export function inputsSchema({ inputs = {}, steps }: Pick<PipelineBody, 'inputs' | 'steps'>): Schema {
  const asked = [...JSON.stringify(steps).matchAll(REFERENCE)].map(([, name]) => name!);
  const names = [...new Set([...Object.keys(inputs), ...asked])];
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, fieldOf(inputs[name])])),
    ...(names.length === 0 ? { additionalProperties: false } : {}),
  };
}

/** Authors write a schema, or just a few words about it. */
function fieldOf(described: unknown): Schema {
  if (typeof described === 'string') return { type: 'string', description: described };
  if (typeof described !== 'object' || described === null || Array.isArray(described))
    return { type: 'string' };
  const schema = described as Schema;
  return schema.type === undefined && !schema.enum && !schema.anyOf ? { type: 'string', ...schema } : schema;
}
