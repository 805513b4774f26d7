import assert from 'node:assert/strict';
import { BUDGET } from '../../integrations/openclaw/src/prompt-lines.js';
import { check } from './checks.ts';
import { type FakeModel, startFakeModel } from './fake-model.ts';
import { factsIn, helmdeckCommand, storeManyFacts } from './helmdeck-command.ts';
import type { OpenClawVersion } from './openclaw.ts';
import { createOpenClawHome, installPlugin, type OpenClawHome } from './openclaw-home.ts';
import { startRecordedServer } from './recorded-server.ts';

/** Checks the first prompt of a conversation after `helmdeck connect`. */
export async function openclawPrompt({ version, installFlags }: OpenClawVersion): Promise<void> {
  const server = await startRecordedServer();
  const model = await startFakeModel();
  const openclaw = await createOpenClawHome(version, modelSettings(model));
  const helmdeck = await helmdeckCommand(openclaw.home, server);
  const firstPrompt = promptReader(openclaw, model);
  await storeManyFacts(server);
  try {
    await installPlugin(openclaw, installFlags);
    await helmdeck('connect', 'openclaw', '--write');
    await openclaw.startGateway();
    await check('after connect, the prompt mentions Helmdeck and contains no facts', async () => {
      const prompt = await firstPrompt();
      assert.ok(prompt.includes('## Helmdeck memory'), 'the prompt does not mention Helmdeck');
      assert.ok(
        prompt.includes('helmdeck__memory_store, if you have it'),
        'the prompt names no tool to store',
      );
      assert.deepEqual(factsIn(prompt), []);
    });
    await check('connect --auto-recall adds the newest facts while the gateway runs', async () => {
      const output = await helmdeck('connect', 'openclaw', '--auto-recall', '--write');
      assert.doesNotMatch(output, /install it/);
      const prompt = await firstPrompt();
      const facts = factsIn(prompt);
      assert.ok(facts.length >= 5, `only ${facts.length} facts are in the prompt`);
      assert.ok(facts.join('\n').length <= BUDGET.recalled, `${facts.join('\n').length} characters of facts`);
      assert.ok(!prompt.includes('Bob likes'), "another caller's fact is in the prompt");
    });
    await check('connect --remove removes all of it from the prompt', async () => {
      await helmdeck('connect', 'openclaw', '--remove', '--write');
      const prompt = await firstPrompt();
      assert.ok(!prompt.includes('## Helmdeck memory'), 'the prompt still mentions Helmdeck');
      assert.deepEqual(factsIn(prompt), []);
    });
  } finally {
    await openclaw.home.remove();
    await model.close();
    await server.close();
  }
}

export function modelSettings({ url }: FakeModel): Record<string, unknown> {
  const models = [{ id: 'fake', name: 'fake', contextWindow: 128_000, maxTokens: 1_000 }];
  const provider = { baseUrl: `${url}/v1`, apiKey: 'none', api: 'openai-completions', models };
  return {
    models: { providers: { test: provider } },
    agents: { defaults: { model: { primary: 'test/fake' } } },
  };
}

/** Starts a conversation through the gateway and returns the request to the model. */
function promptReader(openclaw: OpenClawHome, model: FakeModel): () => Promise<string> {
  let conversations = 0;
  return async () => {
    const id = `conversation-${++conversations}`;
    const message = `hello from ${id}`;
    const run = await openclaw.run('agent', '--agent', 'main', '--session-id', id, '--message', message);
    const request = model.requests.find((body) => body.includes(message));
    assert.ok(request, `the model got no request: ${run.all.slice(-2_000)}`);
    return request;
  };
}
