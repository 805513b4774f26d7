import assert from 'node:assert/strict';
import { BUDGET } from '../../integrations/openclaw/src/prompt-lines.js';
import { inboxOf, waitsInInbox } from './capture-hooks.ts';
import { check } from './checks.ts';
import { type FakeModel, startFakeModel } from './fake-model.ts';
import { factsIn, helmdeckCommand, storeManyFacts } from './helmdeck-command.ts';
import type { OpenClawVersion } from './openclaw.ts';
import { createOpenClawHome, installPlugin, modelSettings, type OpenClawHome } from './openclaw-home.ts';
import { FACT, HEADING, QUESTION, revokeTokensOf, whileRecallHangs } from './prompt-hooks.ts';
import { startRecordedServer } from './recorded-server.ts';

/** Checks the first prompt of a conversation after `helmdeck connect`. */
export async function openclawPrompt({ version, installFlags }: OpenClawVersion): Promise<void> {
  const server = await startRecordedServer();
  const model = await startFakeModel();
  const openclaw = await createOpenClawHome(version, modelSettings(model));
  const helmdeck = await helmdeckCommand(openclaw.home, server);
  const say = speaker(openclaw, model);
  let conversations = 0;
  const firstPrompt = () => say(`conversation-${++conversations}`, 'Hello.');
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
    await check('connect --auto-recall adds preferences while the gateway runs', async () => {
      const output = await helmdeck('connect', 'openclaw', '--auto-recall', '--auto-capture', '--write');
      assert.doesNotMatch(output, /install it/);
      const prompt = await firstPrompt();
      const facts = factsIn(prompt);
      assert.ok(facts.length >= 5, `only ${facts.length} facts are in the prompt`);
      assert.ok(facts.join('\n').length <= BUDGET.notesBytes, `${facts.join('\n').length} characters`);
      assert.ok(!prompt.includes('Bob likes'), "another caller's fact is in the prompt");
    });
    await check('a store in the middle of a conversation leaves its system prompt as it was', async () => {
      const before = await say('kept', 'Good morning.');
      const fact = { key: 'preferences/late', value: 'Stored later.', category: 'preferences' };
      await server.helmdeck.call('ada', 'POST', '/api/v1/memory/store', fact);
      assert.equal(systemOf(await say('kept', 'And good night.')), systemOf(before));
    });
    await check('a prompt gets the notes that fit it, and an unrelated one none', async () => {
      await server.helmdeck.call('ada', 'POST', '/api/v1/memory/store', FACT);
      assert.ok((await say('fits', QUESTION)).includes(HEADING), 'no notes before the prompt');
      assert.ok(!(await say('off-topic', 'What is the capital of Mongolia?')).includes(HEADING));
    });
    await check('what the user prefers waits in the inbox after the run, in their words', async () => {
      await say('captured', 'I prefer tabs over spaces in every language.');
      await waitsInInbox(server, 'I prefer tabs over spaces in every language.');
      // The notes that earlier prompts got are not what the user said.
      const quotes = (await inboxOf(server)).proposals.map(({ quote }) => quote);
      assert.deepEqual(quotes, ['I prefer tabs over spaces in every language.']);
    });
    await check(
      'while Helmdeck is down or its recall hangs, the prompt reaches the model without notes',
      async () => {
        await server.goDown();
        assert.ok(!(await say('down', QUESTION)).includes(HEADING));
        await server.comeBack();
        await whileRecallHangs(server, async () => {
          assert.ok(!(await say('hung', QUESTION)).includes(HEADING));
        });
        assert.ok((await say('back', QUESTION)).includes(HEADING), 'no notes after it came back');
      },
    );
    await check('with a revoked token, the prompt reaches the model without notes', async () => {
      await revokeTokensOf(server, 'openclaw');
      assert.ok(!(await say('revoked', QUESTION)).includes(HEADING));
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

/** What OpenClaw tells the model before the conversation. */
function systemOf(request: string): string {
  const { messages } = JSON.parse(request) as { messages: { role: string; content: unknown }[] };
  return JSON.stringify(messages.filter(({ role }) => role === 'system' || role === 'developer'));
}

/** Sends a message through the gateway and returns the request to the model. */
function speaker(openclaw: OpenClawHome, model: FakeModel) {
  let said = 0;
  return async (conversation: string, message: string): Promise<string> => {
    const text = `${message} (${++said})`;
    const run = await openclaw.run(
      'agent',
      '--agent',
      'main',
      '--session-id',
      conversation,
      '--message',
      text,
    );
    const request = model.requests.find((body) => body.includes(text));
    assert.ok(request, `the model got no request: ${run.all.slice(-2_000)}`);
    return request;
  };
}
