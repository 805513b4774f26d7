import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { connectClient, PROTOCOLS, type Protocol } from './clients.ts';

let server: TestServer;
const store = (subject: string, key: string, value: string) =>
  server.call(subject, 'POST', '/api/v1/memory/store', { key, value, category: 'deploy', tags: ['ci'] });
beforeAll(async () => {
  server = await testServer({ socket: true, env: { HELMDECK_PUBLIC_URL: 'https://memory.example.org' } });
  await store('ada', 'konflux/deploy', `Deploy with konflux. ${'x'.repeat(20_000)}`);
  await store('ada', 'preferences/editor', 'Writes with vim.');
  await store('bob', 'konflux/secret', 'Bob deploys konflux at night.');
});
afterAll(() => server.close());

const connect = async (protocol: Protocol, subject: string, scopes?: string[]) => {
  const client = await connectClient(server, protocol, subject, { path: '/api/v1/mcp/search', scopes });
  onTestFinished(() => client.close());
  return client;
};
const DOCUMENT = {
  id: 'konflux/deploy',
  title: 'konflux/deploy',
  url: 'https://memory.example.org/?key=konflux%2Fdeploy',
};

it.each(PROTOCOLS.filter((each) => each !== 'sse'))(
  'ChatGPT finds a fact with search and reads all of it with fetch, and nothing of another caller (%s)',
  async (protocol) => {
    const client = await connect(protocol, 'ada');
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['search', true],
      ['fetch', true],
    ]);
    const found = await client.callTool({ name: 'search', arguments: { query: 'konflux deploy' } });
    expect(found.structuredContent).toEqual({
      results: [{ ...DOCUMENT, text: expect.stringMatching(/^Deploy with konflux\. x{279}…$/) }],
    });
    const fetched = await client.callTool({ name: 'fetch', arguments: { id: 'konflux/deploy' } });
    expect(fetched.structuredContent).toEqual({
      ...DOCUMENT,
      text: `Deploy with konflux. ${'x'.repeat(20_000)}`,
      metadata: { category: 'deploy', tags: 'ci', age: expect.any(String), updated_at: expect.any(String) },
    });
    // This client reads the text as JSON, so it must be whole.
    for (const result of [found, fetched]) {
      const [block] = result.content as { text: string }[];
      expect(JSON.parse(block!.text)).toEqual(result.structuredContent);
    }
  },
);

it('an id that nobody has, an argument that is missing and a token that may not read are told so in words', async () => {
  const client = await connect('2025', 'ada');
  const text = async (name: string, args: object) => {
    const result = await client.callTool({ name, arguments: { ...args } });
    expect(result.isError).toBe(true);
    return (result.content as { text: string }[])[0]!.text;
  };
  expect(await text('fetch', { id: 'konflux/secret' })).toMatch(/^not_found: .* Search again\.$/);
  expect(await text('search', {})).toMatch(/^invalid_input: query is required/);
  await expect(client.callTool({ name: 'memory_store', arguments: {} })).rejects.toThrow('search or fetch');
  await expect(connect('2025', 'ada', ['packs:run'])).rejects.toThrow();
  const empty = await client.callTool({ name: 'search', arguments: { query: 'zebra' } });
  expect(empty.structuredContent).toEqual({ results: [] });
});
