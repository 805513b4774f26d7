import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import plugin from '../index.js';
import type { PluginConfig } from './plugin-api.js';
import { configOf, loadPlugin, mcpServer } from './test-host.ts';

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await testServer({ socket: true });
  token = await server.token('ada');
  const fact = { key: 'deploy/konflux', value: 'We deploy through Konflux.' };
  await server.call('ada', 'POST', '/api/v1/memory/store', fact);
});
afterAll(() => server.close());

function hooksOf(url: string, own: PluginConfig, allowConversationAccess = true) {
  const config = configOf(mcpServer(url, token), own);
  config.plugins!.entries![plugin.id]!.hooks = { allowConversationAccess };
  return loadPlugin(config).hooks;
}
const RUN = { agentId: 'main', sessionKey: 'agent:main:main', sessionId: 's' };
const PROMPT = { prompt: 'history\n\nHow do we deploy with Konflux?', messages: [] };

it('with autoRecall a prompt gets notes that fit it, once per session', async () => {
  // The plugin waits half a second; on a busy machine the first search of a server takes longer.
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
  const [before] = hooksOf(server.url, { autoRecall: true }).before_prompt_build!;
  expect(await before!(PROMPT, RUN)).toEqual({
    prependContext: expect.stringContaining('- deploy/konflux: We deploy through Konflux.'),
  });
  expect(await before!(PROMPT, RUN)).toBeUndefined();
  const event = { ...PROMPT, currentUserMessage: 'thanks!' };
  expect(await before!(event, { ...RUN, sessionId: 't' })).toBeUndefined();
  expect(timeout).toHaveBeenCalledWith(500);
  timeout.mockRestore();
});

it('without the setting, the permission or the server nothing is said and nothing fails', async () => {
  expect(hooksOf(server.url, { autoRecall: true }, false).before_prompt_build).toBeUndefined();
  const [off] = hooksOf(server.url, {}).before_prompt_build!;
  expect(await off!(PROMPT, { ...RUN, sessionId: 'u' })).toBeUndefined();
  const [down] = hooksOf('http://127.0.0.1:9', { autoRecall: true }).before_prompt_build!;
  expect(await down!(PROMPT, { ...RUN, sessionId: 'v' })).toBeUndefined();
});

it('with autoCapture the turns of the run that ended are sent, without tools and their results', async () => {
  const bodies: unknown[] = [];
  const fake = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      bodies.push([request.url, JSON.parse(body)]);
      response.end('{}');
    });
  });
  await new Promise<void>((ready) => fake.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`;
  const messages = [
    { role: 'user', content: 'An earlier question.' },
    { role: 'assistant', content: [{ type: 'text', text: 'An earlier answer.' }] },
    { role: 'user', content: [{ type: 'text', text: 'Use pnpm here.' }] },
    { role: 'assistant', content: [{ type: 'toolCall', name: 'exec' }] },
    { role: 'toolResult', content: [{ type: 'text', text: 'tool output' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Understood.' }] },
  ];
  const [end] = hooksOf(url, { autoCapture: true }).agent_end!;
  await end!({ messages, success: true }, RUN);
  const [off] = hooksOf(url, {}).agent_end!;
  await off!({ messages, success: true }, RUN);
  await new Promise((closed) => fake.close(closed));
  expect(bodies).toEqual([
    [
      '/api/v1/memory/harvest',
      {
        turns: [
          { role: 'user', text: 'Use pnpm here.' },
          { role: 'assistant', text: 'Understood.' },
        ],
        session_id: 's',
      },
    ],
  ]);
});
