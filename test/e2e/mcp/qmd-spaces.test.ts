import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { callTool, connectClient } from './clients.ts';

let server: TestServer;
let ada: Client;
let eve: Client;
beforeAll(async () => {
  server = await testServer({ socket: true });
  const send = async (subject: string, scopes: string[], path: string, body: object) => {
    const authorization = `Bearer ${await server.token(subject, { scopes })}`;
    const answer = await server.call(undefined, 'POST', `/api/v1/${path}`, body, { authorization });
    expect(answer.ok).toBe(true);
  };
  const fact = { key: 'deploy/window', value: 'Deploys happen on Mondays.', category: 'ops' };
  for (const slug of ['platform', 'design']) {
    await send('root', ['admin'], 'spaces', { slug, owner: 'ada' });
    await send('ada', ['memory:write', 'spaces:write'], `memory/store?space=${slug}`, fact);
  }
  await send('ada', ['memory:write'], 'memory/store', fact);
  await send('ada', ['memory:write'], 'memory/store', {
    key: 'deploy/tool',
    value: 'Deploys go with Konflux.',
  });
  [ada, eve] = await Promise.all([connect('ada'), connect('eve')]);
});
afterAll(async () => {
  await Promise.all([ada.close(), eve.close()]);
  await server.close();
});

const connect = (subject: string) =>
  connectClient(server, '2026-07-28', subject, { path: '/api/v1/mcp/qmd' });
interface Hit {
  docid: string;
  file: string;
  collection: string;
  title: string;
  context: string;
  snippet: string;
}
const found = async (collections?: string[], query: string | undefined = 'deploys') =>
  (await callTool(ada, 'query', { query, collections })).structured.results as unknown as Hit[];
const filesIn = async (collections?: string[], query?: string) =>
  (await found(collections, query)).map(({ file }) => file).sort();

const OWN = ['facts/deploy/tool', 'facts/deploy/window'];
const PLATFORM = 'spaces/platform/facts/deploy/window';
const DESIGN = 'spaces/design/facts/deploy/window';

describe('spaces in the corpus bridge', () => {
  it.each([
    [undefined, OWN],
    [[], OWN],
    [['memory-root-main'], OWN],
    [['space-platform'], [PLATFORM]],
    [['space-*'], [DESIGN, PLATFORM]],
    [
      ['helmdeck-ops', 'space-platform'],
      ['facts/deploy/window', PLATFORM],
    ],
    [
      ['helmdeck-*', 'space-*'],
      [...OWN, DESIGN, PLATFORM],
    ],
  ])('the collections %j are searched by themselves', async (collections, files) => {
    expect(await filesIn(collections)).toEqual(files);
    expect(await filesIn(collections, '')).toEqual(files);
  });

  it('a hit says which space it is from and who wrote it, and one’s own comes first on a tie', async () => {
    const hits = await found(['helmdeck-ops', 'space-platform']);
    expect(hits.map(({ collection }) => collection)).toEqual(['helmdeck-ops', 'space-platform']);
    expect(hits[1]).toMatchObject({
      title: 'platform: deploy/window',
      context: 'A note somebody stored in the space platform, just now, from ada',
      snippet: '## deploy/window\n\nDeploys happen on Mondays.\n\n(category: ops)',
    });
    expect(hits[0]!.snippet).toBe(hits[1]!.snippet);
    expect(hits[0]!.docid).not.toBe(hits[1]!.docid);
  });

  it('a document of a space is read by the names that query gave, and by a pattern', async () => {
    const [hit] = await found(['space-platform']);
    const names = [hit!.file, hit!.docid, `qmd://${hit!.collection}/${hit!.file}`];
    for (const file of names) {
      const { structured } = await callTool(ada, 'get', { file });
      expect(structured).toMatchObject({ file: PLATFORM, collection: 'space-platform', docid: hit!.docid });
      expect(structured.content).toBe(hit!.snippet);
    }
    const filesOf = async (pattern: string) => {
      const { structured } = await callTool(ada, 'multi_get', { pattern });
      return (structured.documents as unknown as Hit[]).map(({ file }) => file);
    };
    expect(await filesOf('spaces/platform/facts/*')).toEqual([PLATFORM]);
    expect(await filesOf(`${DESIGN},facts/deploy/tool,${hit!.docid}`)).toEqual([
      DESIGN,
      'facts/deploy/tool',
      PLATFORM,
    ]);
    expect(await filesOf('facts/*')).toHaveLength(2);
  });

  it('the status names the spaces and counts one’s own documents', async () => {
    const { structured } = await callTool(ada, 'status');
    expect(structured).toMatchObject({ documents: 2, spaces: ['space-design', 'space-platform'] });
    expect((await callTool(eve, 'status')).structured).toMatchObject({ documents: 0, spaces: [] });
  });

  it('a space that is not granted is answered exactly as one that is not there', async () => {
    const callsFor = (slug: string): [string, Record<string, unknown>][] => [
      ['query', { query: 'deploys', collections: [`space-${slug}`] }],
      ['query', { query: 'deploys', collections: ['helmdeck-ops', `space-${slug}`] }],
      ['get', { file: `spaces/${slug}/facts/deploy/window` }],
      ['multi_get', { pattern: `spaces/${slug}/*` }],
      ['multi_get', { pattern: `facts/a,spaces/${slug}/facts/deploy/window` }],
    ];
    const nowhere = callsFor('no-such-space');
    for (const [at, [tool, input]] of callsFor('platform').entries()) {
      const answer = await callTool(eve, tool, input);
      expect(answer, tool).toMatchObject({ isError: true, text: expect.stringMatching(/^unknown_space: /) });
      expect(answer).toEqual(await callTool(eve, ...nowhere[at]!));
    }
    for (const name of ['mine', ''])
      expect(
        (await callTool(ada, 'query', { query: 'deploys', collections: [`space-${name}`] })).isError,
      ).toBe(true);
    expect((await callTool(eve, 'query', { query: 'deploys', collections: ['space-*'] })).structured).toEqual(
      {
        results: [],
      },
    );
  });
});
