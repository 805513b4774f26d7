import { strings } from '../../strings.ts';
import { plainSchema } from './field-kind.ts';
import type { Schema } from './schema.ts';

/** Validation problems by JSON pointer, such as `/steps/0/id`. The server decides; this only reports it sooner. */
export type Problems = ReadonlyMap<string, string>;

const text = strings.packForm;

export function checkValue(schema: Schema, value: unknown): Problems {
  const problems = new Map<string, string>();
  check(schema, value, '', problems);
  return problems;
}

export const placeIn = (place: string, name: string | number) => `${place}/${name}`;

function check(given: Schema, value: unknown, place: string, problems: Map<string, string>): void {
  const schema = plainSchema(given);
  if (value === null && allowsNull(given)) return;
  const problem = problemOf(schema, value);
  if (problem !== undefined) {
    problems.set(place, problem);
    return;
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      if (schema.items) check(schema.items, item, placeIn(place, index), problems);
  } else if (typeof value === 'object' && value !== null) {
    checkFields(schema, value as Record<string, unknown>, place, problems);
  }
}

function checkFields(
  { properties = {}, required = [], additionalProperties }: Schema,
  value: Record<string, unknown>,
  place: string,
  problems: Map<string, string>,
): void {
  for (const name of required)
    if (value[name] === undefined && properties[name]?.default === undefined)
      problems.set(placeIn(place, name), text.missing);
  for (const [name, each] of Object.entries(value)) {
    if (each === undefined) continue;
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known) check(known, each, placeIn(place, name), problems);
    else if (additionalProperties === false) problems.set(placeIn(place, name), text.unknownField);
    else if (typeof additionalProperties === 'object')
      check(additionalProperties, each, placeIn(place, name), problems);
  }
}

const allowsNull = ({ type, anyOf, oneOf }: Schema) =>
  [type].flat().includes('null') || (anyOf ?? oneOf ?? []).some((option) => option.type === 'null');

function problemOf(schema: Schema, value: unknown): string | undefined {
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.some((each) => checkValue(each, value).size === 0) ? undefined : text.noOption;
  if (schema.const !== undefined && value !== schema.const) return text.oneOf([schema.const]);
  if (schema.enum && !schema.enum.includes(value)) return text.oneOf(schema.enum);
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' ? stringProblem(schema, value) : text.needsText;
    case 'number':
    case 'integer':
      return numberProblem(schema, value);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : text.needsYesNo;
    case 'array':
      return Array.isArray(value) ? listProblem(schema, value.length) : text.needsList;
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? undefined
        : text.needsObject;
    default:
      return undefined;
  }
}

function stringProblem({ minLength = 0, maxLength, pattern, format }: Schema, value: string) {
  if (value.length < minLength) return minLength === 1 ? text.missing : text.tooShort(minLength);
  if (maxLength !== undefined && value.length > maxLength) return text.tooLong(maxLength);
  if (format === 'uri' && !URL.canParse(value)) return text.needsAddress;
  return pattern === undefined || matches(pattern, value) ? undefined : text.needsPattern(pattern);
}

function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true; // a pattern that this browser cannot compile is left to the server
  }
}

function numberProblem(schema: Schema, value: unknown): string | undefined {
  const whole = schema.type === 'integer';
  if (typeof value !== 'number' || !Number.isFinite(value)) return text.needsNumber;
  if (whole && !Number.isInteger(value)) return text.needsWhole;
  // Zod adds these safe-integer bounds to every integer; they are not worth reporting.
  const min = schema.minimum === Number.MIN_SAFE_INTEGER ? undefined : schema.minimum;
  const max = schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum;
  if (min !== undefined && value < min) return text.atLeast(min);
  if (max !== undefined && value > max) return text.atMost(max);
  if (schema.exclusiveMinimum !== undefined && value <= schema.exclusiveMinimum)
    return text.above(schema.exclusiveMinimum);
  if (schema.exclusiveMaximum !== undefined && value >= schema.exclusiveMaximum)
    return text.below(schema.exclusiveMaximum);
  return undefined;
}

function listProblem({ minItems = 0, maxItems }: Schema, length: number): string | undefined {
  if (length < minItems) return text.fewItems(minItems);
  return maxItems !== undefined && length > maxItems ? text.manyItems(maxItems) : undefined;
}
