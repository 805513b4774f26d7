import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/test-server.ts';

let server: TestServer;
let callers = 0;
beforeAll(async () => {
  server = await testServer({
    env: { HELMDECK_RATE_LIMIT: 'off', HELMDECK_SECRET_GUARD: 'off', HELMDECK_GATE: 'open' },
  });
});
afterAll(() => server.close());

interface Fact {
  key: string;
  value: string;
  category: string;
  tags: string[];
  created_at: string;
  expires_at: string;
}

async function storeAll(who: string, facts: object[]) {
  const response = await server.call(who, 'POST', '/api/v1/memory/store/batch', { facts });
  expect(await response.json()).toMatchObject({ results: facts.map(() => ({ status: 'active' })) });
}
async function exported(who: string, query: string, scopes?: string[]) {
  const headers: Record<string, string> = scopes
    ? { authorization: `Bearer ${await server.token(who, { scopes })}` }
    : {};
  const response = await server.call(who, 'GET', `/api/v1/memory/export?${query}`, undefined, headers);
  expect(response.status).toBe(200);
  return response;
}
async function factsOf(who: string): Promise<Fact[]> {
  const lines = (await (await exported(who, '')).text()).split('\n').filter(Boolean);
  return lines
    .map((line) => JSON.parse(line) as Fact)
    .map(({ key, value, category, tags, created_at, expires_at }) => ({
      key,
      value,
      category,
      tags,
      created_at,
      expires_at,
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}
async function roundTrip(from: string, format: string) {
  const to = `${from} again`;
  const text = await (await exported(from, `format=${format}`)).text();
  const response = await server.call(to, 'POST', '/api/v1/memory/import?format=auto&accept=1', text);
  return { to, text, report: (await response.json()) as { stored: number; failed: number } };
}

describe('export in other formats', () => {
  it.each(['pam', 'markdown'])('%s round-trips key, text, category, tags and times', async (format) => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          fc.record({
            key: fc.string({ minLength: 1, maxLength: 40, unit: fc.constantFrom(...'abcXYZ019/_-. éß') }),
            value: fc
              .array(
                fc.constantFrom(
                  '# heading',
                  '<!-- helmdeck:end -->',
                  '--> "x"',
                  '```',
                  '- [tip] a',
                  '',
                  'Zürich ✓',
                  '\\u003e',
                ),
                { minLength: 1, maxLength: 6 },
              )
              .map((lines) => lines.join('\n')),
            tags: fc.uniqueArray(fc.constantFrom('a', 'b>c', 'd,e'), { maxLength: 3 }),
            category: fc.constantFrom('preferences', 'user_facts', 'ops'),
          }),
          { minLength: 1, maxLength: 6, selector: ({ key }) => key.trim() },
        ),
        async (facts) => {
          const stored = facts.filter(
            ({ key, value }) => !['', '.', '..'].includes(key.trim()) && value.trim() !== '',
          );
          if (stored.length === 0) return;
          const who = `${format} ${++callers}`;
          await storeAll(who, stored);
          const { to, report } = await roundTrip(who, format);
          expect(report.failed).toBe(0);
          expect(await factsOf(to)).toEqual(await factsOf(who));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('Portable AI Memory names its schema, and gives a fact the same id each time', async () => {
    await storeAll('pam reader', [{ key: 'preferences/theme', value: 'Dark', category: 'preferences' }]);
    const read = async () =>
      (await (await exported('pam reader', 'format=pam')).json()) as { memories: { id: string }[] };
    const first = await read();
    expect(first).toMatchObject({
      schema: 'portable-ai-memory',
      schema_version: '1.0',
      owner: { id: 'pam reader' },
      memories: [
        { type: 'preference', status: 'active', content: 'Dark', access: { visibility: 'private' } },
      ],
    });
    expect((await read()).memories[0]!.id).toBe(first.memories[0]!.id);
  });

  it('an empty memory is a valid document in each format', async () => {
    expect(await (await exported('nobody', 'format=pam')).json()).toMatchObject({ memories: [] });
    expect(await (await exported('nobody', 'format=markdown')).text()).toContain('# Memory');
    expect((await server.call('nobody', 'GET', '/api/v1/memory/export?format=xml')).status).toBe(400);
  });

  it('everything has versions, sources, runs and recalls, and the inbox only for those who may decide on it', async () => {
    await storeAll('all', [{ key: 'db/port', value: 'The port is 5432' }]);
    await storeAll('all', [{ key: 'db/port', value: 'The port is 5433' }]);
    await server.call('all', 'POST', '/api/v1/memory/store', {
      key: 'waits',
      value: 'Secret plan',
      propose: true,
    });
    await server.call('all', 'POST', '/api/v1/packs/artifact.list', {});
    const lines = async (scopes?: string[]) => {
      const text = await (await exported('all', 'all=1', scopes)).text();
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { type: string; value?: string; source?: object });
    };
    await expect.poll(async () => (await lines()).some(({ type }) => type === 'run')).toBe(true);
    const agents = await lines();
    expect(agents).toContainEqual(
      expect.objectContaining({
        type: 'fact',
        value: 'The port is 5433',
        version: 2,
        source: expect.objectContaining({ surface: 'rest' }),
      }),
    );
    expect(agents).toContainEqual(
      expect.objectContaining({ type: 'version', value: 'The port is 5432', version: 1 }),
    );
    expect(JSON.stringify(agents)).not.toContain('Secret plan');
    expect(agents.at(-1)).toMatchObject({ type: 'omitted', what: 'proposals' });
    const persons = await lines(['memory:read', 'memory:review']);
    expect(persons).toContainEqual(
      expect.objectContaining({ type: 'proposal', value: 'Secret plan', reason: 'asked' }),
    );
  });
});
