// Models write `limit: "5"`, `tags: "a, b"` and `category: null`. What they mean is plain, so it is taken that way.

interface FieldSchema {
  type?: unknown;
  items?: { type?: unknown };
  anyOf?: unknown;
}

interface InputSchema {
  properties?: Record<string, FieldSchema>;
  required?: readonly string[];
}

type Input = Record<string, unknown>;

/** The arguments of a call in the types that the schema of the tool asks for, where they can be read as such. */
export function withSchemaTypes(schema: InputSchema, input: Input): Input {
  const { properties = {}, required = [] } = schema;
  const typed: Input = {};
  for (const [name, value] of Object.entries(input)) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    // A null for an optional field that does not allow it means that the field is left out.
    if (value === null && field && !required.includes(name) && typeof field.type === 'string') continue;
    typed[name] = typeof value === 'string' && field ? read(field, value) : value;
  }
  return typed;
}

/** The text as the type of the field; the text itself if it cannot be read so, for the schema to reject. */
function read({ type, items }: FieldSchema, text: string): unknown {
  const trimmed = text.trim();
  if (type === 'integer' || type === 'number') return NUMBER.test(trimmed) ? Number(trimmed) : text;
  if (type === 'boolean') return trimmed === 'true' ? true : trimmed === 'false' ? false : text;
  if (type !== 'array') return text;
  if (trimmed.startsWith('[')) return parsedList(trimmed) ?? text;
  if (items?.type !== 'string') return text;
  return trimmed
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

function parsedList(text: string): unknown[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}
