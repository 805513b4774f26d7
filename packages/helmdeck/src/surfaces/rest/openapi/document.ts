import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../../errors.ts';
import type { Route } from '../route.ts';
import { errorSchema } from '../schemas/fact-schemas.ts';
import { REQUEST_HEADERS, RESPONSE_HEADERS, type ResponseHeader } from './headers.ts';
import { errorCodesOf } from './route-errors.ts';
import { TAGS } from './tags.ts';

/** What several operations share, by name. */
interface Components {
  schemas: Record<string, object>;
  responses: Record<string, object>;
}

/** The OpenAPI document of the given routes. */
export function openApiDocument(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  const components: Components = { schemas: {}, responses: {} };
  jsonSchema(errorSchema, components);
  for (const route of routes) {
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operation(route, components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Helmdeck',
      version,
      description: 'A self-hosted memory server for AI agents and the tools they call.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that this document comes from' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      headers: RESPONSE_HEADERS,
      ...components,
    },
  };
}

function operation(route: Route, components: Components): object {
  const { body, bodyType = 'application/json', scope } = route;
  const schema = body && jsonSchema(body, components);
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(scope === 'public' ? { security: [] } : { security: [{ bearer: [] }], 'x-scope': scope }),
    parameters: [...pathParameters(route), ...queryParameters(route, components), ...headerParameters(route)],
    ...(body
      ? {
          requestBody: { required: !body.safeParse(undefined).success, content: { [bodyType]: { schema } } },
        }
      : {}),
    responses: { ...successes(route, components), ...failures(route, components) },
  };
}

/** The ids of pipelines; no `runs` among them, which is what tells `/pipelines/{pipeline}/run` from `/pipelines/runs/{run}`. */
const PATTERNS: Record<string, string> = { pipeline: '^(pipe_|builtin\\.)' };

function pathParameters(route: Route): object[] {
  return [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', ...(PATTERNS[name!] ? { pattern: PATTERNS[name!] } : {}) },
    ...(name === 'key'
      ? { description: 'percent-encoded as one segment; plain slashes are accepted too' }
      : {}),
  }));
}

function queryParameters(route: Route, components: Components): object[] {
  const shape: Record<string, z.ZodType> = {
    ...(route.query?.shape as Record<string, z.ZodType> | undefined),
  };
  if (route.takesCaller)
    shape.caller = z.string().optional().describe("admins: look at this caller's memory; audited");
  if (route.takesSpace)
    shape.space = z.string().optional().describe('work on this space, as far as your role there allows');
  if (route.takesSpaces)
    shape.spaces = z
      .string()
      .optional()
      .describe('search several memories: names of spaces and mine, separated by commas, or * for all');
  return Object.entries(shape).map(([name, schema]) => {
    const { description, ...rest } = jsonSchema(schema, components) as { description?: string };
    return { name, in: 'query', required: false, schema: rest, ...(description ? { description } : {}) };
  });
}

function headerParameters({ requestHeaders = [] }: Route): object[] {
  return requestHeaders.map((name) => ({ name, in: 'header', required: false, ...REQUEST_HEADERS[name] }));
}

function headersOf(names: readonly ResponseHeader[]): object {
  const all: ResponseHeader[] = ['X-Request-Id', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const STATUS_TEXTS: Record<number, string> = { 201: 'Created', 202: 'Started', 503: 'Not ready' };
const MEDIA_TEXTS: Record<string, string> = {
  'application/x-ndjson': 'JSON Lines: one such object per line',
  'text/event-stream': 'Server-sent events: one such object per event',
};

function successes(route: Route, components: Components): object {
  const { status = 200, responseType: media = 'application/json', otherResponse } = route;
  const schema = route.response ?? route.event;
  const success = {
    description: MEDIA_TEXTS[media] ?? STATUS_TEXTS[status] ?? 'Done',
    headers: headersOf(route.responseHeaders ?? []),
    content: { [media]: { schema: schema ? jsonSchema(schema, components) : { type: 'string' } } },
  };
  if (!otherResponse) return { [status]: success };
  const other = {
    description: STATUS_TEXTS[otherResponse.status],
    headers: headersOf(otherResponse.headers ?? []),
    content: { 'application/json': { schema: jsonSchema(otherResponse.schema, components) } },
  };
  return { [status]: success, [otherResponse.status]: other };
}

/** The error responses of a route by status, each with the codes that the route can respond with. */
function failures(route: Route, components: Components): object {
  const byStatus = Map.groupBy(errorCodesOf(route), (code) => ERRORS[code].http);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const name = codes.map(pascalCase).join('Or');
      components.responses[name] ??= failure(status, codes);
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

/** Statuses whose errors may say when to try again. */
const RETRY_STATUSES = [409, 429, 503];

function failure(status: number, codes: readonly ErrorCode[]): object {
  const headers: ResponseHeader[] = status === 401 ? ['WWW-Authenticate'] : [];
  if (RETRY_STATUSES.includes(status)) headers.push('Retry-After');
  const oneOfThese = { type: 'object', properties: { error: { type: 'string', enum: codes } } };
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].hint}`).join('\n\n'),
    headers: headersOf(headers),
    content: {
      'application/json': { schema: { allOf: [{ $ref: '#/components/schemas/ErrorEnvelope' }, oneOfThese] } },
    },
  };
}

const pascalCase = (code: string) =>
  code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Returns the JSON Schema of `schema`, with references to the named schemas in it, and adds those to `components`. */
function jsonSchema(schema: z.ZodType, components: Components): object {
  const written = z.toJSONSchema(schema, {
    reused: 'inline',
    unrepresentable: 'any',
    io: 'input',
    override: ({ jsonSchema: json }) => withoutNoise(json),
  });
  const {
    $schema: _,
    $defs = {},
    ...rest
  } = JSON.parse(JSON.stringify(written).replaceAll('"#/$defs/', '"#/components/schemas/'));
  Object.assign(components.schemas, $defs);
  return rest;
}

/** Removes what zod adds to every integer, date and id, and no reader needs. */
function withoutNoise(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}
