import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { readFreshLog } from './fresh-log.ts';
import { openSqliteStore } from './store.ts';
import type { LogSync } from './wal-sync.ts';

const disk = { fails: false };
vi.mock('./wal-sync.ts', async (original) => {
  const { createLogSync } = await original<typeof import('./wal-sync.ts')>();
  return {
    createLogSync(path: string): LogSync {
      const log = createLogSync(path);
      const soon = async () => {
        if (disk.fails) throw new Error('EIO: i/o error, fdatasync');
        await log.soon();
      };
      return { ...log, soon };
    },
  };
});

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-distrust-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('after a sync that failed, rows that were acknowledged from the log stay in it: the next sync may not cover them', async () => {
  const path = join(folder, 'test.db');
  const store = openSqliteStore(path, { now: Date.now, logAfterRows: 0 });
  const space = await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
  const put = (n: number) => {
    const times = { createdMs: n, updatedMs: n, expiresMs: null };
    const id = Buffer.alloc(16, n);
    const row = { id, kind: 'fact', group: null, rev: 1, ...times, body: Buffer.alloc(100, n) } as const;
    return store.apply(space, [{ type: 'put', row, ifRev: 0 }]);
  };
  await put(1);
  await put(2);
  disk.fails = true;
  const refused = await Promise.allSettled([put(3), put(4)]);
  expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  disk.fails = false;
  await Promise.all([put(5), put(6)]);
  await put(7);
  const other = await store.createNamespace(Buffer.alloc(16, 2), Buffer.alloc(8));
  await expect(store.dropNamespace(other.ns)).rejects.toMatchObject({ reason: 'wal_busy' });
  expect(readFreshLog(path).map(({ row }) => row.id[0])).toEqual([1, 2]);
  await store.close();
});
