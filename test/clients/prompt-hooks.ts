import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import { check } from './checks.ts';
import type { Agent } from './conversation.ts';
import { startFakeModel } from './fake-model.ts';
import { helmdeckCommand } from './helmdeck-command.ts';
import { type RecordedServer, startRecordedServer } from './recorded-server.ts';

// Notes before a prompt, as the model receives them, also with the server down, slow, restarted and the token revoked.

export const FACT = { key: 'deploy/konflux', value: 'We deploy through Konflux, never by hand.' };
/** Only notes before a prompt begin so; those at the start of a conversation do not. */
export const HEADING = 'that may bear on this prompt';
export const QUESTION = 'Hi! How do we deploy with Konflux, again?';

export async function checkPromptHooks({ name, program, home: homeFor, say }: Agent): Promise<void> {
  const server = await startRecordedServer();
  const model = await startFakeModel();
  const home = await homeFor(model);
  const helmdeck = await helmdeckCommand(home, server);
  let conversations = 0;
  /** Everything that the model received for a message that ends in a mark of its own. */
  const received = async (message: string) => {
    const mark = `(${++conversations})`;
    const { all } = await home.run(program(), say(`${message} ${mark}`));
    const bodies = model.requests.filter((body) => body.includes(mark));
    assert.notEqual(bodies.length, 0, `the model got no request: ${all.slice(-2_000)}`);
    return bodies.join('\n');
  };
  try {
    await server.helmdeck.call('ada', 'POST', '/api/v1/memory/store', FACT);
    await fillStartNotes(server);
    await helmdeck('connect', name, '--auto-recall', '--write');
    await check('the model receives the notes that fit the prompt', async () => {
      const request = await received(QUESTION);
      assert.ok(request.includes(HEADING), 'no notes before the prompt');
      assert.ok(request.includes(FACT.value), 'the fact is not among them');
    });
    await check('an unrelated prompt reaches the model without notes', async () => {
      assert.ok(!(await received('What is the capital of Mongolia?')).includes(HEADING));
    });
    await check('while Helmdeck is down, the prompt reaches the model without notes', async () => {
      await server.goDown();
      assert.ok(!(await received(QUESTION)).includes(HEADING));
    });
    await check('after Helmdeck came back, the model receives them again', async () => {
      await server.comeBack();
      assert.ok((await received(QUESTION)).includes(HEADING));
    });
    await check('while recall hangs, the prompt reaches the model without notes', async () => {
      await whileRecallHangs(server, async () => {
        assert.ok(!(await received(QUESTION)).includes(HEADING));
      });
    });
    await check('with a revoked token, the prompt reaches the model without notes', async () => {
      await revokeTokensOf(server, name);
      assert.ok(!(await received(QUESTION)).includes(HEADING));
    });
  } finally {
    await home.remove();
    await model.close();
    await server.close();
  }
}

/** More preferences than the notes at the start have room for, so that the fact is not told there. */
async function fillStartNotes({ helmdeck }: RecordedServer): Promise<void> {
  const facts = Array.from({ length: 120 }, (_, at) => ({
    key: `preferences/remark-${at}`,
    value: `A remark about gardening that nobody asks for, number ${at}. `.repeat(3),
    category: 'preferences',
  }));
  await helmdeck.call('ada', 'POST', '/api/v1/memory/store/batch', { facts });
}

/**
 * Puts a server in front that never answers recall. Only recall: while its MCP server hangs as well, Gemini CLI sends no
 * request to its model for minutes.
 */
export async function whileRecallHangs(server: RecordedServer, work: () => Promise<void>): Promise<void> {
  const hung = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming;
    if (url?.startsWith('/api/v1/memory/')) return;
    const upstream = request(server.helmdeck.url + url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  });
  await server.goDown();
  await new Promise<void>((ready) => hung.listen(Number(new URL(server.url).port), '127.0.0.1', ready));
  try {
    await work();
  } finally {
    hung.closeAllConnections();
    await new Promise((closed) => hung.close(closed));
    await server.comeBack();
  }
}

export async function revokeTokensOf({ helmdeck }: RecordedServer, client: string): Promise<void> {
  const tokens = await helmdeck.call('ada', 'GET', '/api/v1/tokens');
  const { tokens: minted } = (await tokens.json()) as { tokens: { jti: string; client?: string }[] };
  for (const token of minted)
    if (token.client === client) await helmdeck.call('ada', 'DELETE', `/api/v1/tokens/${token.jti}`);
}
