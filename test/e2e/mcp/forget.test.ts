import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { callTool, connectClient, WAYS, type Way } from './clients.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ socket: true });
});
afterAll(() => server.close());

type Answer = { action: 'accept'; content: { confirm: boolean } } | { action: 'decline' };

/** A client whose person answers in this way. */
async function asking(
  way: Way,
  subject: string,
  answer: Answer,
): Promise<{ client: Client; asked: string[] }> {
  const asked: string[] = [];
  const client = await connectClient(server, way, subject, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params.message);
    return answer;
  });
  return { client, asked };
}

describe.each(WAYS)('memory_forget over %s', (way) => {
  const me = `forgetful-${way}`;

  it('needs confirm: true for everything where nobody can be asked', async () => {
    const client = await connectClient(server, way, me);
    await callTool(client, 'memory_store', { key: 'a', value: 'b' });
    for (const scope of ['all', 'facts', 'erase']) {
      for (const confirm of [undefined, false]) {
        expect(await callTool(client, 'memory_forget', { scope, confirm })).toMatchObject({
          isError: true,
          json: { error: 'invalid_input', reason: 'confirmation_required' },
        });
      }
    }
    expect(await callTool(client, 'memory_forget', { scope: 'nonsense' })).toMatchObject({
      isError: true,
      json: { error: 'invalid_input' },
    });
    expect(
      (await callTool(client, 'memory_forget', { scope: 'facts', confirm: true })).structured,
    ).toMatchObject({ deleted: 1 });
    await client.close();
  });

  it('asks the person where the client can, and does as they say', async () => {
    const yes = await asking(way, me, { action: 'accept', content: { confirm: true } });
    await callTool(yes.client, 'memory_store', { key: 'a', value: 'b' });
    for (const answer of [
      { action: 'decline' },
      { action: 'accept', content: { confirm: false } },
    ] as Answer[]) {
      const no = await asking(way, me, answer);
      // The model's word does not replace the person's.
      expect(await callTool(no.client, 'memory_forget', { scope: 'all', confirm: true })).toMatchObject({
        isError: true,
        json: { reason: 'not_confirmed' },
      });
      expect(no.asked).toEqual([expect.stringContaining('cannot be undone')]);
      await no.client.close();
    }
    expect(
      (await callTool(yes.client, 'memory_forget', { scope: 'all' })).structured.deleted,
    ).toBeGreaterThanOrEqual(1);
    expect((await callTool(yes.client, 'memory_forget', { scope: 'key:nothing' })).structured).toMatchObject({
      deleted: 0,
    });
    expect(yes.asked).toHaveLength(1);
    const erased = await callTool(yes.client, 'memory_forget', { scope: 'erase' });
    expect(erased.structured).toMatchObject({ receipt: { signature: expect.any(String) } });
    await yes.client.close();
  });
});
