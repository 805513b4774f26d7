import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { freePort } from '../../support/services/free-port.ts';
import { callTool, connectClient, until } from './clients.ts';

const MEMORY = 'helmdeck://my-memory';
const PATH = '/api/v1/mcp';

let dir: string;
let env: Record<string, string>;
let server: TestServer;
let clients: Client[];
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'helmdeck-mcp-'));
  env = {
    HELMDECK_DB: join(dir, 'h.db'),
    HELMDECK_MEMORY_KEY: '0f'.repeat(32),
    HELMDECK_ADDR: `127.0.0.1:${await freePort()}`,
  };
  server = await testServer({ socket: true, env });
  clients = [];
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await server.close();
  rmSync(dir, { recursive: true });
});

async function connected(...args: Parameters<typeof connectClient>): Promise<Client> {
  const client = await connectClient(...args);
  clients.push(client);
  return client;
}

async function restart(): Promise<void> {
  await server.close();
  server = await testServer({ socket: true, env });
}

const idOf = (client: Client) => (client.transport as unknown as { sessionId: string }).sessionId;

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const send = (subject: string, id: string, { method = 'POST', path = PATH } = {}) =>
  server.call(subject, method, path, method === 'POST' ? ping : undefined, {
    accept: 'application/json, text/event-stream',
    'mcp-session-id': id,
  });

describe('a session after a restart of the server', () => {
  it.each(['2026-07-28', '2025'] as const)(
    'a client of protocol version %s keeps working',
    async (version) => {
      const client = await connected(server, version, 'ada');
      await callTool(client, 'memory_store', { key: 'k', value: 'before' });
      await restart();
      // Concurrent calls find the session gone at the same time.
      const recalled = await Promise.all(
        Array.from({ length: 4 }, () => callTool(client, 'memory_recall', { key: 'k' })),
      );
      for (const { structured } of recalled)
        expect(structured).toMatchObject({ results: [{ value: 'before' }] });
    },
  );

  it('a client can subscribe again, and is notified over the stream that it opened again', async () => {
    const client = await connected(server, '2025', 'ada');
    const updates: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      updates.push(params.uri);
    });
    await client.subscribeResource({ uri: MEMORY });
    await restart();
    await client.subscribeResource({ uri: MEMORY });
    // The SDK opens its stream again in the background.
    for (let at = 0; updates.length === 0; at++) {
      await server.call('ada', 'POST', '/api/v1/memory/store', { key: 'k', value: `v${at}` });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(updates[0]).toBe(MEMORY);
  });

  it('the user of a client that supports elicitation is asked', async () => {
    const client = await connected(server, '2025', 'ada', { capabilities: { elicitation: { form: {} } } });
    let asked = 0;
    client.setRequestHandler('elicitation/create', async () => {
      asked++;
      return { action: 'accept', content: { confirm: true } };
    });
    await callTool(client, 'memory_store', { key: 'k', value: 'v' });
    await restart();
    const { structured } = await callTool(client, 'memory_forget', { scope: 'facts' });
    expect([asked, structured]).toEqual([1, expect.objectContaining({ deleted: 1 })]);
  });

  it('a session is unknown to other callers and endpoints, and so is an id that was changed', async () => {
    const id = idOf(await connected(server, '2025', 'ada'));
    await restart();
    const attempts = [
      send('bob', id),
      send('bob', id, { method: 'GET' }),
      send('bob', id, { method: 'DELETE' }),
      send('ada', id, { path: '/api/v1/mcp/memory' }),
      send('ada', id, { path: '/api/v1/mcp/qmd' }),
      send('ada', id.replace('2025', '2024')),
      send('ada', crypto.randomUUID()),
    ];
    for (const refused of await Promise.all(attempts)) {
      expect(refused.status).toBe(404);
      expect(await refused.json()).toMatchObject({
        error: 'not_found',
        reason: 'unknown_session',
        hint: 'Send initialize again.',
      });
    }
    expect((await send('ada', id)).status).toBe(200);
  });

  it('a session can be ended, and stays ended', async () => {
    const id = idOf(await connected(server, '2025', 'ada'));
    await restart();
    expect((await send('ada', id, { method: 'DELETE' })).status).toBe(200);
    for (const method of ['POST', 'GET', 'DELETE'])
      expect((await send('ada', id, { method })).status).toBe(404);
  });

  it('a session ends with the process if the server has no secret in common with the next one', async () => {
    env = {
      HELMDECK_DB: 'memory:',
      HELMDECK_ADDR: env.HELMDECK_ADDR!,
      HELMDECK_DISABLE_AUTH: '1',
      HELMDECK_JWT_SECRET: '',
    };
    await restart();
    const id = idOf(await connected(server, '2025', 'ada', { token: 'none' }));
    const status = async () =>
      (
        await server.call(undefined, 'POST', PATH, ping, {
          accept: 'application/json, text/event-stream',
          'mcp-session-id': id,
        })
      ).status;
    expect(await status()).toBe(200);
    await restart();
    expect(await status()).toBe(404);
  });

  it('a stream over HTTP+SSE is gone with its process, and messages for it are 404', async () => {
    const stream = await server.call('ada', 'GET', '/api/v1/mcp/sse');
    const [, target] = /data: (\S+)/.exec(
      new TextDecoder().decode((await stream.body!.getReader().read()).value),
    )!;
    await restart();
    const refused = await server.call('ada', 'POST', target!, ping);
    expect(refused.status).toBe(404);
    expect(await refused.json()).toMatchObject({
      reason: 'unknown_session',
      hint: expect.stringContaining('Open the stream again.'),
    });
  });
});

it('a session continues after the server dropped it for newer ones', async () => {
  const first = await connected(server, '2025', 'ada');
  const initialize = {
    ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  };
  await first.subscribeResource({ uri: MEMORY });
  const { changes, directory } = server.memory!.parts;
  const isHeld = () => changes.hasListeners(directory.idOf({ subject: 'ada' }));
  expect(isHeld()).toBe(true);
  for (let at = 0; at < 64; at++) {
    const accept = 'application/json, text/event-stream';
    await (await server.call('ada', 'POST', PATH, initialize, { accept })).text();
  }
  await until(() => !isHeld());
  await callTool(first, 'memory_store', { key: 'k', value: 'v' });
  await first.subscribeResource({ uri: MEMORY });
  expect(isHeld()).toBe(true);
});
