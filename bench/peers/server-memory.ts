import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { asModelSees, type OpenPeer, searchEachWord } from './peer.ts';

interface Graph {
  entities: { name: string; entityType: string; observations: string[] }[];
}

/** As its README configures it: every program starts the server over standard streams; all name one file. */
export const openServerMemory: OpenPeer = async ({ folder }, installed) => {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(installed, 'node_modules/@modelcontextprotocol/server-memory/dist/index.js')],
      env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
      stderr: 'ignore',
    }),
  );
  const call = async (name: string, input: object): Promise<Graph> => {
    const result = await client.callTool(
      { name, arguments: input as Record<string, unknown> },
      { timeout: 600_000 },
    );
    const { text } = (result.content as { text: string }[])[0]!;
    if (result.isError) throw new Error(text);
    return (result.structuredContent ?? {}) as unknown as Graph;
  };
  const entityOf = ({ key, value, tags }: { key: string; value: string; tags: string[] }) => ({
    name: key,
    entityType: tags.join(' '),
    observations: [value],
  });
  const search = async (query: string, limit: number) =>
    (await call('search_nodes', { query })).entities.slice(0, limit).map(({ name }) => name);
  return {
    async store(fact) {
      await call('create_entities', { entities: [entityOf(fact)] });
    },
    async storeMany(facts) {
      await call('create_entities', { entities: facts.map(entityOf) });
    },
    search,
    searchByWord: (query, limit) => searchEachWord(search, query, limit),
    keys: async () => (await call('read_graph', {})).entities.map(({ name }) => name),
    async forget(key) {
      await call('delete_entities', { entityNames: [key] });
    },
    tools: async () => (await client.listTools()).tools.map(asModelSees),
    close: () => client.close(),
  };
};
