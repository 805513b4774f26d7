import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { connectClient, PROTOCOLS, until } from './clients.ts';

let folder: string;
let server: TestServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-list-'));
  server = await testServer({ socket: true, watchPacks: true, env: { HELMDECK_PACKS_DIR: folder } });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

it('clients of every protocol get list_changed when packs are reloaded', async () => {
  const listeners = await Promise.all(
    PROTOCOLS.map(async (protocol) => {
      const client = await connectClient(server, protocol, 'ada');
      let notifications = 0;
      client.setNotificationHandler('notifications/tools/list_changed', () => void notifications++);
      if (protocol === '2026-07-28') await client.listen({ toolsListChanged: true });
      return { client, count: () => notifications };
    }),
  );
  const pack = {
    name: 'own.tool',
    description: 'A program.',
    command: ['./x'],
    input_schema: { type: 'object' },
  };
  writeFileSync(join(folder, 'tool.pack.json'), JSON.stringify(pack));
  await until(() => listeners.every(({ count }) => count() > 0));
  for (const { client } of listeners) {
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('own_tool');
    await client.close();
  }
});

it('a client that listens only for changes of the tools needs no read scope', async () => {
  const client = await connectClient(server, '2026-07-28', 'eve', { scopes: ['memory:write'] });
  const { closed, close } = await client.listen({ toolsListChanged: true });
  await close();
  await closed;
  await client.close();
});
