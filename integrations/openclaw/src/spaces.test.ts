import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import plugin from '../index.js';
import { configOf, loadPlugin, mcpServer } from './test-host.ts';

let server: TestServer;
let token: string;
let admin: Record<string, string>;
beforeAll(async () => {
  server = await testServer({ socket: true });
  token = await server.token('ada', { scopes: ['memory:read'] });
  admin = { authorization: `Bearer ${await server.token('admin', { scopes: ['admin'] })}` };
  await server.call('ada', 'POST', '/api/v1/memory/store', {
    key: 'deploy/own',
    value: 'Ada deploys through Konflux on Mondays.',
  });
  for (const slug of ['platform', 'secret']) {
    await server.call(undefined, 'POST', '/api/v1/spaces', { slug }, admin);
    const value = `The team ${slug} deploys through Konflux on Fridays.`;
    const path = `/api/v1/memory/store?space=${slug}`;
    await server.call(undefined, 'POST', path, { key: 'deploy/team', value }, admin);
  }
});
afterAll(() => server.close());

const grants = '/api/v1/spaces/platform/grants/ada';
beforeEach(() => server.call(undefined, 'PUT', grants, { role: 'reader' }, admin));

function hostWith(spaces: string) {
  const config = configOf(mcpServer(server.url, token), { spaces, autoRecall: true });
  config.plugins!.entries![plugin.id]!.hooks = { allowConversationAccess: true };
  return loadPlugin(config);
}
const TOOLS = { availableTools: new Set(['memory_search', 'memory_get']) };

it.each(['mine,platform', '*'])(
  'with spaces "%s" a search finds what the team shares, and get reads it',
  async (spaces) => {
    const host = hostWith(spaces);
    const hits = await host.search({ query: 'how do we deploy with konflux' });
    expect(hits.map(({ path, title, kind }) => [path, title, kind]).sort()).toEqual([
      ['helmdeck://facts/deploy/own', 'deploy/own', 'fact'],
      ['helmdeck://spaces/platform/facts/deploy/team', 'platform: deploy/team', 'fact'],
    ]);
    const found = await host.get({ lookup: 'helmdeck://spaces/platform/facts/deploy/team' });
    expect(found).toMatchObject({ kind: 'fact', title: 'platform: deploy/team' });
    expect(found!.content).toContain('The team platform deploys');
  },
);

it('lines in a prompt that come from a space begin with its name', async () => {
  // The plugin waits half a second; on a busy machine the first search of a server takes longer.
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
  const host = hostWith('mine,platform');
  const atStart = (await host.recalled(TOOLS)).join('\n');
  expect(atStart).toContain('- platform: deploy/team: The team platform deploys');
  expect(atStart).toContain('- deploy/own: Ada deploys');
  const run = { agentId: 'main', sessionKey: 'agent:main:main', sessionId: 's' };
  const [before] = host.hooks.before_prompt_build!;
  expect(await before!({ prompt: 'On which day does the team deploy?', messages: [] }, run)).toEqual({
    prependContext: expect.stringContaining('- platform: deploy/team: The team platform deploys'),
  });
  timeout.mockRestore();
});

it('when the grant is taken back only the memory of the agent is left, and it still works', async () => {
  await server.call(undefined, 'DELETE', grants, undefined, admin);
  const host = hostWith('mine,platform');
  expect((await host.search({ query: 'deploy with konflux' })).map(({ path }) => path)).toEqual([
    'helmdeck://facts/deploy/own',
  ]);
  const text = (await host.recalled(TOOLS)).join('\n');
  expect(text).toContain('deploy/own');
  expect(text).not.toContain('team platform');
});
