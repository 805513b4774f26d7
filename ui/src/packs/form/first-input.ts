import { checkValue } from './check-value.ts';
import { plainSchema } from './field-kind.ts';
import type { Schema } from './schema.ts';

export type Fields = Record<string, unknown>;

/** What a form begins with: what was suggested, else what was learned, else what the schema says. */
export function firstInput(schema: Schema, learned: Fields = {}, suggested: Fields = {}): Fields {
  const fields: Fields = {};
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const choice = [suggested[name], learned[name], plainSchema(field).default].find(
      (value) => value !== undefined && checkValue(field, value).size === 0,
    );
    if (choice !== undefined) fields[name] = choice;
  }
  return fields;
}

/** What a new item of a list or a group that is added begins with. */
export function firstItem(given: Schema): unknown {
  const schema = plainSchema(given);
  if (schema.default !== undefined) return schema.default;
  if (schema.type === 'object') return firstInput(schema);
  if (schema.type === 'array') return [];
  return schema.type === 'string' ? '' : undefined;
}
