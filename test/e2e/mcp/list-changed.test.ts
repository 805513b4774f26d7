import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { connectClient, until, WAYS } from './clients.ts';

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

it('clients of all ways hear that there are other tools when packs are loaded again', async () => {
  const listeners = await Promise.all(
    WAYS.map(async (way) => {
      const client = await connectClient(server, way, 'ada');
      let heard = 0;
      client.setNotificationHandler('notifications/tools/list_changed', () => void heard++);
      if (way === '2026-07-28') await client.listen({ toolsListChanged: true });
      return { client, heard: () => heard };
    }),
  );
  const pack = {
    name: 'own.tool',
    description: 'A program.',
    command: ['./x'],
    input_schema: { type: 'object' },
  };
  writeFileSync(join(folder, 'tool.pack.json'), JSON.stringify(pack));
  await until(() => listeners.every(({ heard }) => heard() > 0));
  for (const { client } of listeners) {
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('own_tool');
    await client.close();
  }
});

it('a listener for tools alone takes one of the caller’s streams, and needs no scope to read', async () => {
  const client = await connectClient(server, '2026-07-28', 'eve', { scopes: ['memory:write'] });
  const { closed, close } = await client.listen({ toolsListChanged: true });
  await close();
  await closed;
  await client.close();
});
