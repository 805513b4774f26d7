import type { Pack, PipelineInput } from '../api/generated/rest.ts';
import { formSchema, type Schema } from '../packs/form/schema.ts';

const WHOLE = /^\$\{\{\s*inputs\.([A-Za-z0-9_-]+)\s*\}\}$/;
const REFERENCE = /\$\{\{\s*inputs\.([A-Za-z0-9_-]+)/g;

/** What a run can be given, as a schema: what its author described, and what its steps ask for besides. */
export function inputsSchema(
  { inputs = {}, steps }: Pick<PipelineInput, 'inputs' | 'steps'>,
  packs: readonly Pack[] = [],
): Schema {
  const asked = [...JSON.stringify(steps).matchAll(REFERENCE)].map(([, name]) => name!);
  const names = [...new Set([...Object.keys(inputs), ...asked])];
  return {
    type: 'object',
    required: [...new Set(steps.flatMap((step) => neededBy(step, packs)))],
    properties: Object.fromEntries(names.map((name) => [name, fieldOf(inputs[name])])),
    ...(names.length === 0 ? { additionalProperties: false } : {}),
  };
}

/** Inputs that a step hands on to a field its pack cannot do without. */
function neededBy({ pack, input = {} }: PipelineInput['steps'][number], packs: readonly Pack[]): string[] {
  const { required = [] } = formSchema(packs.find(({ name }) => name === pack)?.input_schema ?? {});
  return required.flatMap((field) => WHOLE.exec(String(input[field]))?.[1] ?? []);
}

/** Authors write a schema, or just a few words about it. */
function fieldOf(described: unknown): Schema {
  if (typeof described === 'string') return { type: 'string', description: described };
  if (typeof described !== 'object' || described === null || Array.isArray(described))
    return { type: 'string' };
  const schema = described as Schema;
  return schema.type === undefined && !schema.enum && !schema.anyOf ? { type: 'string', ...schema } : schema;
}
