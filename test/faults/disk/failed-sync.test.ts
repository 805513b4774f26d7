import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { type ChildServer, startChild } from '../child-server.ts';
import { compileDiskShim, cutPower, shimmedDisk } from './shimmed-disk.ts';

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-sync-'));
const library = compileDiskShim(folder);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HELMDECK = fileURLToPath(new URL('../../../packages/helmdeck/bin/helmdeck.js', import.meta.url));
const FACT = { key: 'retried', value: 'once more' };
const store = (server: ChildServer, body: object, key?: string) =>
  server.call('ada', 'POST', '/api/v1/memory/store', body, key ? { 'idempotency-key': key } : {});

/** Stores until a sync fails, each time with another Idempotency-Key; returns the key of the refused request. */
async function storeUntilRefused(server: ChildServer): Promise<string> {
  for (let count = 0; count < 100; count++) {
    const { status, json } = await store(server, FACT, `request-${count}`);
    if (status === 200) continue;
    expect([status, json.error, json.reason]).toEqual([503, 'memory_unavailable', 'not_durable']);
    return `request-${count}`;
  }
  throw new Error('no sync failed');
}

describe.skipIf(!library)('a failed sync (skipped without a C compiler)', () => {
  it('after a failed sync every read and write is refused, also a repeated request with its Idempotency-Key, and /readyz is 503', async () => {
    const db = join(folder, 'refuse.db');
    const disk = shimmedDisk(library!, db, { fail: 'wal:12' });
    const server = await startChild({ ...disk, FAULT_TEST_STAY: '1' });
    const refused = await storeUntilRefused(server);
    for (const again of [
      await store(server, FACT, refused),
      await store(server, { key: 'other', value: 'v' }),
      await server.call('ada', 'GET', '/api/v1/memory/facts/retried'),
      await server.call('ada', 'DELETE', '/api/v1/memory/facts/missing'),
    ])
      expect([again.status, again.json.reason]).toEqual([503, 'sync_failed']);
    const ready = await fetch(`${server.url}/readyz`);
    expect([ready.status, ((await ready.json()) as { memory: { reason: string } }).memory.reason]).toEqual([
      503,
      'sync_failed',
    ]);
    await server.stop();
    expect(statSync(`${db}-wal`).size, 'closing made no checkpoint').toBeGreaterThan(0);

    // Without a power cut the write is in the page cache: once a new process acknowledges it, it is on the disk.
    const next = await startChild(shimmedDisk(library!, db));
    expect((await store(next, FACT, refused)).status).toBe(200);
    await next.kill();
    cutPower(db);
    const last = await startChild(shimmedDisk(library!, db));
    const { json } = await last.call('ada', 'GET', '/api/v1/memory/facts/retried');
    expect(json.value).toBe('once more');
    await last.stop();
  });

  it('helmdeck serve exits with code 74 and a line in the log after a failed sync', async () => {
    const db = join(folder, 'serve.db');
    const child = spawn(process.execPath, [HELMDECK, 'serve', '--json'], {
      env: {
        PATH: process.env.PATH,
        HELMDECK_ADDR: '127.0.0.1:0',
        HELMDECK_DATA_DIR: join(folder, 'serve'),
        HELMDECK_MEMORY_KEY: 'ab'.repeat(32),
        HELMDECK_DISABLE_AUTH: 'true',
        ...shimmedDisk(library!, db, { fail: 'wal:20' }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = once(child, 'exit');
    let log = '';
    child.stderr.on('data', (bytes: Buffer) => {
      log += bytes.toString();
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const { url } = JSON.parse(line.toString()) as { url: string };
    const statuses: number[] = [];
    for (let count = 0; count < 100 && statuses.at(-1) !== 503; count++) {
      const body = JSON.stringify({ key: `k/${count}`, value: 'v' });
      const headers = { 'content-type': 'application/json' };
      statuses.push((await fetch(`${url}/api/v1/memory/store`, { method: 'POST', headers, body })).status);
    }
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect(await exited).toEqual([74, null]);
    expect(log).toContain('"reason":"sync_failed","exit_code":74');
    expect(existsSync(`${db}-wal`)).toBe(true);
  });
});
