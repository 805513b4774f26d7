import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { testServer } from '../../packages/helmdeck/src/testing/test-server.ts';
import { connectClient } from '../e2e/mcp/clients.ts';
import { check } from './checks.ts';
import { installedClient } from './installed-client.ts';

const person = (name: string, ...observations: string[]) => ({ name, entityType: 'person', observations });
const works = { from: 'Ada', to: 'Grace', relationType: 'works_with' };
const knows = (from: string, to: string) => ({ from, to, relationType: 'knows' });
const went = { from: 'Grace', to: 'Nowhere', relationType: 'went to' };

/** Calls that are made of both servers, one after another. */
const CALLS: readonly [string, Record<string, unknown>][] = [
  ['read_graph', {}],
  ['create_entities', { entities: [person('Ada', 'Likes tea', 'Two\nlines'), person('Grace')] }],
  ['create_entities', { entities: [person('Ada', 'Again'), person('Linus', ' spaced ')] }],
  ['create_relations', { relations: [works, went] }],
  ['create_relations', { relations: [works] }],
  ['add_observations', { observations: [{ entityName: 'Ada', contents: ['Likes tea', 'Wrote a program'] }] }],
  ['search_nodes', { query: 'PROGRAM' }],
  ['search_nodes', { query: 'person' }],
  ['search_nodes', { query: 'absent' }],
  ['open_nodes', { names: ['Grace', 'nobody'] }],
  ['delete_observations', { deletions: [{ entityName: 'Ada', observations: ['Likes tea', 'absent'] }] }],
  ['delete_observations', { deletions: [{ entityName: 'nobody', observations: ['x'] }] }],
  ['read_graph', {}],
  ['delete_relations', { relations: [went, went] }],
  ['delete_entities', { entityNames: ['Ada', 'nobody'] }],
  ['read_graph', {}],
  ['create_entities', { entities: [] }],
  ['create_relations', { relations: [] }],
  ['open_nodes', { names: [] }],
  // In the order of their names, which is that of the graph for what one millisecond has stored (ADR 54).
  ['create_entities', { entities: [person('Alice'), person('Bob', 'Works at Acme'), person('Charlie')] }],
  ['create_relations', { relations: [knows('Alice', 'Bob'), knows('Bob', 'Bob'), knows('Bob', 'Charlie')] }],
  ['create_relations', { relations: [knows('Ghost', 'Alice')] }],
  ['open_nodes', { names: ['Alice'] }],
  ['open_nodes', { names: ['Charlie'] }],
  ['search_nodes', { query: 'bob' }],
  ['search_nodes', { query: 'acme' }],
  ['delete_relations', { relations: [knows('Alice', 'Bob')] }],
  ['read_graph', {}],
  // With an entity its relations go, in both directions.
  ['delete_entities', { entityNames: ['Bob'] }],
  ['read_graph', {}],
];

/** Compares the graph endpoint with the published server, call by call, and imports its file. */
export async function serverMemory(version: string): Promise<void> {
  const program = join(installedClient('@modelcontextprotocol/server-memory', version), 'dist/index.js');
  const dir = mkdtempSync(join(tmpdir(), 'helmdeck-server-memory-'));
  const file = join(dir, 'memory.jsonl');
  const theirs = new Client({ name: 'test', version: '1.0.0' });
  const env = { MEMORY_FILE_PATH: file };
  await theirs.connect(
    new StdioClientTransport({ command: process.execPath, args: [program], env, stderr: 'ignore' }),
  );
  const helmdeck = await testServer({ socket: true });
  const ours = await connectClient(helmdeck, '2025', 'ada', { path: '/api/v1/mcp/graph' });
  try {
    await check('the graph endpoint lists the tools of server-memory with their fields', async () => {
      const fieldsOf = async (client: Client) =>
        (await client.listTools()).tools.map(({ name, title, description, inputSchema, outputSchema }) => ({
          name,
          title,
          description,
          inputs: Object.keys(inputSchema.properties ?? {}),
          required: inputSchema.required ?? [],
          outputs: Object.keys(outputSchema?.properties ?? {}),
        }));
      assert.deepEqual(await fieldsOf(ours), await fieldsOf(theirs));
    });
    await check('the graph endpoint answers every call as server-memory does', async () => {
      for (const [name, input] of CALLS) {
        const call = { name, arguments: input };
        const { content, structuredContent } = await theirs.callTool(call);
        const answer = await ours.callTool(call);
        assert.deepEqual([name, answer.structuredContent], [name, structuredContent]);
        assert.deepEqual([name, answer.content], [name, content]);
      }
    });
    await check('the file of server-memory imports into the graph', async () => {
      await theirs.callTool({ name: 'create_relations', arguments: { relations: [works] } });
      const path = '/api/v1/memory/import?format=auto&accept=1';
      const type = { 'content-type': 'application/x-ndjson' };
      const imported = await helmdeck.call('grace', 'POST', path, readFileSync(file, 'utf8'), type);
      assert.equal(imported.status, 200);
      const mover = await connectClient(helmdeck, '2025', 'grace', { path: '/api/v1/mcp/graph' });
      const read = async (client: Client) => {
        const { structuredContent } = await client.callTool({ name: 'read_graph', arguments: {} });
        const { entities, relations } = structuredContent as { entities: object[]; relations: object[] };
        return [...entities, ...relations].map((item) => JSON.stringify(Object.entries(item).sort())).sort();
      };
      assert.deepEqual(await read(mover), await read(theirs));
      await mover.close();
    });
  } finally {
    await Promise.all([theirs.close(), ours.close()]);
    await helmdeck.close();
    rmSync(dir, { recursive: true, force: true });
  }
}
