import { AppError } from '../../errors.ts';

/** The values that the references in a step's input can refer to. */
export interface TemplateScope {
  inputs: Record<string, unknown>;
  /** Outputs of the steps that have ended, by step id. */
  outputs: ReadonlyMap<string, unknown>;
  /** Called with every value that comes from an output. */
  onOutput?: (value: unknown) => void;
}

/** `${{ inputs.a.b[0] }}` or `${{ steps.<id>.output.x }}`. */
interface Reference {
  text: string;
  from: 'inputs' | 'steps';
  /** The step, for `steps`. */
  step?: string;
  path: (string | number)[];
}

const MAX_DEPTH = 64;
const EXPRESSION = /\$\{\{([^{}]*)\}\}/g;
const WHOLE = /^\$\{\{([^{}]*)\}\}$/;
/** A placeholder that the author of a pipeline wrote, such as one of the vault. */
const PLACEHOLDER = /\$\{[^{}]*\}/g;
const PATH = /^(?:\.[A-Za-z0-9_-]+|\[\d{1,6}\])*$/;
const MISSING = Symbol('missing');

/** The ids of the steps that a step's input refers to; `invalid_pipeline` for a malformed reference. */
export function stepsReferredTo(template: unknown): string[] {
  const steps: string[] = [];
  visit(template, 0, (text) => {
    if (text.replaceAll(EXPRESSION, '').includes('${{'))
      throw badReference(text, 'a reference is not closed, or contains braces');
    for (const [, inner = ''] of text.matchAll(EXPRESSION)) {
      const { step } = parse(inner);
      if (step !== undefined) steps.push(step);
    }
  });
  return steps;
}

/**
 * Fills in the references of a step's input, in one pass: values are never expanded again. A string that consists of one
 * reference becomes the value itself; otherwise values are interpolated, escaped for the text around them: a URL, JSON, a
 * form, multipart or XML. A field whose input was not given is omitted.
 */
export function fillTemplate(template: unknown, scope: TemplateScope): unknown {
  const filled = fill(template, scope, 0);
  return filled === MISSING ? undefined : filled;
}

function fill(value: unknown, scope: TemplateScope, depth: number): unknown {
  if (depth > MAX_DEPTH) throw tooDeep();
  if (typeof value === 'string') return fillText(value, scope);
  if (Array.isArray(value)) {
    return value.map((each) => {
      const filled = fill(each, scope, depth + 1);
      return filled === MISSING ? null : filled;
    });
  }
  if (typeof value !== 'object' || value === null) return value;
  // First, because the type of the body may come from a reference; and once, because headers may be nested.
  const headers = 'headers' in value ? fill(value.headers, scope, depth + 1) : undefined;
  const bodyType = bodyTypeOf(headers);
  const fields = Object.entries(value).map(([name, each]) => {
    if (name === 'headers') return [name, headers] as const;
    const textOf = name === 'body' ? bodyType : /url$/i.test(name) ? 'url' : undefined;
    const filled = typeof each === 'string' ? fillText(each, scope, textOf) : fill(each, scope, depth + 1);
    return [name, filled] as const;
  });
  return Object.fromEntries(fields.filter(([, filled]) => filled !== MISSING));
}

/** What a text is, if that is known from the fields around it. */
type TextType = 'form' | 'multipart' | 'xml' | 'url';

function fillText(text: string, scope: TemplateScope, textOf?: TextType): unknown {
  const whole = WHOLE.exec(text);
  if (whole) return resolve(parse(whole[1]!), scope);
  if (!text.includes('${{')) return text;
  const escaped = escaperFor(text, textOf);
  let [filled, foreign] = ['', ''];
  let [at, hasOutput] = [0, false];
  const onOutput = () => {
    hasOutput = true;
  };
  for (const match of text.matchAll(EXPRESSION)) {
    const literal = text.slice(at, match.index);
    const value = resolve(parse(match[1]!), { ...scope, onOutput });
    const written = value === MISSING ? '' : escaped(value, match.index);
    filled += literal + written;
    foreign += literal.replaceAll(PLACEHOLDER, '') + written;
    at = match.index + match[0].length;
  }
  const rest = text.slice(at);
  // Two values may only together look like a placeholder of the author.
  if (hasOutput) scope.onOutput?.(foreign + rest.replaceAll(PLACEHOLDER, ''));
  if (isUrl(text, textOf)) assertPath(text, filled + rest);
  if (textOf === 'multipart') assertParts(text, filled + rest);
  return filled + rest;
}

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

const XML_ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** How values are written into a text: a value must not end the string, parameter, element or path segment in which it stands. */
function escaperFor(text: string, textOf?: TextType): (value: unknown, at: number) => string {
  if (textOf === 'form') return (value) => encodeURIComponent(asText(value));
  if (textOf === 'xml' || (textOf === undefined && /^\s*<\?xml\s/.test(text)))
    return (value) => asText(value).replaceAll(/[&<>"']/g, (each) => XML_ENTITIES[each]!);
  if (textOf === 'multipart')
    return (value, at) => (isInPartHeaders(text, at) ? headerText(value) : asText(value));
  if (isUrl(text, textOf)) {
    const query = text.search(/[?#]/);
    return (value, at) => {
      // With what a URL begins, its author decides where the request goes.
      if (at === 0) return asText(value);
      const encoded = encodeURIComponent(asText(value));
      // Slashes separate segments, as in `owner/name`.
      return query >= 0 && at > query ? encoded : encoded.replaceAll('%2F', '/');
    };
  }
  if (!isJson(text)) return asText;
  return (value, at) =>
    isInString(text, at) ? JSON.stringify(asText(value)).slice(1, -1) : JSON.stringify(value);
}

/** An address, without white space but inside references. */
const URL_TEXT = /^https?:\/\/(?:\$\{\{[^{}]*\}\}|[^\s{}])*$/i;

const isUrl = (text: string, textOf?: TextType) => textOf === 'url' || URL_TEXT.test(text);

/** Refuses a URL in which values have added segments that lead upwards. */
function assertPath(template: string, url: string): void {
  const dots = (text: string) =>
    text
      .split(/[?#]/, 1)[0]!
      .split(/[/\\]/)
      .filter((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)).length;
  if (dots(url) <= dots(template.replaceAll(EXPRESSION, 'x'))) return;
  throw new AppError('invalid_input', 'A value in the path of a URL must not have "." or ".." segments.', {
    reason: 'bad_reference',
  });
}

const DELIMITER = /^--\S*[^\s-]/m;
const CONTROL_OR_QUOTE = /[\p{Cc}"]/gu;

/** A value in a header of a part, encoded as browsers do it: it can end neither the line nor the quotes. */
const headerText = (value: unknown) => asText(value).replaceAll(CONTROL_OR_QUOTE, encodeURIComponent);

/** Whether an index of a multipart body lies in the headers of a part: no blank line since its delimiter. */
function isInPartHeaders(body: string, index: number): boolean {
  const delimiter = DELIMITER.exec(body)?.[0];
  const part = delimiter === undefined ? 0 : body.lastIndexOf(delimiter, index);
  return !/\r?\n\r?\n/.test(body.slice(Math.max(part, 0), index));
}

/** Refuses a multipart body in which values have added a delimiter, and with it a part. */
function assertParts(template: string, body: string): void {
  const delimiter = DELIMITER.exec(template)?.[0];
  if (delimiter === undefined) return;
  const parts = (text: string) => text.split(delimiter).length;
  if (parts(body) <= parts(template.replaceAll(EXPRESSION, 'x'))) return;
  throw new AppError('invalid_input', 'A value in a multipart body must not contain its boundary.', {
    reason: 'bad_reference',
  });
}

/** Whether a text is JSON once its references are values. */
function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  const sample = text.replaceAll(EXPRESSION, '0').replaceAll(PLACEHOLDER, '0');
  try {
    // One value, or one per line.
    for (const part of jsonParts(sample)) JSON.parse(part);
    return true;
  } catch {
    return false;
  }
}

/** A text as JSON values: itself, or its lines if each of them is an object or an array. */
function jsonParts(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.every((line) => /^\s*[{[].*[\]}]\s*$/.test(line)) ? lines : [text];
}

/** Whether an index lies inside a string of a JSON text. */
function isInString(json: string, index: number): boolean {
  let inside = false;
  for (let at = 0; at < index; at++) {
    if (json[at] === '\\') at++;
    else if (json[at] === '"') inside = !inside;
  }
  return inside;
}

/** The type of a request's body by its headers, where values are escaped by it. */
function bodyTypeOf(headers: unknown): TextType | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const types = Object.entries(headers)
    .filter(([name]) => name.toLowerCase() === 'content-type')
    .map(([, type]) => String(type).toLowerCase());
  if (types.some((type) => type.includes('x-www-form-urlencoded'))) return 'form';
  if (types.some((type) => /^\s*multipart\//.test(type))) return 'multipart';
  return types.some((type) => /^\s*(?:text\/html|[^;]*[/+]xml)\b/.test(type)) ? 'xml' : undefined;
}

function parse(inner: string): Reference {
  const text = inner.trim();
  const step = /^steps\.([A-Za-z0-9_-]+)\.output(.*)$/s.exec(text);
  const input = /^inputs(.*)$/s.exec(text);
  const rest = step?.[2] ?? input?.[1];
  if (rest === undefined || !PATH.test(rest))
    throw badReference(text, 'it must look like inputs.a.b[0] or steps.<id>.output.x');
  const path = [...rest.matchAll(/\.([A-Za-z0-9_-]+)|\[(\d+)\]/g)].map(([, name, index]) =>
    name === undefined ? Number(index) : name,
  );
  return step ? { text, from: 'steps', step: step[1]!, path } : { text, from: 'inputs', path };
}

function resolve(reference: Reference, { inputs, outputs, onOutput }: TemplateScope): unknown {
  const { from, step, path, text } = reference;
  const [first] = path;
  // Top-level inputs are optional; a missing nested field, or one missing in an output, is an error.
  if (from === 'inputs' && first !== undefined && !has(inputs, first)) return MISSING;
  let value: unknown = from === 'inputs' ? inputs : outputs.get(step!);
  if (value === undefined) throw unresolved(text);
  for (const name of path) {
    if (!has(value, name)) throw unresolved(text);
    value = (value as Record<string | number, unknown>)[name];
  }
  if (from === 'steps') onOutput?.(value);
  return value;
}

function has(value: unknown, name: string | number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return typeof name === 'number' && name < value.length;
  return typeof name === 'string' && Object.hasOwn(value, name);
}

function visit(value: unknown, depth: number, onText: (text: string) => void): void {
  if (depth > MAX_DEPTH) throw tooDeep();
  if (typeof value === 'string') onText(value);
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) visit(each, depth + 1, onText);
}

const unresolved = (text: string) =>
  new AppError(
    'invalid_input',
    `The reference ${JSON.stringify(text.slice(0, 100))} does not resolve to a value.`,
    {
      reason: 'bad_reference',
      hint: 'Check the inputs of the run and the outputs of earlier steps.',
    },
  );

const tooDeep = () =>
  new AppError('invalid_pipeline', `A step's input is nested deeper than ${MAX_DEPTH} levels.`, {
    reason: 'too_deep',
  });

const badReference = (text: string, why: string) =>
  new AppError('invalid_pipeline', `Bad reference in ${JSON.stringify(text.slice(0, 100))}: ${why}.`, {
    reason: 'bad_reference',
  });
