import { join } from 'node:path';
import { importFrom } from './import-from.ts';
import { type OpenPeer, textOf } from './peer.ts';

interface Mem0Item {
  id: string;
  metadata?: { key?: string };
}

/** The part of the library that is used here. */
interface Mem0 {
  add(text: string, options: object): Promise<unknown>;
  search(query: string, options: object): Promise<{ results: Mem0Item[] }>;
  getAll(options: object): Promise<{ results: Mem0Item[] }>;
  delete(id: string): Promise<unknown>;
}

const user = { user_id: 'bench' };

/** The open-source library with its default store, a SQLite file, and no language model. */
export const openMem0: OpenPeer = async ({ folder, embeddingsUrl }, installed) => {
  process.env.MEM0_TELEMETRY = 'false';
  const { Memory } = (await importFrom(installed, 'mem0ai/oss')) as {
    Memory: new (config: object) => Mem0;
  };
  const openai = { apiKey: 'unused', baseURL: embeddingsUrl, model: 'stand-in' };
  const memory = new Memory({
    embedder: { provider: 'openai', config: openai },
    llm: { provider: 'openai', config: openai },
    vectorStore: {
      provider: 'memory',
      config: { collectionName: 'memories', dimension: 384, dbPath: join(folder, 'vector_store.db') },
    },
    historyStore: { provider: 'sqlite', config: { historyDbPath: join(folder, 'memory.db') } },
  });
  const store = async (fact: Parameters<typeof textOf>[0]) => {
    await memory.add(textOf(fact), { userId: user.user_id, metadata: { key: fact.key }, infer: false });
  };
  const keysOf = (items: Mem0Item[]) => items.map(({ metadata }) => metadata?.key ?? '');
  const all = async () => (await memory.getAll({ filters: user, topK: 1_000_000 })).results;
  return {
    store,
    async storeMany(facts) {
      for (const fact of facts) await store(fact);
    },
    search: async (query, limit) =>
      keysOf((await memory.search(query, { filters: user, topK: limit, threshold: 0 })).results),
    keys: async () => keysOf(await all()),
    async forget(key) {
      for (const { id, metadata } of await all()) if (metadata?.key === key) await memory.delete(id);
    },
    close: async () => {},
  };
};
