import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { callTool, connectClient, type Protocol } from './clients.ts';

// A file, whose commits take long enough for calls to overlap.
const dir = mkdtempSync(join(tmpdir(), 'helmdeck-graph-'));
let server: TestServer;
beforeAll(async () => {
  server = await testServer({ socket: true, env: { HELMDECK_DB: join(dir, 'memory.db') } });
});
afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true });
});

const path = '/api/v1/mcp/graph';
const connect = (subject: string, scopes?: string[], protocol: Protocol = '2025') =>
  connectClient(server, protocol, subject, { path, scopes });
const entity = (name: string, ...observations: string[]) => ({ name, entityType: 'person', observations });

describe('the graph endpoint', () => {
  it('the nine tools of server-memory build, read, search and take apart a graph, without losing a character', async () => {
    const client = await connect('ada', undefined, '2026-07-28');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'create_entities',
      'create_relations',
      'add_observations',
      'delete_entities',
      'delete_observations',
      'delete_relations',
      'read_graph',
      'search_nodes',
      'open_nodes',
    ]);
    const odd = {
      name: ' a/b %2F "x" e\u0301\u200b\n',
      entityType: 'odd  (type)\n',
      observations: ['', ' spaced ', 'two\nlines', '"quoted"', '- dash'],
    };
    const entities = [entity('Ada', 'Likes tea'), entity('Grace'), odd];
    const created = await callTool(client, 'create_entities', { entities });
    expect(created.structured).toEqual({ entities });
    expect(JSON.parse(created.text)).toEqual(entities);
    const again = await callTool(client, 'create_entities', { entities: [entity('Ada'), entity('Linus')] });
    expect(again.structured).toEqual({ entities: [entity('Linus')] });
    const relations = [
      { from: 'Ada', to: 'Grace', relationType: 'works_with' },
      { from: odd.name, to: 'Linus', relationType: 'a/b' },
      { from: 'Grace', to: 'Nowhere', relationType: 'went to' },
    ];
    expect((await callTool(client, 'create_relations', { relations })).structured).toEqual({ relations });
    expect((await callTool(client, 'create_relations', { relations })).structured).toEqual({ relations: [] });
    const added = await callTool(client, 'add_observations', {
      observations: [{ entityName: 'Ada', contents: ['Likes tea', 'Wrote a program'] }],
    });
    expect(added.structured).toEqual({
      results: [{ entityName: 'Ada', addedObservations: ['Wrote a program'] }],
    });
    const read = async (tool: string, input = {}) => {
      const { structured } = await callTool(client, tool, input);
      const { entities: found, relations: between } = structured as unknown as {
        entities: { name: string; observations: string[] }[];
        relations: { from: string }[];
      };
      return { names: found.map(({ name }) => name).sort(), relations: between.length, found };
    };
    const whole = await read('read_graph');
    expect(whole).toMatchObject({ names: [odd.name, 'Ada', 'Grace', 'Linus'], relations: 3 });
    expect(whole.found).toContainEqual(odd);
    expect(await read('search_nodes', { query: 'PROGRAM' })).toMatchObject({ names: ['Ada'], relations: 1 });
    expect(await read('search_nodes', { query: 'odd  (' })).toMatchObject({
      names: [odd.name],
      relations: 1,
    });
    expect(await read('search_nodes', { query: 'absent' })).toMatchObject({ names: [], relations: 0 });
    expect(await read('open_nodes', { names: ['Grace', 'nobody'] })).toMatchObject({
      names: ['Grace'],
      relations: 2,
    });
    await callTool(client, 'delete_observations', {
      deletions: [
        { entityName: 'Ada', observations: ['Likes tea'] },
        { entityName: 'nobody', observations: ['x'] },
      ],
    });
    expect((await read('open_nodes', { names: ['Ada'] })).found[0]!.observations).toEqual([
      'Wrote a program',
    ]);
    expect(await callTool(client, 'delete_relations', { relations: [relations[2]] })).toMatchObject({
      text: 'Relations deleted successfully',
      structured: { success: true, message: 'Relations deleted successfully' },
    });
    await callTool(client, 'delete_entities', { entityNames: ['Ada'] });
    expect(await read('read_graph')).toMatchObject({ names: [odd.name, 'Grace', 'Linus'], relations: 1 });
    await client.close();
  });

  it('a graph is facts: a JSON Lines file of server-memory is in it once imported, and recall finds what it says', async () => {
    const lines = [
      { type: 'entity', ...entity('Konflux', 'Builds all releases') },
      { type: 'relation', from: 'Konflux', to: 'Quay', relationType: 'pushes_to' },
    ].map((item) => JSON.stringify(item));
    const imported = await server.call(
      'grace',
      'POST',
      '/api/v1/memory/import?format=auto&accept=1',
      lines.join('\n'),
      { 'content-type': 'application/x-ndjson' },
    );
    expect(imported.status).toBe(200);
    const client = await connect('grace');
    expect((await callTool(client, 'read_graph')).structured).toEqual({
      entities: [entity('Konflux', 'Builds all releases')],
      relations: [{ from: 'Konflux', to: 'Quay', relationType: 'pushes_to' }],
    });
    const found = await server.call('grace', 'GET', '/api/v1/memory/search?q=who%20builds%20releases');
    expect(await found.json()).toMatchObject({ results: [{ key: 'entities/Konflux' }] });
    await client.close();
  });

  it('observations that several agents add at once are all kept', async () => {
    const client = await connect('mary');
    await callTool(client, 'create_entities', { entities: [entity('Log')] });
    const texts = ['one', 'two', 'three', 'four'];
    const add = (text: string) =>
      callTool(client, 'add_observations', { observations: [{ entityName: 'Log', contents: [text] }] });
    expect((await Promise.all(texts.map(add))).every(({ isError }) => !isError)).toBe(true);
    const { structured } = await callTool(client, 'open_nodes', { names: ['Log'] });
    const [log] = structured.entities as unknown as { observations: string[] }[];
    expect(log!.observations.toSorted()).toEqual(texts.toSorted());
    await client.close();
  });

  it('nothing is stored if a part of the request is refused, and the reason is one line without the text', async () => {
    const client = await connect('linus');
    const secret = 'ghp_1234567890abcdefghijklmnopqrstuvwxYZ';
    const refused = await callTool(client, 'create_entities', {
      entities: [entity('Fine'), entity('Token', `The token is ${secret}`)],
    });
    expect(refused).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^secret_detected: [^\n]*$/),
    });
    expect(refused.text).not.toContain(secret);
    await callTool(client, 'create_entities', { entities: [entity('Ada')] });
    const partly = await callTool(client, 'add_observations', {
      observations: [
        { entityName: 'Ada', contents: ['x'] },
        { entityName: 'nobody', contents: ['y'] },
      ],
    });
    expect(partly.text).toMatch(/^not_found: Entity with name nobody not found/);
    expect((await callTool(client, 'read_graph')).structured).toEqual({
      entities: [entity('Ada')],
      relations: [],
    });
    await client.close();
  });

  it('a token that may only propose puts entities into the inbox and is told so, and may not delete', async () => {
    const client = await connect('eve', ['memory:read', 'memory:propose']);
    const input = { entities: [entity('Eve', 'Listens to everything')] };
    const result = await client.callTool({ name: 'create_entities', arguments: input });
    expect(result.structuredContent).toEqual({ entities: [] });
    expect((result.content as { text: string }[])[1]!.text).toBe(
      '1 wait in the inbox until a person accepts them.',
    );
    expect((await callTool(client, 'delete_entities', { entityNames: ['Eve'] })).text).toMatch(
      /^insufficient_scope: /,
    );
    await client.close();
  });
});
