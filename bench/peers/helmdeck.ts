import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createHelmdeck } from '../../packages/helmdeck/src/client/index.ts';
import { asModelSees, type OpenPeer } from './peer.ts';

/** A program with a token of a running server, over REST. */
export const openHelmdeck: OpenPeer = async ({ url, token }) => {
  const helmdeck = createHelmdeck({ url: url!, token: token! });
  return {
    async store(fact) {
      await helmdeck.facts.store(fact);
    },
    async storeMany(facts) {
      for (let first = 0; first < facts.length; first += 500)
        await helmdeck.facts.storeMany(facts.slice(first, first + 500));
    },
    search: async (query, limit) => (await helmdeck.search(query, { limit })).results.map(({ key }) => key),
    async keys() {
      const keys: string[] = [];
      for await (const { key } of helmdeck.facts.list({})) keys.push(key);
      return keys;
    },
    async forget(key) {
      await helmdeck.facts.forget(key);
    },
    async tools() {
      const client = new Client({ name: 'bench', version: '1.0.0' });
      const requestInit = { headers: { authorization: `Bearer ${token}` } };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${url}/api/v1/mcp/memory`), { requestInit }),
      );
      const { tools } = await client.listTools();
      await client.close();
      return tools.map(asModelSees);
    },
    close: async () => {},
  };
};
