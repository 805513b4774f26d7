import assert from 'node:assert/strict';
import { startEmbeddingsServer } from '../support/embeddings-server.ts';
import { check, eventually } from './checks.ts';
import { createOpenClawHome, installPlugin, type OpenClawHome, type ToolResult } from './openclaw-home.ts';
import { type RecordedServer, startRecordedServer } from './recorded-server.ts';

export interface OpenClawVersion {
  version: string;
  /** Since 2026.7: `mcp add` and `mcp probe`. */
  probes: boolean;
  installFlags: readonly string[];
  /** Settings for its own search without an account. 2026.5 has no search without embeddings. */
  searchSettings(embeddingsUrl: string): Record<string, unknown>;
}

export const OPENCLAW_VERSIONS: readonly OpenClawVersion[] = [
  {
    version: '2026.9.6',
    probes: true,
    installFlags: ['--accept-capabilities'],
    searchSettings: () => ({
      models: { catalogRefresh: { enabled: false } },
      memory: { search: { provider: 'none' } },
    }),
  },
  {
    version: '2026.7.35',
    probes: true,
    installFlags: [],
    searchSettings: () => ({ agents: { defaults: { memorySearch: { provider: 'none' } } } }),
  },
  {
    version: '2026.5.28',
    probes: false,
    installFlags: [],
    searchSettings: (baseUrl) => {
      const remote = { baseUrl, apiKey: 'none' };
      const memorySearch = { provider: 'openai-compatible', model: 'all-minilm', remote };
      return { agents: { defaults: { memorySearch } } };
    },
  },
];

const FACT = 'helmdeck://facts/deploy/konflux';
const PLUGIN_ID = 'openclaw-helmdeck-memory';
const paths = ({ results = [] }: ToolResult) => results.map(({ path }) => path);
const hasLocal = (result: ToolResult) => paths(result).some((path) => path.endsWith('MEMORY.md'));
const hasFact = (result: ToolResult) => paths(result).includes(FACT);
/** The warning that a corpus was not searched; versions put it next to the results or among them. */
const warningOf = ({ warning = '', results = [] }: ToolResult) =>
  [warning, ...results.filter(({ kind }) => kind === 'warning').map(({ snippet }) => snippet)].join(' ');

export async function openclaw(about: OpenClawVersion): Promise<void> {
  const server = await startRecordedServer();
  const embeddings = await startEmbeddingsServer();
  const home = await createOpenClawHome(about.version, about.searchSettings(embeddings.url));
  const { helmdeck } = server;
  await helmdeck.call('ada', 'POST', '/api/v1/memory/store', {
    key: 'deploy/konflux',
    value: 'Releases go out through Konflux',
  });
  await helmdeck.call('bob', 'POST', '/api/v1/memory/store', {
    key: 'deploy/konflux',
    value: 'Konflux of Bob',
  });
  try {
    await connects(about, home, server);
    await installs(about, home);
    await searches(home);
    await survivesOutage(home, server);
    await failsClosed(home, await helmdeck.token('bob', { scopes: ['memory:read'] }));
  } finally {
    await home.remove();
    await embeddings.close();
    await server.close();
  }
}

async function connects(about: OpenClawVersion, home: OpenClawHome, { url, helmdeck }: RecordedServer) {
  const token = await helmdeck.token('ada', { client: 'openclaw', scopes: ['memory:read', 'memory:write'] });
  const address = `${url}/api/v1/mcp`;
  const headers = { Authorization: `Bearer ${token}` };
  await check('OpenClaw accepts Helmdeck as an MCP server', async () => {
    const { all } = about.probes
      ? await home.run(
          ...['mcp', 'add', 'helmdeck', '--url', address, '--transport', 'streamable-http'],
          ...['--header', `Authorization=${headers.Authorization}`],
        )
      : await home.run(
          'mcp',
          'set',
          'helmdeck',
          JSON.stringify({ url: address, transport: 'streamable-http', headers }),
        );
    assert.match(all, /Saved MCP server "helmdeck"/);
  });
  if (!about.probes) return;
  await check('OpenClaw connects and lists the memory tools', async () => {
    const { out } = await home.run('mcp', 'probe', 'helmdeck', '--json');
    const { tools } = JSON.parse(out) as { tools: string[] };
    for (const tool of ['store', 'recall', 'forget', 'history', 'corpus'])
      assert.ok(tools.includes(`helmdeck__memory_${tool}`), String(tools));
  });
}

async function installs({ installFlags }: OpenClawVersion, home: OpenClawHome) {
  await check('OpenClaw installs the plugin from its package without a network', () =>
    installPlugin(home, installFlags),
  );
  await check('the gateway starts with the plugin', () => home.startGateway());
  await check('the command "openclaw helmdeck search" finds a fact', async () => {
    const { out } = await home.run('helmdeck', 'search', 'konflux', '--json');
    assert.ok(hasFact(JSON.parse(out) as ToolResult), out);
  });
}

const search = (home: OpenClawHome, session?: string) =>
  home.invoke('memory_search', { query: 'konflux' }, session);

async function searches(home: OpenClawHome) {
  await check('a plain memory_search finds the fact and the local note in one list', async () => {
    const result = await eventually(
      () => search(home),
      (found) => hasFact(found) && hasLocal(found),
    );
    assert.ok(result.results!.every(({ score }) => score >= 0 && score <= 1));
    assert.doesNotMatch(JSON.stringify(result), /of Bob/);
  });
  await check('memory_get reads the fact in full, and local files as before', async () => {
    const read = async (path: string) => JSON.stringify(await home.invoke('memory_get', { path }));
    assert.match(await read(FACT), /"text":"[^"]*Releases go out through Konflux/);
    assert.match(await read('MEMORY.md'), /"text":"[^"]*platform team/);
    assert.match(await read('helmdeck://facts/none'), /"text":""/);
  });
  await check('memory_search with a corpus searches only that corpus', async () => {
    const result = await home.invoke('memory_search', { query: 'konflux', corpus: 'memory' });
    assert.ok(hasLocal(result) && !hasFact(result), JSON.stringify(result));
  });
}

async function survivesOutage(home: OpenClawHome, server: RecordedServer) {
  await check('while Helmdeck is down, memory_search returns local notes with a warning', async () => {
    await server.goDown();
    const result = await search(home);
    assert.ok(hasLocal(result) && !hasFact(result), JSON.stringify(result));
    assert.match(warningOf(result), /Helmdeck at http:\S+ cannot be reached/);
  });
  await check('once Helmdeck is back, memory_search finds both again without a restart', async () => {
    await server.comeBack();
    const result = await search(home);
    assert.ok(hasLocal(result) && hasFact(result), JSON.stringify(result));
  });
}

async function failsClosed(home: OpenClawHome, bobsToken: string) {
  await check('an agent without its own token gets nothing from Helmdeck', async () => {
    const path = `plugins.entries.${PLUGIN_ID}.config.agents`;
    const { code, all } = await home.run(
      'config',
      'set',
      path,
      JSON.stringify({ work: { token: bobsToken } }),
      '--strict-json',
    );
    assert.equal(code, 0, all);
    const result = await eventually(
      () => search(home),
      (found) => !hasFact(found),
    );
    assert.ok(hasLocal(result), JSON.stringify(result));
    assert.match(warningOf(result), /The agent "main" has no Helmdeck token/);
  });
  await check('an agent with its own token gets the facts of that token', async () => {
    const result = await search(home, 'agent:work:main');
    assert.match(JSON.stringify(result.results), /Konflux of Bob/);
    assert.doesNotMatch(JSON.stringify(result), /Releases go out/);
  });
  await check('the configuration does not show the token', async () => {
    const { all } = await home.run('config', 'get', `plugins.entries.${PLUGIN_ID}`);
    assert.match(all, /agents/);
    assert.ok(!all.includes(bobsToken.slice(-20)));
  });
}
