import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../testing/fake-clock.ts';
import { storeContract } from '../testing/store-contract.ts';
import { openSqliteStore } from './sqlite.ts';

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

describe('a file that belongs to another program', () => {
  it('is refused and left as it was, byte for byte', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'helmdeck-foreign-')), 'other.db');
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE theirs (id INTEGER); INSERT INTO theirs VALUES (1)');
    other.close();
    const before = readFileSync(path);
    expect(() => openSqliteStore(path, { now: Date.now })).toThrow(/not one of Helmdeck/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

describe('look-ups that share a read transaction', () => {
  it('are over when a write of the same turn begins, and those after it see what it wrote', async () => {
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
