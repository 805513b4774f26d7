import assert from 'node:assert/strict';
import { check } from './checks.ts';
import { startListeningModel } from './listening-model.ts';
import type { OpenClawVersion } from './openclaw.ts';
import { createOpenClawHome, installPlugin } from './openclaw-home.ts';
import { startRecordedServer } from './recorded-server.ts';

/** What an agent reads before the first word of a conversation. */
export async function openclawPrompt(about: OpenClawVersion): Promise<void> {
  const server = await startRecordedServer();
  const model = await startListeningModel();
  const token = await server.helmdeck.token('ada', { client: 'openclaw' });
  await server.helmdeck.call('ada', 'POST', '/api/v1/memory/store', {
    key: 'editor',
    value: 'Helix, not Vim',
  });
  const provider = {
    baseUrl: model.url,
    apiKey: 'none',
    api: 'openai-completions',
    models: [{ id: 'listening', name: 'listening', contextWindow: 128_000, maxTokens: 1_000 }],
  };
  const home = await createOpenClawHome(about.version, {
    models: { providers: { test: provider } },
    agents: { defaults: { model: { primary: 'test/listening' } } },
    mcp: {
      servers: {
        helmdeck: {
          url: `${server.url}/api/v1/mcp`,
          transport: 'streamable-http',
          headers: { Authorization: `Bearer ${token}` },
        },
      },
    },
  });
  try {
    await check('the prompt tells of Helmdeck, and starts with what is known when asked to', async () => {
      await installPlugin(home, about.installFlags);
      const setting = 'plugins.entries.openclaw-helmdeck-memory.config.autoRecall';
      const { code, all } = await home.run('config', 'set', setting, 'true', '--strict-json');
      assert.equal(code, 0, all);
      const run = await home.run('agent', '--agent', 'main', '--message', 'hello', '--local');
      const [prompt = ''] = model.asked.filter((body) => body.includes('hello'));
      assert.match(prompt, /## Helmdeck memory/, run.all.slice(-2_000));
      assert.match(prompt, /helmdeck__memory_store, if you have it/);
      // Versions that cannot wait for a prompt leave the facts out.
      assert.equal(prompt.includes('- editor: Helix, not Vim'), about.recalls);
    });
  } finally {
    await home.remove();
    await model.close();
    await server.close();
  }
}
