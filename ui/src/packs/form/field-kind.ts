import type { Schema } from './schema.ts';

/** The kind of control for a field; `json` if no other fits. */
export type FieldKind =
  | 'text'
  | 'long'
  | 'number'
  | 'yes-no'
  | 'choice'
  | 'list'
  | 'group'
  | 'pairs'
  | 'json';

const LONG_NAME = /(^|_)(content|body|text|brief|value|markdown|prompt|intent|description|notes?|message)$/;
/** An address may be long, but it is one line. */
const ADDRESS_NAME = /(^|_)(url|uri|href|link)$/;
const LONG_CHARS = 1_000;

/** Simplifies a schema: removes `null` from a union, and unwraps a union of one. */
export function plainSchema(schema: Schema): Schema {
  const options = (schema.anyOf ?? schema.oneOf)?.filter(({ type }) => type !== 'null');
  if (options?.length === 1) {
    const { anyOf: _, oneOf: __, ...rest } = schema;
    return plainSchema({ ...options[0], ...rest });
  }
  if (options?.every((option) => choicesOf(option) !== undefined) && options.length > 0)
    return {
      ...schema,
      anyOf: undefined,
      oneOf: undefined,
      enum: options.flatMap((each) => choicesOf(each)!),
    };
  if (!Array.isArray(schema.type)) return schema;
  const types = schema.type.filter((type) => type !== 'null');
  return types.length === 1 ? { ...schema, type: types[0] } : schema;
}

const isPlainValue = (value: unknown) => value === null || typeof value !== 'object';

/** The choices, if the schema allows only fixed values. */
export function choicesOf(schema: Schema): unknown[] | undefined {
  if (schema.const !== undefined) return [schema.const];
  return schema.enum?.every(isPlainValue) ? schema.enum : undefined;
}

export function fieldKind(name: string, given: Schema): FieldKind {
  const schema = plainSchema(given);
  if (choicesOf(schema)) return 'choice';
  if (schema.type === 'boolean') return 'yes-no';
  if (schema.type === 'number' || schema.type === 'integer') return 'number';
  if (schema.type === 'string') return isLong(name, schema) ? 'long' : 'text';
  if (schema.type === 'array') return schema.items ? 'list' : 'json';
  if (schema.type !== 'object') return 'json';
  if (Object.keys(schema.properties ?? {}).length > 0) return 'group';
  const { additionalProperties: rest } = schema;
  return typeof rest === 'object' && plainSchema(rest).type === 'string' ? 'pairs' : 'json';
}

function isLong(name: string, { maxLength, format }: Schema): boolean {
  if (format !== undefined || ADDRESS_NAME.test(name)) return false;
  return LONG_NAME.test(name) ? (maxLength ?? LONG_CHARS) >= LONG_CHARS : (maxLength ?? 0) > LONG_CHARS;
}
