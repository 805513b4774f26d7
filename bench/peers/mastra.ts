import { join } from 'node:path';
import { importFrom } from './import-from.ts';
import { type OpenPeer, type PeerFact, textOf } from './peer.ts';

interface Message {
  id: string;
}
interface MastraMemory {
  createThread(thread: object): Promise<unknown>;
  saveMessages(messages: object): Promise<unknown>;
  recall(query: object): Promise<{ messages: Message[] }>;
  deleteMessages(ids: string[]): Promise<void>;
  settled?(): Promise<unknown>;
}
interface Packages {
  Memory: new (config: object) => MastraMemory;
  LibSQLStore: new (config: object) => object;
  LibSQLVector: new (config: object) => object;
  ModelRouterEmbeddingModel: new (config: object) => object;
}

const place = { threadId: 'facts', resourceId: 'bench' };

/** Semantic recall over LibSQL, as its documentation sets it up: each fact is a message of one thread. */
export const openMastra: OpenPeer = async ({ folder, embeddingsUrl }, installed) => {
  process.env.MASTRA_TELEMETRY_DISABLED = '1';
  const names = ['@mastra/memory', '@mastra/libsql', '@mastra/core/llm'];
  const loaded = await Promise.all(names.map((name) => importFrom(installed, name)));
  const { Memory, LibSQLStore, LibSQLVector, ModelRouterEmbeddingModel } = Object.assign(
    {},
    ...loaded,
  ) as Packages;
  const url = `file:${join(folder, 'local.db')}`;
  const memory = new Memory({
    storage: new LibSQLStore({ id: 'agent-storage', url }),
    vector: new LibSQLVector({ id: 'agent-vector', url }),
    embedder: new ModelRouterEmbeddingModel({
      providerId: 'stand-in',
      modelId: 'stand-in',
      url: embeddingsUrl,
      apiKey: 'unused',
    }),
    options: { semanticRecall: true },
  });
  await memory.createThread({ ...place, title: 'facts' });
  // Messages of one millisecond are mistaken for each other.
  let createdMs = Date.now();
  const save = async (facts: readonly PeerFact[]) => {
    const messages = facts.map((fact) => ({
      id: fact.key,
      ...place,
      role: 'user',
      createdAt: new Date(createdMs++),
      content: { format: 2, parts: [{ type: 'text', text: textOf(fact) }] },
    }));
    await memory.saveMessages({ messages });
  };
  const idsOf = ({ messages }: { messages: Message[] }) => messages.map(({ id }) => id);
  return {
    store: (fact) => save([fact]),
    storeMany: save,
    search: async (query, limit) =>
      idsOf(
        await memory.recall({
          ...place,
          vectorSearchString: query,
          perPage: 0,
          threadConfig: {
            lastMessages: false,
            semanticRecall: { topK: limit, messageRange: 0, scope: 'resource' },
          },
        }),
      ),
    keys: async () => idsOf(await memory.recall({ ...place, perPage: false })),
    async forget(key) {
      await memory.deleteMessages([key]);
      await memory.settled?.();
    },
    close: async () => {},
  };
};
