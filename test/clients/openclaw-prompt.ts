import assert from 'node:assert/strict';
import { BUDGET } from '../../integrations/openclaw/src/prompt-lines.js';
import { check } from './checks.ts';
import { factsIn, helmdeckCommand, storeManyFacts } from './helmdeck-command.ts';
import { type ListeningModel, startListeningModel } from './listening-model.ts';
import type { OpenClawVersion } from './openclaw.ts';
import { createOpenClawHome, installPlugin, type OpenClawHome } from './openclaw-home.ts';
import { startRecordedServer } from './recorded-server.ts';

/** What an agent reads before the first word of a conversation, as `helmdeck connect` sets it up. */
export async function openclawPrompt({ version, installFlags }: OpenClawVersion): Promise<void> {
  const server = await startRecordedServer();
  const model = await startListeningModel();
  const openclaw = await createOpenClawHome(version, modelSettings(model));
  const helmdeck = await helmdeckCommand(openclaw.home, server);
  const firstPrompt = promptReader(openclaw, model);
  await storeManyFacts(server);
  try {
    await installPlugin(openclaw, installFlags);
    await helmdeck('connect', 'openclaw', '--write');
    await openclaw.startGateway();
    await check('the prompt tells of Helmdeck, and holds no facts unless asked to', async () => {
      const prompt = await firstPrompt();
      assert.ok(prompt.includes('## Helmdeck memory'), 'the prompt does not tell of Helmdeck');
      assert.ok(
        prompt.includes('helmdeck__memory_store, if you have it'),
        'the prompt names no tool to store',
      );
      assert.deepEqual(factsIn(prompt), []);
    });
    await check('connect --auto-recall puts the newest facts there, with the gateway running', async () => {
      const said = await helmdeck('connect', 'openclaw', '--auto-recall', '--write');
      assert.doesNotMatch(said, /install it/);
      const prompt = await firstPrompt();
      const facts = factsIn(prompt);
      assert.ok(facts.length >= 5, `only ${facts.length} facts are in the prompt`);
      assert.ok(facts.join('\n').length <= BUDGET.recalled, `${facts.join('\n').length} characters of facts`);
      assert.ok(!prompt.includes('Bob likes'), "somebody else's fact is in the prompt");
    });
    await check('connect --remove takes all of it out again', async () => {
      await helmdeck('connect', 'openclaw', '--remove', '--write');
      const prompt = await firstPrompt();
      assert.ok(!prompt.includes('## Helmdeck memory'), 'the prompt still tells of Helmdeck');
      assert.deepEqual(factsIn(prompt), []);
    });
  } finally {
    await openclaw.home.remove();
    await model.close();
    await server.close();
  }
}

function modelSettings({ url }: ListeningModel): Record<string, unknown> {
  const models = [{ id: 'listening', name: 'listening', contextWindow: 128_000, maxTokens: 1_000 }];
  const provider = { baseUrl: `${url}/v1`, apiKey: 'none', api: 'openai-completions', models };
  return {
    models: { providers: { test: provider } },
    agents: { defaults: { model: { primary: 'test/listening' } } },
  };
}

/** Begins a conversation through the gateway and returns what the model was asked. */
function promptReader(openclaw: OpenClawHome, model: ListeningModel): () => Promise<string> {
  let conversations = 0;
  return async () => {
    const id = `conversation-${++conversations}`;
    const message = `hello from ${id}`;
    const run = await openclaw.run('agent', '--agent', 'main', '--session-id', id, '--message', message);
    const asked = model.asked.find((body) => body.includes(message));
    assert.ok(asked, `the model was not asked: ${run.all.slice(-2_000)}`);
    return asked;
  };
}
