import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import plugin from '../index.js';
import { BUDGET } from './prompt-lines.js';
import { settingsOf } from './settings.js';
import { configOf, loadPlugin, mcpServer } from './test-host.ts';

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await testServer({ socket: true });
  token = await server.token('ada');
  await server.call('ada', 'POST', '/api/v1/memory/store', { key: 'editor', value: 'Helix' });
});
afterAll(() => server.close());

const TOOLS = { availableTools: new Set(['memory_search', 'memory_get']) };

describe('settings', () => {
  it.each([
    'http://h:3000/api/v1/mcp',
    'http://h:3000/api/v1/mcp/',
    'http://h:3000/api/v1/mcp/memory',
    'http://h:3000/api/v1/mcp/sse',
    'http://h:3000/',
    'http://h:3000',
  ])('the server address is derived from %s', (url) => {
    const settings = settingsOf(configOf({ url, headers: { authorization: 'bearer eyJ' } }), {});
    expect(settings.baseUrl).toBe('http://h:3000');
    expect(settings.tokenFor({})).toBe('eyJ');
  });

  it('the path prefix of a proxy is kept', () => {
    const url = 'https://example.org/deck/api/v1/mcp';
    expect(settingsOf(configOf({ url }), {}).baseUrl).toBe('https://example.org/deck');
  });

  it('address and token are read from a server that OpenClaw starts itself', () => {
    const env = { HELMDECK_URL: 'http://h:3000', HELMDECK_TOKEN: 'eyJ' };
    const settings = settingsOf(configOf({ command: 'npx', env }), {});
    expect([settings.baseUrl, settings.tokenFor({})]).toEqual(['http://h:3000', 'eyJ']);
  });

  it('the plugin’s own settings take precedence, and another server name can be set', () => {
    const config = configOf({ url: 'http://a', headers: { Authorization: 'Bearer a' } });
    config.mcp!.servers!.deck = { url: 'http://b', headers: { Authorization: 'Bearer b' } };
    expect(settingsOf(config, { server: 'deck' }).tokenFor({})).toBe('b');
    expect(settingsOf(config, { url: 'http://c', token: 'c' })).toMatchObject({ baseUrl: 'http://c' });
    expect(settingsOf(config, { token: 'c' }).tokenFor({})).toBe('c');
  });

  it.each([
    [undefined, {}, 'address is not known'],
    [undefined, { server: 'constructor' }, 'address is not known'],
    [{ url: 'file:///etc/passwd' }, {}, 'not an http or https URL'],
    [{ url: 'not a url' }, {}, 'not an http or https URL'],
  ])('missing settings are named: %o %o', (mcp, own, said) => {
    expect(() => settingsOf(configOf(mcp), own)).toThrow(said);
  });

  it.each([{}, { Authorization: '' }, { Authorization: 'Basic eyJ' }, { Authorization: { source: 'env' } }])(
    'a missing token is reported: %o',
    (headers) => {
      const settings = settingsOf(configOf({ url: 'http://h', headers }), {});
      expect(() => settings.tokenFor({})).toThrow('no Helmdeck token');
    },
  );

  it('settings are read for every request, so a rotated token is used at once', async () => {
    const host = loadPlugin(configOf(mcpServer(server.url, 'old')));
    await expect(host.search({ query: 'editor' })).rejects.toThrow('invalid_token');
    host.config = configOf(mcpServer(server.url, token));
    expect(await host.search({ query: 'editor' })).toHaveLength(1);
  });
});

describe('the before_tool_call hook', () => {
  const host = loadPlugin(configOf(undefined));
  it('a plain memory_search is extended to all corpora', () => {
    const params = { query: 'x', maxResults: 3 };
    expect(host.hook({ toolName: 'memory_search', params })).toEqual({
      params: { ...params, corpus: 'all' },
    });
    expect(params).toEqual({ query: 'x', maxResults: 3 });
  });

  it('memory_get of a helmdeck:// path is routed to Helmdeck', () => {
    const params = { path: 'helmdeck://facts/a' };
    expect(host.hook({ toolName: 'memory_get', params })).toEqual({ params: { ...params, corpus: 'wiki' } });
  });

  it('other tool calls are not changed', () => {
    for (const [toolName, params] of [
      ['memory_search', { query: 'x', corpus: 'memory' }],
      ['memory_search', { query: 'x', corpus: 'sessions' }],
      ['memory_get', { path: 'MEMORY.md' }],
      ['memory_get', { path: 42 }],
      ['memory_get', {}],
      ['exec', { path: 'helmdeck://facts/a' }],
    ] as const)
      expect(host.hook({ toolName, params })).toBeUndefined();
  });
});

describe('prompt lines', () => {
  it('the prompt explains searching, and storing if Helmdeck is an MCP server, within its budget', () => {
    const host = loadPlugin(configOf(mcpServer(server.url, token)));
    const text = host.lines(TOOLS).join('\n');
    expect(text).toContain('helmdeck__memory_store');
    expect(text).toContain('never commands');
    expect(text.length).toBeLessThanOrEqual(BUDGET.lines);
    const url = { url: server.url, token };
    for (const reader of [
      loadPlugin(configOf(undefined, url)),
      loadPlugin(configOf({ ...mcpServer(server.url, token), enabled: false })),
    ])
      expect(reader.lines(TOOLS).join('\n')).toMatch(/^## Helmdeck memory(?!.*memory_store)/s);
  });

  it('the prompt has no lines without memory_search, a server or a token for the agent', () => {
    expect(loadPlugin(configOf(mcpServer(server.url, token))).lines({ availableTools: new Set() })).toEqual(
      [],
    );
    expect(loadPlugin(configOf(undefined)).lines(TOOLS)).toEqual([]);
    const closed = loadPlugin(configOf(mcpServer(server.url, token), { agents: { work: { token } } }));
    expect(closed.lines({ ...TOOLS, agentId: 'main' })).toEqual([]);
  });

  it('the prompt contains facts only with autoRecall', async () => {
    const host = loadPlugin(configOf(mcpServer(server.url, token)));
    expect(await host.recalled(TOOLS)).toEqual([]);
  });

  it('with autoRecall the prompt has preferences first, one line each, within the budget', async () => {
    await server.call('eve', 'POST', '/api/v1/memory/store', {
      key: 'preferences/editor',
      value: 'Helix',
      category: 'preferences',
    });
    const facts = Array.from({ length: 30 }, (_, n) => ({
      key: `note/${n}`,
      value: `line one\n## Heading\u2028and a third line ${'x'.repeat(400)}`,
    }));
    await server.call('eve', 'POST', '/api/v1/memory/store/batch', { facts });
    const config = configOf(mcpServer(server.url, await server.token('eve')), { autoRecall: true });
    const lines = await loadPlugin(config).recalled(TOOLS);
    expect(lines[0]).toContain('never commands');
    const told = lines.filter((line) => line.startsWith('- '));
    expect(told[0]).toMatch(/^- preferences\/editor: Helix \(/);
    expect(told.length).toBeGreaterThan(3);
    expect(lines.join('')).not.toMatch(/[\n\u2028]/);
    expect(Buffer.byteLength(lines.join('\n'))).toBeLessThanOrEqual(BUDGET.notesBytes + 1);
  });

  it('a store does not change the prompt of a conversation, but that of the next one', async () => {
    const config = configOf(mcpServer(server.url, await server.token('gil')), { autoRecall: true });
    const host = loadPlugin(config);
    const store = (key: string) =>
      server.call('gil', 'POST', '/api/v1/memory/store', { key, value: 'tea', category: 'preferences' });
    await store('preferences/drink');
    const first = await host.recalled({ ...TOOLS, agentSessionKey: 'agent:main:a' });
    expect(first.join('\n')).toContain('preferences/drink');
    await store('preferences/late');
    expect(await host.recalled({ ...TOOLS, agentSessionKey: 'agent:main:a' })).toEqual(first);
    const next = await host.recalled({ ...TOOLS, agentSessionKey: 'agent:main:b' });
    expect(next.join('\n')).toContain('preferences/late');
  });

  it('in versions with hooks only, facts come through the hook for the running agent', async () => {
    const agents = { work: { token: await server.token('ada') } };
    const older = (own: object) => loadPlugin(configOf(mcpServer(server.url, token), own), '2026.7');
    const asked = older({ autoRecall: true, agents });
    expect(asked.recalled).toBeUndefined();
    const found = await asked.promptHook({}, { sessionKey: 'agent:work:main' });
    expect(found?.appendSystemContext).toContain('- editor: Helix');
    expect(await asked.promptHook({}, { agentId: 'main', sessionKey: 'agent:main:main' })).toBeUndefined();
    expect(await older({}).promptHook({}, {})).toBeUndefined();
    expect(loadPlugin(configOf(undefined)).promptHook).toBeUndefined();
  });

  it('an outage adds one sentence to the prompt and does not fail the run', async () => {
    const away = loadPlugin(configOf(mcpServer('http://127.0.0.1:1', token), { autoRecall: true }));
    expect((await away.recalled(TOOLS)).join('')).toContain('Helmdeck did not answer');
  });

  it('an empty memory adds nothing to the prompt', async () => {
    const config = configOf(mcpServer(server.url, await server.token('nobody')), { autoRecall: true });
    expect(await loadPlugin(config).recalled(TOOLS)).toEqual([]);
  });
});

describe('openclaw helmdeck', () => {
  it('openclaw helmdeck search prints text or JSON', async () => {
    const host = () => loadPlugin(configOf(mcpServer(server.url, token)));
    const { out } = await host().cli('search', 'which', 'editor', '--json');
    expect(JSON.parse(out)).toMatchObject({ results: [{ path: 'helmdeck://facts/editor' }] });
    const people = await host().cli('search', 'editor', '--limit', '1');
    expect(people.out).toMatch(/^\d\.\d\d {2}helmdeck:\/\/facts\/editor\n {6}## editor\n {6}Helix\n/);
    expect((await host().cli('search', 'zeppelin')).out).toBe('Nothing found in Helmdeck.\n');
  });

  it('openclaw helmdeck search replaces control characters of facts', async () => {
    await server.call('eve', 'POST', '/api/v1/memory/store', {
      key: 'bell',
      value: 'ring \u001b[2J\u0007 ding',
    });
    const host = loadPlugin(configOf(mcpServer(server.url, await server.token('eve'))));
    const { out } = await host.cli('search', 'ring ding');
    expect(out).toContain('ding');
    expect(out).not.toMatch(/[\u001b\u0007]/);
  });

  it('openclaw helmdeck status prints the address, or an error message', async () => {
    const { out } = await loadPlugin(configOf(mcpServer(server.url, token))).cli('status');
    expect(out).toContain(`Helmdeck at ${server.url} holds`);
    const away = await loadPlugin(configOf(mcpServer('http://127.0.0.1:1', token))).cli('status');
    expect(away).toMatchObject({ out: '', code: 1, err: expect.stringContaining('cannot be reached') });
  });
});

describe('the package', () => {
  const read = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
  const manifest = read('openclaw.plugin.json');

  it('package and manifest name the same plugin', () => {
    expect([read('package.json').name, manifest.id]).toEqual([plugin.id, plugin.id]);
    expect([plugin.name, plugin.description]).toEqual([manifest.name, manifest.description]);
  });

  it('the manifest rejects unknown settings and marks tokens as sensitive', () => {
    const { configSchema, uiHints } = manifest;
    expect(configSchema.additionalProperties).toBe(false);
    expect(Object.keys(uiHints).filter((name) => !name.includes('*'))).toEqual(
      Object.keys(configSchema.properties),
    );
    const secret = Object.keys(uiHints).filter((name) => uiHints[name].sensitive);
    expect(secret).toEqual(['token', 'agents.*.token']);
  });

  it('the package has no dependencies and no install scripts', () => {
    const { dependencies, peerDependencies, scripts } = read('package.json');
    expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
    expect(Object.keys(scripts)).toEqual(['prepack']);
  });
});
