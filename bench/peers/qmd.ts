import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { importFrom } from './import-from.ts';
import { asModelSees, type OpenPeer, type PeerFact, searchEachWord } from './peer.ts';

interface QmdStore {
  update(): Promise<unknown>;
  searchLex(query: string, options: object): Promise<{ displayPath: string }[]>;
  close(): Promise<void>;
}
type CreateStore = (options: object) => Promise<QmdStore>;

/** Markdown files beside its index. A write is a file and an `update`; keyword search only, which needs no model. */
export const openQmd: OpenPeer = async ({ folder }, installed) => {
  const notes = join(folder, 'notes');
  mkdirSync(notes, { recursive: true });
  const { createStore } = (await importFrom(installed, '@tobilu/qmd')) as { createStore: CreateStore };
  const store = await createStore({
    dbPath: join(folder, 'index.sqlite'),
    config: { collections: { notes: { path: notes, pattern: '**/*.md' } } },
  });
  // qmd changes names of files to lower case and dashes: hexadecimal ones stay as they are.
  const fileOf = (key: string) => `${Buffer.from(key).toString('hex')}.md`;
  const keyOf = (path: string) => Buffer.from(basename(path, '.md'), 'hex').toString();
  const write = ({ key, value, tags }: PeerFact) =>
    writeFileSync(join(notes, fileOf(key)), `# ${key}\n\n${value}\n\nTags: ${tags.join(', ')}\n`);
  const search = async (query: string, limit: number) =>
    (await store.searchLex(query, { limit })).map(({ displayPath }) => keyOf(displayPath));
  return {
    async store(fact) {
      write(fact);
      await store.update();
    },
    async storeMany(facts) {
      for (const fact of facts) write(fact);
      await store.update();
    },
    search,
    searchByWord: (query, limit) => searchEachWord(search, query, limit),
    keys: async () => readdirSync(notes).map(keyOf),
    async forget(key) {
      rmSync(join(notes, fileOf(key)));
      await store.update();
    },
    async tools() {
      const client = new Client({ name: 'bench', version: '1.0.0' });
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [join(installed, 'node_modules/@tobilu/qmd/dist/cli/qmd.js'), 'mcp'],
          env: { HOME: folder, PATH: process.env.PATH ?? '' },
          stderr: 'ignore',
        }),
      );
      const { tools } = await client.listTools();
      await client.close();
      return tools.map(asModelSees);
    },
    close: () => store.close(),
  };
};
