import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { callTool, connectClient, until, WAYS, type Way } from './clients.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ socket: true });
});
afterAll(() => server.close());

/** A client that writes down every address it hears of. */
async function listener(way: Way, subject: string, uris: string[], token?: string) {
  const client = await connectClient(server, way, subject, { token });
  const heard: string[] = [];
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void heard.push(params.uri),
  );
  let ended: Promise<string> | undefined;
  if (way === '2026-07-28') ended = (await client.listen({ resourceSubscriptions: uris })).closed;
  else for (const uri of uris) await client.subscribeResource({ uri });
  return { client, heard, ended };
}

const MEMORY = 'helmdeck://my-memory';

describe.each(WAYS)('subscriptions over %s', (way) => {
  it('fire for the caller’s own changes, whichever surface made them, and for nobody else’s', async () => {
    const me = `sub-${way}`;
    const uris = [MEMORY, 'helmdeck://facts/a/b', 'helmdeck://my-defaults'];
    const mine = await listener(way, me, uris);
    const other = await listener(way, `${me}:x`, uris);
    await server.call(me, 'POST', '/api/v1/memory/store', { key: 'a/b', value: 'by REST' });
    await until(() => mine.heard.length >= 2);
    expect(mine.heard.splice(0).sort()).toEqual(['helmdeck://facts/a/b', MEMORY]);
    await callTool(mine.client, 'memory_store', { key: 'other', value: 'by MCP' });
    await until(() => mine.heard.length >= 1);
    expect(mine.heard.splice(0)).toEqual([MEMORY]);
    await callTool(mine.client, 'memory_recall', { query: 'anything' });
    await until(() => mine.heard.includes('helmdeck://my-defaults'));
    mine.heard.splice(0);
    await server.call(me, 'POST', '/api/v1/memory/forget', { scope: 'facts' });
    await until(() => mine.heard.length >= 3);
    expect(mine.heard.sort()).toEqual(['helmdeck://facts/a/b', 'helmdeck://my-defaults', MEMORY]);
    expect(other.heard).toEqual([]);
    await Promise.all([mine.client.close(), other.client.close()]);
  });
});

it('end when the client says so', async () => {
  const { client, heard } = await listener('2025', 'leaver', [MEMORY]);
  await client.unsubscribeResource({ uri: MEMORY });
  await callTool(client, 'memory_store', { key: 'k', value: 'v' });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(heard).toEqual([]);
  await expect(client.subscribeResource({ uri: 'helmdeck://nothing' })).rejects.toThrow();
  await client.close();
});

it('need the scope to read', async () => {
  const client = await connectClient(server, '2025', 'writer', { scopes: ['memory:write'] });
  await expect(client.subscribeResource({ uri: MEMORY })).rejects.toMatchObject({ code: -32003 });
  const modern = await connectClient(server, '2026-07-28', 'writer', { scopes: ['memory:write'] });
  await expect(modern.listen({ resourceSubscriptions: [MEMORY] })).rejects.toThrow();
  await Promise.all([client.close(), modern.close()]);
});
