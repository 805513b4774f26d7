import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type ChildServer, startChild } from './child-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-rotation-'));
afterAll(() => rmSync(folder, { recursive: true }));

const OLD = '11'.repeat(32);
const NEW = '22'.repeat(32);
const HELMDECK_DB = join(folder, 'rotation.db');
const CALLERS = 120;

async function writeAll(server: ChildServer, round: string): Promise<void> {
  const store = (caller: number) =>
    server.call(`caller-${caller}`, 'POST', '/api/v1/memory/store', {
      key: round,
      value: `${round} of ${caller}`,
    });
  for (let caller = 0; caller < CALLERS; caller += 20) {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, offset) => store(caller + offset)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  }
}

async function readAll(server: ChildServer, rounds: string[]): Promise<void> {
  for (let caller = 0; caller < CALLERS; caller++) {
    for (const round of rounds) {
      const { json } = await server.call(`caller-${caller}`, 'GET', `/api/v1/memory/facts/${round}`);
      expect(json.value).toBe(`${round} of ${caller}`);
    }
  }
}

it('a key rotation during writes, interrupted by a kill, loses nothing, and the old key no longer opens the database', async () => {
  const before = await startChild({ HELMDECK_DB, HELMDECK_MEMORY_KEY: OLD });
  await writeAll(before, 'before');
  await before.stop();

  // Killed immediately: however many keys were re-wrapped by then, both keys together open everything.
  const interrupted = await startChild({
    HELMDECK_DB,
    HELMDECK_MEMORY_KEY: NEW,
    HELMDECK_MEMORY_KEY_PREVIOUS: OLD,
  });
  await interrupted.kill();

  const rotating = await startChild({
    HELMDECK_DB,
    HELMDECK_MEMORY_KEY: NEW,
    HELMDECK_MEMORY_KEY_PREVIOUS: OLD,
  });
  await writeAll(rotating, 'during');
  const rotation = async () =>
    (await rotating.call('caller-0', 'GET', '/api/v1/memory/stats')).json.rotation as {
      finished: boolean;
      unreadable: number;
    };
  while (!(await rotation()).finished) await new Promise((resolve) => setTimeout(resolve, 20));
  expect((await rotation()).unreadable).toBe(0);
  await rotating.kill();

  const after = await startChild({ HELMDECK_DB, HELMDECK_MEMORY_KEY: NEW });
  await readAll(after, ['before', 'during']);
  await after.stop();

  // With only the old key the server reports wrong_key and changes nothing.
  const wrong = await startChild({ HELMDECK_DB, HELMDECK_MEMORY_KEY: OLD });
  const { status, json } = await wrong.call('caller-0', 'GET', '/api/v1/memory/facts/before');
  expect([status, json.error, json.reason]).toEqual([503, 'memory_unavailable', 'wrong_key']);
  await wrong.stop();
});
