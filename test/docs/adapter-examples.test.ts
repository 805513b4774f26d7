import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { testServer } from '../../packages/helmdeck/src/testing/test-server.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The first program under a heading of a page. */
function exampleOf(page: string, heading: string): string {
  const section = readFileSync(join(ROOT, 'docs/howto', page), 'utf8').split(`# ${heading}\n`)[1]!;
  return /^```ts\n([\s\S]*?)^```/m.exec(section)![1]!;
}

/** A model's API that calls the memory tool once, then ends its turn. */
async function fakeAnthropic(): Promise<string> {
  let calls = 0;
  const input = { command: 'create', path: '/memories/deploy.md', file_text: 'On Tuesday.' };
  const server = createServer((_request, response) => {
    const isFirst = calls++ === 0;
    const content = isFirst
      ? [{ type: 'tool_use', id: 'toolu_1', name: 'memory', input }]
      : [{ type: 'text', text: 'Noted.' }];
    response.setHeader('content-type', 'application/json');
    const stop_reason = isFirst ? 'tool_use' : 'end_turn';
    const usage = { input_tokens: 1, output_tokens: 1 };
    response.end(
      JSON.stringify({
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content,
        stop_reason,
        usage,
      }),
    );
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const MODEL = `import { MockLanguageModelV4 } from 'ai/test';
export const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => ({
    content: [{ type: 'text', text: JSON.stringify(prompt).includes('Tuesday') ? 'On Tuesday.' : 'No idea.' }],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
    warnings: [],
  }),
});
`;

it('the examples of the client and of the adapters run with the built package and do what their pages say', async () => {
  const server = await testServer({ socket: true });
  onTestFinished(() => server.close());
  const dir = mkdtempSync(join(tmpdir(), 'helmdeck-examples-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  writeFileSync(join(dir, 'model.mts'), MODEL);
  const examples = [
    exampleOf('use-the-client.md', 'Use the client'),
    exampleOf('adapters.md', 'Anthropic memory tool'),
    exampleOf('adapters.md', 'LangGraph'),
    exampleOf('adapters.md', 'Vercel AI SDK'),
  ];
  for (const [index, text] of examples.entries()) writeFileSync(join(dir, `example${index}.mts`), text);
  const all = examples.map((_, index) => `await import('./example${index}.mts');`).join('\n');
  writeFileSync(join(dir, 'all.mts'), all);
  const env = {
    PATH: process.env.PATH,
    HELMDECK_URL: server.url,
    HELMDECK_TOKEN: await server.token('ada'),
    ANTHROPIC_BASE_URL: await fakeAnthropic(),
    ANTHROPIC_API_KEY: 'none',
  };
  const child = spawn(process.execPath, ['all.mts'], { cwd: dir, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const [out, errors] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  expect({ exit: await exited, errors }).toEqual({ exit: [0, null], errors: expect.any(String) });
  expect(out.trim().split('\n')).toEqual([
    'deploy/day',
    'deploy/day Deployments happen on Tuesday.',
    'end_turn',
    "{ name: 'Ada', age: 36 }",
    'On Tuesday.',
  ]);
  const file = await server.call('ada', 'GET', '/api/v1/memory/facts/memories%2Fdeploy.md');
  expect(await file.json()).toMatchObject({ value: 'On Tuesday.' });
});
