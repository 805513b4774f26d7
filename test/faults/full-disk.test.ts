import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type ChildServer, startChild } from './child-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-full-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', folder]).status === 0;
const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
const unmount = () => {
  if (mounted) spawnSync('umount', ['-l', folder]);
  rmSync(folder, { recursive: true, force: true });
};
afterAll(unmount);
process.once('exit', unmount); // an interrupted run has no hooks

/** Stores until the server refuses; returns the keys it acknowledged and its refusal. */
async function storeUntilRefused(server: ChildServer) {
  const acknowledged: string[] = [];
  for (let count = 0; count < 2000; count++) {
    const key = `fill/${count}`;
    const { status, json } = await server.call('alice', 'POST', '/api/v1/memory/store', {
      key,
      value: `${key} `.repeat(3000),
    });
    if (status !== 200) return { acknowledged, status, json };
    acknowledged.push(key);
  }
  throw new Error('the disk never filled up');
}

async function expectStored(server: ChildServer, keys: string[]): Promise<void> {
  for (const key of keys) {
    const { status } = await server.call('alice', 'GET', `/api/v1/memory/facts/${encodeURIComponent(key)}`);
    expect(status, key).toBe(200);
  }
}

/** Another program takes every free byte of the disk. */
function fillDisk(path: string): void {
  try {
    for (;;) appendFileSync(path, Buffer.alloc(65_536));
  } catch (thrown) {
    expect((thrown as NodeJS.ErrnoException).code).toBe('ENOSPC');
  }
}

async function readiness(server: ChildServer): Promise<number> {
  return (await fetch(`${server.url}/readyz`)).status;
}

describe.skipIf(!mounted)('a full disk (skipped if this user may not mount a tmpfs)', () => {
  it('on a full disk no write is acknowledged or lost, /readyz is 503, and writes work again once there is space', async () => {
    const server = await startChild({ HELMDECK_DB: join(folder, 'full.db') });
    await server.call('alice', 'POST', '/api/v1/memory/store', { key: 'first', value: 'v' });
    for (const key of ['one', 'two', 'three'])
      await server.call('bob', 'POST', '/api/v1/memory/store', { key, value: 'v' });
    const ballast = join(folder, 'ballast');
    const leaveFree = (bytes: number) => {
      const { bavail, bsize } = statfsSync(folder);
      appendFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - bytes)));
    };
    leaveFree(4_000_000);
    const { acknowledged, status, json } = await storeUntilRefused(server);
    expect([status, json.error, json.reason]).toEqual([503, 'memory_unavailable', 'disk_full']);
    leaveFree(0); // a checkpoint or a smaller write may have made room
    await expect.poll(() => readiness(server)).toBe(503);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await expectStored(server, acknowledged);
    // The last of the space goes: facts can still be forgotten, and other writes do not use up what is held back for that.
    fillDisk(join(folder, 'filler'));
    const forgotten = acknowledged.splice(0, 5);
    for (const key of forgotten) {
      const path = `/api/v1/memory/facts/${encodeURIComponent(key)}`;
      const deleted = await server.call('alice', 'DELETE', path);
      expect([deleted.status, deleted.json.reason], key).toEqual([200, undefined]);
    }
    const scope = await server.call('bob', 'POST', '/api/v1/memory/forget', { scope: 'all' });
    expect([scope.status, scope.json.deleted]).toEqual([200, 3]);
    const refused = await server.call('alice', 'POST', '/api/v1/memory/store', { key: 'no', value: 'space' });
    expect([refused.status, refused.json.reason]).toEqual([503, 'disk_full']);
    expect(await readiness(server)).toBe(503);
    rmSync(join(folder, 'filler'));
    rmSync(ballast);
    await expect.poll(() => readiness(server)).toBe(200);
    const again = await server.call('alice', 'POST', '/api/v1/memory/store', {
      key: 'after',
      value: 'space again',
    });
    expect(again.status).toBe(200);
    await server.kill();
    const next = await startChild({ HELMDECK_DB: join(folder, 'full.db') });
    await expectStored(next, [...acknowledged, 'first', 'after']);
    await next.stop();
  });
});

describe.skipIf(!hasPrlimit)('failing writes (skipped without prlimit)', () => {
  it('after an I/O error no write is acknowledged or lost, /readyz is 503, and the server recovers', async () => {
    const db = join(mkdtempSync(join(tmpdir(), 'helmdeck-io-')), 'io.db');
    const server = await startChild({ HELMDECK_DB: db });
    const limit = (bytes: string) =>
      spawnSync('prlimit', ['--pid', String(server.child.pid), `--fsize=${bytes}:unlimited`]);
    await server.call('alice', 'POST', '/api/v1/memory/store', { key: 'first', value: 'v' });
    expect(limit('400000').status).toBe(0);
    const { acknowledged, status, json } = await storeUntilRefused(server);
    expect([status, json.error]).toEqual([503, 'memory_unavailable']);
    expect(['io_error', 'disk_full']).toContain(json.reason);
    limit('0'); // a smaller write, or one to another place of the file, may have passed
    await expect.poll(() => readiness(server)).toBe(503);
    await expectStored(server, acknowledged);
    limit('unlimited');
    expect(await readiness(server)).toBe(200);
    expect(
      (await server.call('alice', 'POST', '/api/v1/memory/store', { key: 'after', value: 'v' })).status,
    ).toBe(200);
    await server.kill();
    const next = await startChild({ HELMDECK_DB: db });
    await expectStored(next, [...acknowledged, 'first', 'after']);
    await next.stop();
  });
});
