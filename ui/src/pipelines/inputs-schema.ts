import type { Pack, PipelineInput } from '../api/generated/rest.ts';
import { formSchema, type Schema } from '../packs/form/schema.ts';

const WHOLE = /^\$\{\{\s*inputs\.([A-Za-z0-9_-]+)\s*\}\}$/;
const REFERENCE = /\$\{\{\s*inputs\.([A-Za-z0-9_-]+)/g;

/** The schema of a run's inputs: those its author described, and others that its steps refer to. */
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

/** The inputs that a step passes to a required field of its pack. */
function neededBy({ pack, input = {} }: PipelineInput['steps'][number], packs: readonly Pack[]): string[] {
  const { required = [] } = formSchema(packs.find(({ name }) => name === pack)?.input_schema ?? {});
  return required.flatMap((field) => WHOLE.exec(String(input[field]))?.[1] ?? []);
}

/** The schema of one input. Authors write a schema, or just a description. */
function fieldOf(described: unknown): Schema {
  if (typeof described === 'string') return { type: 'string', description: described };
  if (typeof described !== 'object' || described === null || Array.isArray(described))
    return { type: 'string' };
  const schema = described as Schema;
  return schema.type === undefined && !schema.enum && !schema.anyOf ? { type: 'string', ...schema } : schema;
}
