import { generateText, isStepCount, wrapLanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHelmdeck } from '../../client/index.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { memoryTools, promptNotesMiddleware } from './index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ socket: true });
});
afterAll(() => server.close());

const clientOf = async (subject: string) =>
  createHelmdeck({ url: server.url, token: await server.token(subject) });

type Result = Extract<ConstructorParameters<typeof MockLanguageModelV4>[0], object>['doGenerate'];
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that calls one tool, if any, and then answers. */
function modelThatCalls(toolName?: string, input?: object): MockLanguageModelV4 {
  const call = {
    content: [{ type: 'tool-call', toolCallId: '1', toolName, input: JSON.stringify(input) }],
    finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
  };
  const answer = {
    content: [{ type: 'text', text: 'Done.' }],
    finishReason: { unified: 'stop', raw: 'stop' },
  };
  const results = (toolName === undefined ? [answer] : [call, answer]).map((result) => ({
    ...result,
    usage,
    warnings: [],
  }));
  return new MockLanguageModelV4({ doGenerate: results as Result });
}

const promptsOf = (model: MockLanguageModelV4) =>
  model.doGenerateCalls.map(({ prompt }) => JSON.stringify(prompt.filter(({ role }) => role === 'user')));

describe('the AI SDK adapter', () => {
  it('a model stores a fact and recalls it with the tools, within what the application allows', async () => {
    const helmdeck = await clientOf('ada');
    const tools = memoryTools(helmdeck, { project: 'shop', ttlSeconds: 86_400, maxFacts: 1 });
    const generate = (model: MockLanguageModelV4) =>
      generateText({ model, tools, prompt: 'Go on.', stopWhen: isStepCount(3) });
    await generate(
      modelThatCalls('memory_store', { key: 'deploy/day', value: 'Deployments happen on Tuesday.' }),
    );
    const fact = (await helmdeck.facts.get('deploy/day'))!;
    expect(fact).toMatchObject({ value: 'Deployments happen on Tuesday.', project: 'shop', version: 1 });
    expect(Date.parse(fact.expires_at) - Date.parse(fact.created_at)).toBeLessThanOrEqual(86_400_000);
    await helmdeck.facts.store({ key: 'deploy/who', value: 'Deployments are done by Ada.' });
    const recalled = await generate(modelThatCalls('memory_recall', { query: 'deployments' }));
    const [result] = recalled.steps[0]!.toolResults;
    expect(result!.output).toMatchObject([{ value: expect.stringContaining('Deployments'), source: 'rest' }]);
  });

  it('the notes about a prompt reach the model before it, the same in every step of a tool loop', async () => {
    const helmdeck = await clientOf('grace');
    await helmdeck.facts.store({ key: 'deploy/day', value: 'Deployments happen on Tuesday.' });
    const model = modelThatCalls('memory_recall', { query: 'nothing' });
    const options = { sessionId: 'talk-1', maxChars: 400 };
    const middleware = promptNotesMiddleware(helmdeck, options);
    const question = 'On which day do deployments happen?';
    await generateText({
      model: wrapLanguageModel({ model, middleware }),
      tools: memoryTools(helmdeck),
      prompt: question,
      stopWhen: isStepCount(3),
    });
    const [first, second] = promptsOf(model);
    expect(first).toMatch(/Tuesday.*On which day/s);
    expect(second).toBe(first);
    const later = modelThatCalls();
    const again = promptNotesMiddleware(helmdeck, options);
    await generateText({ model: wrapLanguageModel({ model: later, middleware: again }), prompt: question });
    expect(promptsOf(later)[0]).not.toContain('Tuesday');
  });

  it('a prompt about nothing that is remembered is left as it is, and a failure is reported but stops nothing', async () => {
    const helmdeck = await clientOf('mary');
    const errors: unknown[] = [];
    for (const client of [helmdeck, createHelmdeck({ url: server.url, token: 'not-a-token' })]) {
      const model = modelThatCalls();
      const middleware = promptNotesMiddleware(client, { onError: (error) => errors.push(error) });
      const { text } = await generateText({
        model: wrapLanguageModel({ model, middleware }),
        prompt: 'What is the capital of France?',
      });
      expect(text).toBe('Done.');
      expect(model.doGenerateCalls[0]!.prompt).toMatchObject([
        { role: 'user', content: [{ type: 'text', text: 'What is the capital of France?' }] },
      ]);
    }
    expect(errors).toMatchObject([{ code: 'invalid_token' }]);
  });
});
