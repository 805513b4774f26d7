/** The part of JSON Schema that zod writes for the server's schemas. */
export interface JsonSchema {
  $ref?: string;
  description?: string;
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
  allOf?: readonly JsonSchema[];
  items?: JsonSchema;
  prefixItems?: readonly JsonSchema[];
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
}

/** Writes a JSON Schema as a TypeScript type. Throws on what it cannot express, so that no type is silently wrong. */
export function schemaToType(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)!;
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return [...new Set(options.map(schemaToType))].join(' | ');
  if (schema.allOf) throw new Error(`There is no type for ${JSON.stringify(schema)}`);
  const { type } = schema;
  if (typeof type === 'object')
    return type.map((each) => schemaToType({ ...schema, type: each })).join(' | ');
  switch (type) {
    case undefined:
      return 'unknown';
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return arrayType(schema);
    case 'object':
      return objectType(schema);
  }
  throw new Error(`There is no type for ${JSON.stringify(schema)}`);
}

/** Writes one member of an object type, with its description as a doc comment. */
export function member(name: string, type: string, options: { optional?: boolean; about?: string } = {}) {
  const { optional = false, about } = options;
  const quoted = /^[A-Za-z_]\w*$/.test(name) ? name : literal(name);
  return `${docComment(about)}${quoted}${optional ? '?' : ''}: ${type};`;
}

/** Writes an object type from its members. */
export const block = (members: readonly string[]) =>
  members.length === 0 ? '{}' : `{\n${members.map(indent).join('\n')}\n}`;

export const docComment = (text: string | undefined) =>
  text === undefined ? '' : `/** ${text.replaceAll('*/', '* /')} */\n`;

function objectType({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const members = Object.entries(properties).map(([name, schema]) =>
    member(name, schemaToType(schema), {
      optional: !required.includes(name),
      about: schema.description,
    }),
  );
  const isOpen = typeof additionalProperties === 'object';
  if (members.length === 0)
    return `Record<string, ${isOpen ? schemaToType(additionalProperties) : 'unknown'}>`;
  return isOpen ? block([...members, '[name: string]: unknown;']) : block(members);
}

function arrayType({ items, prefixItems }: JsonSchema): string {
  if (prefixItems) return `[${prefixItems.map(schemaToType).join(', ')}]`;
  const { enum: values, anyOf, oneOf, type } = items ?? {};
  const isUnion = (values ?? anyOf ?? oneOf) !== undefined || typeof type === 'object';
  const item = schemaToType(items ?? {});
  return isUnion ? `(${item})[]` : `${item}[]`;
}

const literal = (value: unknown) =>
  typeof value === 'string'
    ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    : JSON.stringify(value);

const indent = (text: string) => text.replaceAll(/^/gm, '  ');
