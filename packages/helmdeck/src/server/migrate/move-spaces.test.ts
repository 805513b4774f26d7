import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { backupDatabase } from '../backup/backup.ts';
import { loadConfig } from '../config/config.ts';
import { migrateDatabase } from './migrate.ts';

const OLD_KEY = '5a'.repeat(32);
const NEW_KEY = '6b'.repeat(32);
const FACT = { key: 'deploy/day', value: 'Deployments happen on Tuesday.' };
const uninterrupted = () => () => {};

/** Sends a request as an admin. */
async function send(server: TestServer, method: string, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${await server.token('admin', { scopes: ['admin'] })}` };
  return server.call(undefined, method, `/api/v1/${path}`, body, headers);
}

/** The space's fact and members, as a reader sees them. */
async function seen(env: Record<string, string>): Promise<object> {
  const server = await testServer({ env });
  const fact = await server.call('ben', 'GET', '/api/v1/memory/facts/deploy%2Fday?space=platform');
  const grants = await server.call('ben', 'GET', '/api/v1/spaces/platform/grants');
  const result = { fact: await fact.json(), grants: await grants.json() };
  await server.memory!.parts.directory.rotate();
  await server.close();
  return result;
}

it('a space is as it was after a restart, a key rotation, a backup and a migration', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'helmdeck-spaces-move-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = (name: string) => join(folder, name);
  const env = { HELMDECK_DB: file('h.db'), HELMDECK_MEMORY_KEY: OLD_KEY };
  const server = await testServer({ env });
  await send(server, 'POST', 'spaces', { slug: 'platform' });
  await send(server, 'PUT', 'spaces/platform/grants/ben', { role: 'reader' });
  await send(server, 'POST', 'memory/store?space=platform', FACT);
  await server.close();

  const before = await seen(env);
  expect(before).toMatchObject({
    fact: { ...FACT, source: { by: 'admin' } },
    grants: {
      grants: [
        { principal: 'admin', role: 'owner' },
        { principal: 'ben', role: 'reader' },
      ],
    },
  });
  const rotated = { HELMDECK_DB: file('h.db'), HELMDECK_MEMORY_KEY: NEW_KEY };
  expect(await seen({ ...rotated, HELMDECK_MEMORY_KEY_PREVIOUS: OLD_KEY })).toEqual(before);
  expect(await seen(rotated), 'without the old key').toEqual(before);

  const { config } = loadConfig(rotated);
  await backupDatabase(config, file('backup.db'), () => {}, uninterrupted);
  expect(await seen({ ...rotated, HELMDECK_DB: file('backup.db') })).toEqual(before);
  await migrateDatabase({ from: file('h.db'), to: file('moved.db') }, () => {}, uninterrupted);
  expect(await seen({ ...rotated, HELMDECK_DB: file('moved.db') })).toEqual(before);
});
