import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { callTool, connectClient, PROTOCOLS, type Protocol, until } from './clients.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ socket: true });
});
afterAll(() => server.close());

const MEMORY = 'helmdeck://my-memory';
/** A closing server drops connections that are still open after this time. */
const CLOSE_TIMEOUT_MS = 5_000;

async function subscribe(to: TestServer, protocol: Protocol, subject: string, token?: string) {
  const client = await connectClient(to, protocol, subject, { token });
  if (protocol === '2026-07-28') await client.listen({ resourceSubscriptions: [MEMORY] });
  else await client.subscribeResource({ uri: MEMORY });
  return client;
}

const hasListener = (subject: string) => {
  const { changes, directory } = server.memory!.parts;
  return changes.hasListeners(directory.idOf({ subject }));
};

describe.each(PROTOCOLS)('a subscription over %s', (protocol) => {
  it('a subscription ends when its client disconnects', async () => {
    const me = `goer-${protocol}`;
    const client = await subscribe(server, protocol, me);
    await until(() => hasListener(me));
    if (protocol === '2025') {
      // A session outlives its connection until it is terminated.
      const transport = client.transport as unknown as { terminateSession(): Promise<void> };
      await transport.terminateSession();
    }
    await client.close();
    await until(() => !hasListener(me));
  });
});

it.concurrent('subscriptions end within a minute after their token was revoked or has expired', async () => {
  const endings = PROTOCOLS.map(async (protocol) => {
    const [revoked, expired] = [`revoked-${protocol}`, `expired-${protocol}`];
    const minted = await server.call(revoked, 'POST', '/api/v1/tokens', { ttl_seconds: 3600 });
    const { token, jti } = (await minted.json()) as { token: string; jti: string };
    const clients = [
      await subscribe(server, protocol, revoked, token),
      // Long enough to subscribe with it on a busy machine; the concurrent tests take longer anyway.
      await subscribe(server, protocol, expired, await server.token(expired, { ttlSeconds: 10 })),
    ];
    expect([hasListener(revoked), hasListener(expired)]).toEqual([true, true]);
    expect((await server.call(revoked, 'DELETE', `/api/v1/tokens/${jti}`)).status).toBe(200);
    await expect(callTool(clients[0]!, 'memory_recall', { query: 'x' })).rejects.toThrow();
    await until(() => !hasListener(revoked) && !hasListener(expired), 60_000);
    await Promise.all(clients.map((client) => client.close()));
  });
  await Promise.all(endings);
});

it.concurrent('an idle stream carries a comment every 15 seconds, so that proxies keep it open', async () => {
  const authorization = `Bearer ${await server.token('silent')}`;
  const response = await fetch(`${server.url}/api/v1/mcp/sse`, { headers: { authorization } });
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true });
    if (/^:/m.test(text)) break;
  }
  expect(text).toMatch(/^event: endpoint\ndata: \S+\n\n:/);
});

it('a server with open streams of every protocol closes immediately', async () => {
  const short = await testServer({ socket: true });
  const clients = await Promise.all(PROTOCOLS.map((protocol) => subscribe(short, protocol, 'ada')));
  const startMs = performance.now();
  await short.close();
  expect(performance.now() - startMs).toBeLessThan(CLOSE_TIMEOUT_MS);
  await Promise.all(clients.map((client) => client.close()));
});

it('a token with fewer scopes may do less in an existing session', async () => {
  const client = await connectClient(server, '2025', 'ada');
  const { sessionId } = client.transport as unknown as { sessionId: string };
  const authorization = `Bearer ${await server.token('ada', { scopes: ['memory:read'] })}`;
  const params = { name: 'memory_store', arguments: { key: 'k', value: 'v' } };
  const body = { jsonrpc: '2.0', id: 9, method: 'tools/call', params };
  const headers = {
    authorization,
    'mcp-session-id': sessionId,
    accept: 'application/json, text/event-stream',
  };
  const answer = await server.call(undefined, 'POST', '/api/v1/mcp', body, headers);
  expect(await answer.text()).toContain('insufficient_scope');
  await client.close();
});
