import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { callTool, connectClient, PROTOCOLS, type Protocol, until } from './clients.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ socket: true });
});
afterAll(() => server.close());

/** A client that records the URI of every update notification. */
async function subscribedClient(protocol: Protocol, subject: string, uris: string[], token?: string) {
  const client = await connectClient(server, protocol, subject, { token });
  const updates: string[] = [];
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void updates.push(params.uri),
  );
  let ended: Promise<string> | undefined;
  if (protocol === '2026-07-28') ended = (await client.listen({ resourceSubscriptions: uris })).closed;
  else for (const uri of uris) await client.subscribeResource({ uri });
  return { client, updates, ended };
}

const MEMORY = 'helmdeck://my-memory';

describe.each(PROTOCOLS)('subscriptions over %s', (protocol) => {
  it('a subscription reports the caller’s own changes from every surface, and no other caller’s', async () => {
    const me = `sub-${protocol}`;
    const uris = [MEMORY, 'helmdeck://facts/a/b', 'helmdeck://my-defaults'];
    const mine = await subscribedClient(protocol, me, uris);
    const other = await subscribedClient(protocol, `${me}:x`, uris);
    await server.call(me, 'POST', '/api/v1/memory/store', { key: 'a/b', value: 'by REST' });
    await until(() => mine.updates.length >= 2);
    expect(mine.updates.splice(0).sort()).toEqual(['helmdeck://facts/a/b', MEMORY]);
    await callTool(mine.client, 'memory_store', { key: 'other', value: 'by MCP' });
    await until(() => mine.updates.length >= 1);
    expect(mine.updates.splice(0)).toEqual([MEMORY]);
    await callTool(mine.client, 'route', { user_intent: 'anything' });
    await until(() => mine.updates.includes('helmdeck://my-defaults'));
    mine.updates.splice(0);
    await server.call(me, 'POST', '/api/v1/memory/forget', { scope: 'facts' });
    await until(() => mine.updates.length >= 3);
    expect(mine.updates.sort()).toEqual(['helmdeck://facts/a/b', 'helmdeck://my-defaults', MEMORY]);
    expect(other.updates).toEqual([]);
    await Promise.all([mine.client.close(), other.client.close()]);
  });
});

it('a subscription ends when the client unsubscribes', async () => {
  const { client, updates } = await subscribedClient('2025', 'leaver', [MEMORY]);
  await client.unsubscribeResource({ uri: MEMORY });
  await callTool(client, 'memory_store', { key: 'k', value: 'v' });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(updates).toEqual([]);
  await expect(client.subscribeResource({ uri: 'helmdeck://nothing' })).rejects.toThrow();
  await client.close();
});

it('a subscription needs the read scope', async () => {
  const client = await connectClient(server, '2025', 'writer', { scopes: ['memory:write'] });
  await expect(client.subscribeResource({ uri: MEMORY })).rejects.toMatchObject({ code: -32003 });
  const modern = await connectClient(server, '2026-07-28', 'writer', { scopes: ['memory:write'] });
  await expect(modern.listen({ resourceSubscriptions: [MEMORY] })).rejects.toThrow();
  await Promise.all([client.close(), modern.close()]);
});
