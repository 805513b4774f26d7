import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { callTool, connectClient, PROTOCOLS, type Protocol } from './clients.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ socket: true });
});
afterAll(() => server.close());

type Reply = { action: 'accept'; content: { confirm: boolean } } | { action: 'decline' | 'cancel' };

/** A client whose user replies to every confirmation request like this. */
async function confirmingClient(
  protocol: Protocol,
  subject: string,
  reply: Reply,
): Promise<{ client: Client; prompts: string[] }> {
  const prompts: string[] = [];
  const client = await connectClient(server, protocol, subject, {
    capabilities: { elicitation: { form: {} } },
  });
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    prompts.push(params.message);
    return reply;
  });
  return { client, prompts };
}

describe.each(PROTOCOLS)('memory_forget over %s', (protocol) => {
  const me = `forgetful-${protocol}`;

  it('memory_forget needs confirm: true for broad scopes if the client cannot ask its user', async () => {
    const client = await connectClient(server, protocol, me);
    await callTool(client, 'memory_store', { key: 'a', value: 'b' });
    for (const scope of ['all', 'facts', 'erase']) {
      for (const confirm of [undefined, false]) {
        expect(await callTool(client, 'memory_forget', { scope, confirm })).toMatchObject({
          isError: true,
          text: expect.stringMatching(/^invalid_input: /),
        });
      }
    }
    expect(await callTool(client, 'memory_forget', { scope: 'nonsense' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^invalid_input: /),
    });
    expect(
      (await callTool(client, 'memory_forget', { scope: 'facts', confirm: true })).structured,
    ).toMatchObject({ deleted: 1 });
    await client.close();
  });

  const storeFacts = async (client: Client, count: number) => {
    const facts = Array.from({ length: count }, (_, index) => ({
      key: `p/${index}`,
      value: 'x',
      tags: ['t'],
    }));
    await callTool(client, 'memory_store_many', { facts });
  };

  it.each(['category:user_facts', 'prefix:p/', 'tag:t'])(
    'memory_forget of %s asks above 20 facts, says how many would go, and needs no confirmation up to 20',
    async (scope) => {
      const plain = await connectClient(server, protocol, `${me}-many`);
      await storeFacts(plain, 21);
      expect(await callTool(plain, 'memory_forget', { scope })).toMatchObject({
        isError: true,
        text: expect.stringMatching(/21 facts.* needs confirm: true/),
      });
      const no = await confirmingClient(protocol, `${me}-many`, { action: 'decline' });
      expect(await callTool(no.client, 'memory_forget', { scope, confirm: true })).toMatchObject({
        isError: true,
        text: expect.stringContaining('did not agree'),
      });
      expect(no.prompts).toEqual([expect.stringContaining('21 facts')]);
      const confirmed = await callTool(plain, 'memory_forget', { scope, confirm: true });
      expect(confirmed.structured).toMatchObject({ deleted: 21 });
      await storeFacts(plain, 20);
      expect((await callTool(no.client, 'memory_forget', { scope })).structured).toMatchObject({
        deleted: 20,
      });
      await no.client.close();
      await plain.close();
    },
  );

  it('memory_forget asks the user if the client supports it, and obeys the reply', async () => {
    const yes = await confirmingClient(protocol, me, { action: 'accept', content: { confirm: true } });
    await callTool(yes.client, 'memory_store', { key: 'a', value: 'b' });
    for (const reply of [
      { action: 'decline' },
      { action: 'accept', content: { confirm: false } },
    ] as Reply[]) {
      const no = await confirmingClient(protocol, me, reply);
      // confirm: true from the model does not replace the confirmation of the user.
      expect(await callTool(no.client, 'memory_forget', { scope: 'all', confirm: true })).toMatchObject({
        isError: true,
        text: expect.stringContaining('did not agree'),
      });
      expect(no.prompts).toEqual([expect.stringContaining('cannot be undone')]);
      await no.client.close();
    }
    expect(
      (await callTool(yes.client, 'memory_forget', { scope: 'all' })).structured.deleted,
    ).toBeGreaterThanOrEqual(1);
    expect((await callTool(yes.client, 'memory_forget', { scope: 'key:nothing' })).structured).toMatchObject({
      deleted: 0,
    });
    expect(yes.prompts).toHaveLength(1);
    const erased = await callTool(yes.client, 'memory_forget', { scope: 'erase' });
    expect(erased.structured).toMatchObject({ receipt: { signature: expect.any(String) } });
    await yes.client.close();
  });

  it('memory_forget says that the user could not be asked if the question is cancelled, and then accepts confirm: true', async () => {
    const { client, prompts } = await confirmingClient(protocol, `${me}-alone`, { action: 'cancel' });
    await callTool(client, 'memory_store', { key: 'a', value: 'b' });
    const forget = (scope: string, confirm?: boolean) =>
      callTool(client, 'memory_forget', { scope, confirm });
    const notAsked = {
      isError: true,
      text: 'invalid_input: The user could not be asked; nothing was forgotten. Ask the user; if they agree, call again with confirm: true.',
    };
    // A user who closes the question has not agreed, whatever the model claims in the same call.
    expect(await forget('facts', true)).toMatchObject(notAsked);
    expect(await forget('facts')).toMatchObject(notAsked);
    expect(await forget('all', true), 'another scope is another question').toMatchObject(notAsked);
    expect((await forget('facts', true)).structured).toMatchObject({ deleted: 1 });
    expect(prompts).toHaveLength(3);
    expect(await forget('facts', true), 'it counts once').toMatchObject(notAsked);
    await client.close();
  });
});
