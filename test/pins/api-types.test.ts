import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { openApiDocument } from '../../packages/helmdeck/src/surfaces/rest/openapi/document.ts';
import type { Route } from '../../packages/helmdeck/src/surfaces/rest/route.ts';
import { ROUTES } from '../../packages/helmdeck/src/surfaces/rest/routes.ts';
import { documentToTypes, type OpenApiDocument } from '../../scripts/api-types/document-to-types.ts';
import { schemaToType } from '../../scripts/api-types/schema-to-type.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const TYPES = 'packages/helmdeck/src/client/generated/rest.ts';
const UI_TYPES = 'ui/src/api/generated/rest.ts';
const COMMITTED = join(ROOT, TYPES);

const check = (folder: string) =>
  spawnSync(process.execPath, ['scripts/generate-api-types.ts', '--check', folder], {
    cwd: ROOT,
    encoding: 'utf8',
  });

const typesOf = (routes: readonly Route[]) =>
  documentToTypes(openApiDocument(routes, '') as OpenApiDocument, []);

/** The route table with one route changed. */
const changed = (name: string, change: (route: Route) => Partial<Route>) =>
  ROUTES.map((route) => (`${route.method} ${route.path}` === name ? { ...route, ...change(route) } : route));

describe('the generated types of the REST API', () => {
  it('the committed API types match the schemas of the server', () => {
    expect(check(ROOT)).toMatchObject({ status: 0, stderr: '' });
  });

  it('the check fails with an instruction when a committed API type is out of date', () => {
    const folder = mkdtempSync(join(tmpdir(), 'helmdeck-api-types-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const file of [TYPES, UI_TYPES]) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      const text = readFileSync(join(ROOT, file), 'utf8');
      writeFileSync(join(folder, file), text.replace('  expires_at: string;\n', ''));
    }
    const { status, stderr } = check(folder);
    expect(status).toBe(1);
    expect(stderr).toBe(
      `${TYPES} differs from the server's schemas. Run "npm run api-types" and commit the result.\n`,
    );
  });

  it('the API types change when a response, a query parameter or a body of a route changes', () => {
    const before = typesOf(ROUTES);
    const withField = changed('GET /version', () => ({ response: z.strictObject({ commit: z.string() }) }));
    expect(typesOf(withField)).not.toBe(before);
    expect(typesOf(withField)).toContain('commit: string;');
    const withQuery = changed('GET /api/v1/memory/facets', () => ({
      query: z.object({ depth: z.int().optional() }),
    }));
    expect(typesOf(withQuery)).toContain('depth?: number;');
    const withBody = changed('POST /api/v1/memory/forget', () => ({
      body: z.strictObject({ keys: z.array(z.string()) }),
    }));
    expect(typesOf(withBody)).toContain('keys: string[];');
  });

  it('the API types cover every route of the server', () => {
    const types = readFileSync(COMMITTED, 'utf8');
    for (const { method, path } of ROUTES) expect(types).toContain(`\n  '${method} ${path}': {`);
  });
});

describe('a JSON Schema as a TypeScript type', () => {
  const type = (schema: z.ZodType) => schemaToType(z.toJSONSchema(schema, { io: 'input' }) as object);

  it.each([
    ['string', z.string()],
    ['number', z.int()],
    ['unknown', z.unknown()],
    ["'a' | 'b'", z.enum(['a', 'b'])],
    ["('a' | 'b')[]", z.array(z.enum(['a', 'b']))],
    ['true', z.literal(true)],
    ['string | null', z.string().nullable()],
    ['[number, string]', z.tuple([z.int(), z.string()])],
    ['Record<string, number>', z.record(z.string(), z.int())],
    [
      "{\n  a: string;\n  'b-c'?: number;\n}",
      z.strictObject({ a: z.string(), 'b-c': z.number().optional() }),
    ],
    ['{\n  a: string;\n  [name: string]: unknown;\n}', z.looseObject({ a: z.string() })],
  ])('a JSON Schema becomes the TypeScript type %s', (expected, schema) =>
    expect(type(schema)).toBe(expected),
  );

  it('a schema that the generator cannot express fails', () => {
    expect(() => schemaToType({ allOf: [{ $ref: '#/components/schemas/Fact' }] })).toThrow(
      'There is no type',
    );
    expect(() => schemaToType({ type: 'file' })).toThrow('There is no type');
  });
});
