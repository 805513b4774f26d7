import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../../packages/helmdeck/src/surfaces/rest/routes.ts';
import { errorSchema } from '../../packages/helmdeck/src/surfaces/rest/schemas/fact-schemas.ts';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { callAs, everyRoute, type Probe, routeName, type Who } from '../support/every-route.ts';

let server: TestServer;
const CALLERS: Who[] = [
  { subject: 'ada' },
  { subject: 'root', scopes: ['admin'] },
  { subject: 'x', tenant: 't' },
];
beforeAll(async () => {
  server = await testServer({
    env: { HELMDECK_ADMIN_PASSWORD: 'correct horse', HELMDECK_RATE_LIMIT: 'off' },
  });
  for (const who of CALLERS) {
    const body = { key: 'a/b', value: 'c', tags: ['t'] };
    await callAs(server, who, { method: 'POST', path: '/api/v1/memory/store', body });
  }
});
afterAll(() => server.close());

// Names the server knows, so that half of the random input gets past the first check.
const FIELDS = [
  'key', 'value', 'category', 'tags', 'ttl_seconds', 'if_version', 'facts', 'scope', 'confirm', 'caller', 'username',
  'password', 'name', 'client', 'scopes', 'subject', '__proto__', 'created_at', 'expires_at', 'toString',
]; // biome-ignore format: a list
const PARAMETERS = [
  'prefix', 'category', 'tag', 'q', 'source', 'sort', 'expiring_within', 'limit', 'cursor', 'version', 'as_of', 'caller', 'dry_run', 'kinds', 'explain', '__proto__',
]; // biome-ignore format: a list
const KNOWN = [
  'all',
  'facts',
  'key:a',
  'erase',
  'a/b',
  'admin',
  'updated',
  '1',
  '0',
  '-1',
  '9007199254740993',
  '2026-01-01T00:00:00Z',
  '%',
  'WyJrZXkiLDEsMCwiYSJd',
];

const text = fc.oneof(
  fc.constantFrom(...KNOWN),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ maxLength: 600 }),
);
const anything = fc.oneof(
  text,
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(text, { maxLength: 4 }),
  fc.jsonValue({ maxDepth: 3 }),
);
const randomBody = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.dictionary(fc.oneof(fc.constantFrom(...FIELDS), text), anything, { maxKeys: 6 }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      facts: fc.array(fc.dictionary(fc.constantFrom(...FIELDS), anything), { maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: anything },
);
const query = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...PARAMETERS), text), text), { maxLength: 5 })
  .map((pairs) => pairs.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join('&'));
const headers = fc.dictionary(
  fc.constantFrom(
    'if-match',
    'idempotency-key',
    'x-request-id',
    'content-type',
    'origin',
    'cookie',
    'accept',
    'content-length',
  ),
  fc.oneof(
    fc.constantFrom('"1"', '*', 'application/json', 'helmdeck_session=x'),
    fc.string({ maxLength: 30 }),
  ),
  { maxKeys: 2 },
);
const escaped = (raw: string) => encodeURIComponent(raw.toWellFormed());
const caller = fc.constantFrom(...CALLERS, undefined);

async function expectNo500(who: Who | undefined, probe: Probe) {
  let answer: Response;
  try {
    answer = await callAs(server, who, probe);
  } catch (thrown) {
    // A header or body that fetch refuses to send.
    if (thrown instanceof TypeError) return;
    throw thrown;
  }
  expect(answer.status, `${probe.method} ${probe.path}`).toBeLessThan(500);
  if (answer.status >= 400) errorSchema.parse(await answer.json());
  else await answer.body?.cancel();
}

describe('random input', () => {
  const writing = ROUTES.filter(({ method }) => ['POST', 'PUT', 'PATCH'].includes(method));
  it.each(writing.map((route) => [routeName(route), route] as const))(
    'random JSON sent to %s never causes a 5xx',
    async (_name, route) => {
      const probe = everyRoute('a/b', 'x').find((each) => each.route === route)!;
      await fc.assert(
        fc.asyncProperty(caller, randomBody, headers, async (who, body, more) => {
          const type = probe.headers?.['content-type'] ?? 'application/json';
          const text = JSON.stringify(body) ?? 'null';
          await expectNo500(who, { ...probe, body: text, headers: { 'content-type': type, ...more } });
        }),
        { numRuns: 150 },
      );
    },
  );

  const reading = ROUTES.filter(({ method }) => method === 'GET' || method === 'DELETE');
  it.each(reading.map((route) => [routeName(route), route] as const))(
    'a random query, key and headers sent to %s never cause a 5xx',
    async (_name, route) => {
      await fc.assert(
        fc.asyncProperty(caller, query, text, headers, async (who, search, key, more) => {
          const probe = everyRoute(key.toWellFormed(), key.toWellFormed()).find(
            (each) => each.route === route,
          )!;
          await expectNo500(who, { ...probe, path: `${probe.path}?${search}`, headers: more });
        }),
        { numRuns: 80 },
      );
    },
  );

  it('random bytes as a body never cause a 5xx', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...writing),
        fc.uint8Array({ maxLength: 200 }),
        async (route, bytes) => {
          const type = route.bodyType ?? 'application/json';
          const authorization = `Bearer ${await server.token('ada')}`;
          const path = route.path.replace('{key}', 'a');
          const request = new Request(`http://localhost${path}`, {
            method: route.method,
            body: bytes as Uint8Array<ArrayBuffer>,
            headers: { authorization, 'content-type': type },
          });
          const answer = await server.app.fetch(request);
          expect(answer.status).toBeLessThan(500);
        },
      ),
      { numRuns: 300 },
    );
  });
});
