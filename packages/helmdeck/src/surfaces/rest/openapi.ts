import { z } from 'zod';
import { ERRORS } from '../../errors.ts';
import { DOCS_HTML, DOCS_SCRIPT, DOCS_STYLE } from './docs-page.ts';
import type { Route } from './route.ts';
import { errorSchema } from './schemas/fact-schemas.ts';

/** Serves the OpenAPI document of the given routes and the page that renders it. */
export function openApiRoutes(routes: readonly Route[]): Route[] {
  let document: object | undefined;
  const shared = { method: 'GET', tag: 'Server', scope: 'public' } as const;
  const file = (path: string, type: string, text: string): Route => ({
    ...shared,
    path,
    summary: 'A file of the documentation page',
    responseType: type,
    handler: async (call) =>
      new Response(text, {
        headers: {
          ...call.headers,
          'content-type': `${type}; charset=utf-8`,
          'content-security-policy':
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
          'x-content-type-options': 'nosniff',
        },
      }),
  });
  return [
    {
      ...shared,
      path: '/openapi.json',
      summary: 'This API as OpenAPI 3.1',
      async handler(call) {
        document ??= openApiDocument(routes, call.services.version);
        return document;
      },
    },
    file('/docs', 'text/html', DOCS_HTML),
    file('/docs/docs.js', 'text/javascript', DOCS_SCRIPT),
    file('/docs/docs.css', 'text/css', DOCS_STYLE),
  ];
}

export function openApiDocument(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  const schemas: NamedSchemas = {};
  jsonSchema(errorSchema, schemas);
  for (const route of routes) {
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operation(route, schemas);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Helmdeck',
      version,
      description: 'A self-hosted memory server for AI agents and the tools they call.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas,
    },
  };
}

function operation(route: Route, schemas: NamedSchemas): object {
  const { body, bodyType = 'application/json', responseType = 'application/json' } = route;
  const response = route.response ?? route.event;
  const success = response
    ? { content: { [responseType]: { schema: jsonSchema(response, schemas) } } }
    : route.responseType
      ? { content: { [route.responseType]: {} } }
      : {};
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    ...(route.scope === 'public' ? { security: [] } : { security: [{ bearer: [] }], 'x-scope': route.scope }),
    parameters: [...pathParameters(route), ...queryParameters(route, schemas)],
    ...(body
      ? {
          requestBody: {
            required: !body.safeParse(undefined).success,
            content: { [bodyType]: { schema: jsonSchema(body, schemas) } },
          },
        }
      : {}),
    responses: {
      [route.status ?? 200]: { description: 'Done', ...success },
      default: {
        description: `One of: ${Object.keys(ERRORS).join(', ')}`,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorEnvelope' } } },
      },
    },
  };
}

function operationId(route: Route): string {
  const words = route.path
    .replace('/api/v1', '')
    .split(/[^A-Za-z]+/)
    .filter(Boolean);
  return [route.method.toLowerCase(), ...words].join('_');
}

function pathParameters(route: Route): object[] {
  return [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...(name === 'key'
      ? { description: 'percent-encoded as one segment; plain slashes are accepted too' }
      : {}),
  }));
}

function queryParameters(route: Route, schemas: NamedSchemas): object[] {
  const shape: Record<string, z.ZodType> = {
    ...(route.query?.shape as Record<string, z.ZodType> | undefined),
  };
  if (route.takesCaller)
    shape.caller = z.string().optional().describe("admins: look at this caller's memory; audited");
  return Object.entries(shape).map(([name, schema]) => {
    const { description, ...rest } = jsonSchema(schema, schemas) as { description?: string };
    return { name, in: 'query', required: false, schema: rest, ...(description ? { description } : {}) };
  });
}

/** The document's `components.schemas`: every schema with an id, by that id. */
type NamedSchemas = Record<string, object>;

/** Returns the JSON Schema of `schema`, with references to the named schemas in it, and adds those to `schemas`. */
function jsonSchema(schema: z.ZodType, schemas: NamedSchemas): object {
  const written = z.toJSONSchema(schema, { reused: 'inline', unrepresentable: 'any', io: 'input' });
  const {
    $schema: _,
    $defs = {},
    ...rest
  } = JSON.parse(JSON.stringify(written).replaceAll('"#/$defs/', '"#/components/schemas/'));
  Object.assign(schemas, $defs);
  return rest;
}
