import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startChild } from './child-server.ts';
import { crashRounds } from './crash-rounds.ts';

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-kill-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('30 times kill -9 while writing loses no acknowledged write and brings back nothing that was forgotten', async () => {
  const result = await crashRounds(join(folder, 'kill.db'), 30);
  expect(result.problems).toEqual([]);
  expect(result.acknowledged).toBeGreaterThan(300);
}, 240_000);

it('a second process on the same file is refused with a sentence that helps, and the first goes on', async () => {
  const db = join(folder, 'second.db');
  const first = await startChild({ HELMDECK_DB: db });
  await expect(startChild({ HELMDECK_DB: db })).rejects.toThrow(/ended with/);
  const { status } = await first.call('alice', 'POST', '/api/v1/memory/store', { key: 'k', value: 'v' });
  expect(status).toBe(200);
  await first.kill();
  // The lock is the kernel's: a killed process leaves none behind.
  const third = await startChild({ HELMDECK_DB: db });
  expect((await third.call('alice', 'GET', '/api/v1/memory/facts/k')).json.value).toBe('v');
  await third.stop();
});
