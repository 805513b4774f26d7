import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { definePack } from '../../packages/helmdeck/src/engine/pack/pack.ts';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/test-server.ts';
import { callTool, connectClient, PROTOCOLS, type Protocol, readJson } from '../e2e/mcp/clients.ts';

/** Runs as a job and returns its input. */
const echoPack = definePack({
  name: 'test.echo',
  version: 'v1',
  description: 'Runs as a job.',
  input: z.strictObject({ text: z.string().describe('The text to return') }),
  output: z.object({ text: z.string() }),
  async: true,
  handler: ({ input }) => ({ text: input.text }),
});

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ socket: true, packs: [echoPack], env: { HELMDECK_RATE_LIMIT: 'off' } });
});
afterAll(() => server.close());

/** Subjects that are easy to confuse with one another. */
const BASES = [
  'a',
  'a:b',
  'a/b',
  'a%2Fb',
  'A',
  ' a',
  'a ',
  'unknown',
  '*',
  '%',
  '_',
  '../a',
  'é',
  'e\u0301',
  'a\u200b',
];
const subject = fc.constantFrom(...BASES, ...BASES.map((base) => `${base}${base}`));
const tenant = fc.option(fc.constantFrom('t', 't2', 'a'), { nil: undefined });
const who = fc.record({ subject, tenant });
const protocol = fc.constantFrom<Protocol>(...PROTOCOLS);
const KEY = 'shared/key';

it('no MCP caller sees data of another in tools, resources, completion, prompts, corpus, docids, graph, jobs or subscriptions', async () => {
  let round = 0;
  const different = fc.tuple(who, who).filter(([a, b]) => a.subject !== b.subject || a.tenant !== b.tenant);
  await fc.assert(
    fc.asyncProperty(different, protocol, protocol, async ([owner, other], ownerProtocol, otherProtocol) => {
      const secret = `needle${++round}needle`;
      const mine = await connectClient(server, ownerProtocol, owner.subject, owner);
      const theirs = await connectClient(server, otherProtocol, other.subject, other);
      const bridge = await connectClient(server, '2025', other.subject, {
        ...other,
        path: '/api/v1/mcp/qmd',
      });
      const updated: string[] = [];
      theirs.setNotificationHandler(
        'notifications/resources/updated',
        ({ params }) => void updated.push(params.uri),
      );
      const uris = ['helmdeck://my-memory', `helmdeck://facts/${KEY}`];
      if (otherProtocol === '2026-07-28') await theirs.listen({ resourceSubscriptions: uris });
      else for (const uri of uris) await theirs.subscribeResource({ uri });
      await callTool(mine, 'memory_store', { key: KEY, value: secret, category: secret, tags: [secret] });
      await callTool(mine, 'memory_store', { key: `${secret}/own`, value: secret });
      const { structured: job } = await callTool(mine, 'test_echo', { text: secret });
      const ownBridge = await connectClient(server, '2025', owner.subject, {
        ...owner,
        path: '/api/v1/mcp/qmd',
      });
      const { structured: found } = await callTool(ownBridge, 'query', { query: secret });
      const { docid } = (found.results as unknown as { docid: string }[])[0]!;
      const graph = (who: typeof owner) =>
        connectClient(server, '2025', who.subject, { ...who, path: '/api/v1/mcp/graph' });
      const ownGraph = await graph(owner);
      const theirGraph = await graph(other);
      const entity = { name: 'Ada', entityType: secret, observations: [secret] };
      await callTool(ownGraph, 'create_entities', { entities: [entity] });
      const ref = { type: 'ref/resource', uri: 'helmdeck://facts/{+key}' } as const;
      const seen = await Promise.allSettled([
        callTool(theirs, 'memory_recall', { query: secret }),
        callTool(theirs, 'memory_recall', { key: KEY }),
        callTool(theirs, 'memory_history', { key: KEY }),
        callTool(theirs, 'memory_corpus', {}),
        readJson(theirs, 'helmdeck://my-memory'),
        readJson(theirs, 'helmdeck://my-defaults'),
        readJson(theirs, `helmdeck://facts/${KEY}`),
        theirs.listResources(),
        theirs.complete({ ref, argument: { name: 'key', value: '' } }),
        theirs.complete({
          ref: { type: 'ref/prompt', name: 'remember' },
          argument: { name: 'category', value: '' },
        }),
        theirs.getPrompt({ name: 'what-do-you-know', arguments: {} }),
        callTool(bridge, 'query', { query: secret }),
        callTool(bridge, 'query', {}),
        callTool(bridge, 'status'),
        bridge.callTool({ name: 'get', arguments: { file: `facts/${KEY}` } }),
        bridge.callTool({ name: 'multi_get', arguments: { pattern: '*' } }),
        bridge.callTool({ name: 'get', arguments: { file: docid } }),
        bridge.callTool({ name: 'multi_get', arguments: { pattern: `${docid},${docid.slice(0, 7)}` } }),
        callTool(theirs, 'job_status', { job_id: job.job_id }),
        callTool(theirs, 'job_cancel', { job_id: job.job_id }),
        callTool(theirGraph, 'read_graph'),
        callTool(theirGraph, 'search_nodes', { query: '' }),
        callTool(theirGraph, 'open_nodes', { names: ['Ada'] }),
        callTool(theirGraph, 'add_observations', {
          observations: [{ entityName: 'Ada', contents: ['mine'] }],
        }),
        callTool(theirGraph, 'delete_observations', {
          deletions: [{ entityName: 'Ada', observations: [secret] }],
        }),
        callTool(theirGraph, 'delete_entities', { entityNames: ['Ada'] }),
      ]);
      expect((await callTool(ownGraph, 'open_nodes', { names: ['Ada'] })).structured).toMatchObject({
        entities: [entity],
      });
      // Error messages repeat the query; stored data must not be in any response.
      expect(JSON.stringify(seen).replaceAll('"query":"', '')).not.toContain(secret);
      expect(updated).toEqual([]);
      await callTool(theirs, 'memory_forget', { scope: 'all', confirm: true });
      expect(await readJson(mine, `helmdeck://facts/${KEY}`)).toMatchObject({ value: secret });
      await callTool(mine, 'memory_forget', { scope: 'erase', confirm: true });
      await Promise.all([mine.close(), theirs.close(), bridge.close(), ownBridge.close()]);
      await Promise.all([ownGraph.close(), theirGraph.close()]);
    }),
    { numRuns: 40 },
  );
});

it('200 concurrent stores over all transports and protocol versions are all stored', async () => {
  const clients = await Promise.all(PROTOCOLS.map((each) => connectClient(server, each, 'crowd')));
  const stores = Array.from({ length: 200 }, (_, at) =>
    callTool(clients[at % clients.length]!, 'memory_store', { key: `crowd/${at}`, value: `fact ${at}` }),
  );
  expect((await Promise.all(stores)).every(({ isError }) => !isError)).toBe(true);
  const overview = await readJson(clients[0]!, 'helmdeck://my-memory');
  expect(overview.categories).toMatchObject([{ name: 'user_facts', count: 200 }]);
  const listed = new Set<string>();
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = await server.call(
      'crowd',
      'POST',
      '/api/v1/mcp',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'resources/list',
        params: cursor === undefined ? {} : { cursor },
      },
      { accept: 'application/json, text/event-stream' },
    );
    const [, data] = /data: (.*)/.exec(await page.text())!;
    const { result } = JSON.parse(data!) as { result: { resources: { uri: string }[]; nextCursor?: string } };
    for (const { uri } of result.resources) listed.add(uri);
    cursor = result.nextCursor;
    pages++;
  } while (cursor !== undefined);
  expect([pages, listed.size]).toEqual([4, 208]);
  await Promise.all(clients.map((client) => client.close()));
});
