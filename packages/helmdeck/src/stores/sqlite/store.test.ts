import fs, { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { storeContract } from '../../testing/store-contract.ts';
import { openSqliteStore } from './store.ts';

storeContract('sqlite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'helmdeck-sqlite-'));
  const clock = fakeClock();
  const open = () => openSqliteStore(join(folder, 'test.db'), { now: clock.now });
  let store = open();
  return {
    store,
    now: clock.now,
    advance: clock.advance,
    async reopen() {
      await store.close();
      store = open();
      return store;
    },
    async close() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
});

describe('openSqliteStore', () => {
  it('openSqliteStore refuses a database of another program and leaves the file unchanged, byte for byte', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'helmdeck-foreign-')), 'other.db');
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE theirs (id INTEGER); INSERT INTO theirs VALUES (1)');
    other.close();
    const before = readFileSync(path);
    expect(() => openSqliteStore(path, { now: Date.now })).toThrow(/not one of Helmdeck/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

describe('the shared read transaction', () => {
  it('the shared read transaction ends when a write of the same tick begins, so that later look-ups see it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'helmdeck-reads-'));
    const store = openSqliteStore(join(folder, 'test.db'), { now: Date.now });
    const space = await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
    const id = Buffer.alloc(16, 2);
    const times = { createdMs: 1, updatedMs: 1, expiresMs: null };
    const row = { id, kind: 'fact', group: null, rev: 1, ...times, body: Buffer.from('new') } as const;
    const written = store.apply(space, [{ type: 'put', row, ifRev: 0 }]);
    expect(await store.get(space.ns, id)).toBeUndefined();
    await written;
    expect((await store.get(space.ns, id))?.rev).toBe(1);
    await store.close();
    rmSync(folder, { recursive: true });
  });
});

describe('the WAL', () => {
  it('closing a store whose sync failed makes no checkpoint: the WAL stays for the next start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'helmdeck-close-'));
    const path = join(folder, 'test.db');
    const store = openSqliteStore(path, { now: Date.now });
    await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
    const { fdatasync } = fs;
    const failing = (_fd: number, done: (error: Error) => void) => done(new Error('EIO'));
    Object.assign(fs, { fdatasync: failing });
    syncBuiltinESMExports();
    onTestFinished(() => {
      Object.assign(fs, { fdatasync });
      syncBuiltinESMExports();
      rmSync(folder, { recursive: true });
    });
    const refused = store.createNamespace(Buffer.alloc(16, 2), Buffer.alloc(8));
    await expect(refused).rejects.toMatchObject({ reason: 'not_durable' });
    await store.close();
    expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size).toBeGreaterThan(0);
  });

  it('the WAL restarts after a checkpoint while single writes keep coming, instead of growing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'helmdeck-wal-'));
    const path = join(folder, 'test.db');
    const store = openSqliteStore(path, { now: Date.now });
    const space = await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
    const checkpointNumbers = new Set<number>();
    const deadlineMs = performance.now() + 60_000;
    for (let n = 0; checkpointNumbers.size < 2 && performance.now() < deadlineMs; n++) {
      const times = { createdMs: n, updatedMs: n, expiresMs: null };
      const id = Buffer.from(String(n).padStart(16, '0'));
      const row = { id, kind: 'fact', group: null, rev: 1, ...times, body: Buffer.alloc(100) } as const;
      await store.apply(space, [{ type: 'put', row, ifRev: 0 }]);
      // The WAL header counts restarts at offset 12.
      if (n % 100 === 0) checkpointNumbers.add(readFileSync(`${path}-wal`).readUInt32BE(12));
    }
    expect(checkpointNumbers.size).toBe(2);
    await store.close();
    rmSync(folder, { recursive: true });
  });
});
