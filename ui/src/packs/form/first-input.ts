import { checkValue } from './check-value.ts';
import { plainSchema } from './field-kind.ts';
import type { Schema } from './schema.ts';

export type Fields = Record<string, unknown>;

/** The initial values of a form: suggested, else learned, else the defaults of the schema. */
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

/** The initial value of a new list item or of a group that is added. */
export function firstItem(given: Schema): unknown {
  const schema = plainSchema(given);
  if (schema.default !== undefined) return schema.default;
  if (schema.type === 'object') return firstInput(schema);
  if (schema.type === 'array') return [];
  return schema.type === 'string' ? '' : undefined;
}
