import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startChild } from './child-server.ts';
import { crashRounds } from './crash-rounds.ts';

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-kill-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('after 30 kill -9 during writes, no acknowledged write is lost and no forgotten fact is back', async () => {
  const result = await crashRounds(join(folder, 'kill.db'), 30);
  expect(result.problems).toEqual([]);
  expect(result.acknowledged).toBeGreaterThan(300);
});

it('a second process on the same database file fails to start, and the first keeps working', async () => {
  const db = join(folder, 'second.db');
  const first = await startChild({ HELMDECK_DB: db });
  await expect(startChild({ HELMDECK_DB: db })).rejects.toThrow(/exited with/);
  const { status } = await first.call('alice', 'POST', '/api/v1/memory/store', { key: 'k', value: 'v' });
  expect(status).toBe(200);
  await first.kill();
  // The kernel holds the lock: a killed process leaves none behind.
  const third = await startChild({ HELMDECK_DB: db });
  expect((await third.call('alice', 'GET', '/api/v1/memory/facts/k')).json.value).toBe('v');
  await third.stop();
});

it('a kill -9 loses no recall that was counted and written before, and shows no more than there were', async () => {
  const env = { HELMDECK_DB: join(folder, 'counted.db') };
  let server = await startChild(env);
  const call = async (method: string, path: string, body?: unknown) =>
    (await server.call('alice', method, `/api/v1/memory${path}`, body)).json;
  await call('POST', '/store', { key: 'drink', value: 'Alice drinks tea' });
  for (let n = 0; n < 3; n++) await call('GET', '/search?q=tea');
  await server.stop();
  server = await startChild(env);
  for (let n = 0; n < 2; n++) await call('GET', '/search?q=tea');
  expect((await call('GET', '/facts/drink')).recalled_count).toBe(5);
  await server.kill();
  server = await startChild(env);
  const { recalled_count } = await call('GET', '/facts/drink');
  expect([3, 4, 5]).toContain(recalled_count);
  await call('GET', '/search?q=tea');
  expect((await call('GET', '/facts/drink')).recalled_count).toBe((recalled_count as number) + 1);
  await server.stop();
});
