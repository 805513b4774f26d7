import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Store } from '../../memory/store.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { storeContract } from '../../testing/store-contract.ts';
import { readFreshLog } from './fresh-log.ts';
import { openSqliteStore, type SqliteOptions } from './store.ts';

function contract(name: string, options: Partial<SqliteOptions>): void {
  storeContract(name, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'helmdeck-sqlite-'));
    const clock = fakeClock();
    const open = () => openSqliteStore(join(folder, 'test.db'), { now: clock.now, ...options });
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
}

contract('sqlite', {});
contract('sqlite, new rows by way of the log', { logAfterRows: 0 });

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

describe('new rows that are in the log and not in the tables', () => {
  const folders: string[] = [];
  // However slow the machine: no row leaves the log because its time has come.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  function newPath(): string {
    const folder = mkdtempSync(join(tmpdir(), 'helmdeck-logged-'));
    folders.push(folder);
    return join(folder, 'test.db');
  }
  const open = (path: string) => openSqliteStore(path, { now: Date.now, logAfterRows: 0 });
  const id = (n: number) => Buffer.alloc(16, n);
  const put = (n: number) => {
    const times = { createdMs: n, updatedMs: n, expiresMs: null };
    const row = {
      id: id(n),
      kind: 'fact',
      group: null,
      rev: 1,
      ...times,
      body: Buffer.alloc(100, n),
    } as const;
    return { type: 'put', row, ifRev: 0 } as const;
  };
  const oneOfMany = (n: number) => {
    const { row, ...op } = put(n % 256);
    return { ...op, row: { ...row, id: Buffer.from(String(n).padStart(16, '0')) } };
  };
  /** The files as a crash at this moment leaves them. */
  function crashed(path: string, suffixes = ['', '-wal', '-fresh']): string {
    const copy = newPath();
    for (const suffix of suffixes) if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
    return copy;
  }
  const idsIn = async (store: Store, ns: Uint8Array) =>
    (await store.scan(ns, { limit: 100 })).map((row) => row.id[0]);
  const isLogged = (path: string) => readFileSync(path).includes(Buffer.alloc(100, 5)) === false;

  it('are all there after a crash that took everything but the log, in their order, and counted', async () => {
    const path = newPath();
    const store = open(path);
    const space = await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
    const tables = crashed(path, ['', '-wal']);
    const seqs = [];
    for (const n of [5, 3, 4]) seqs.push((await store.apply(space, [put(n)])).seq);
    expect(isLogged(`${path}-wal`)).toBe(true);
    copyFileSync(`${path}-fresh`, `${tables}-fresh`);
    await store.close();
    const again = open(tables);
    const rows = await again.scan(space.ns, { limit: 10 });
    expect(rows.map((row) => [row.id[0], row.seq, row.body.length])).toEqual([
      [5, seqs[0], 100],
      [3, seqs[1], 100],
      [4, seqs[2], 100],
    ]);
    expect((await again.position(space.ns)).seq).toBe(seqs[2]);
    expect(await again.usage(1, space.ns)).toMatchObject([{ kind: 'fact', rows: 3, bytes: 300 }]);
    expect((await again.apply(space, [put(6)])).seq).toBeGreaterThan(seqs[2]!);
    await again.close();
  });

  it('come back once, however often the server is killed', async () => {
    const path = newPath();
    const store = open(path);
    const space = await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
    for (const n of [1, 2]) await store.apply(space, [put(n)]);
    let last = crashed(path);
    await store.close();
    for (let round = 0; round < 3; round++) {
      const again = open(last);
      expect(await idsIn(again, space.ns)).toEqual([1, 2]);
      last = crashed(last);
      await again.close();
    }
  });

  it('stay away when they were deleted, changed or erased since', async () => {
    const path = newPath();
    const store = open(path);
    const space = await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
    const other = await store.createNamespace(Buffer.alloc(16, 2), Buffer.alloc(8));
    for (const n of [1, 2, 3]) await store.apply(space, [put(n)]);
    await store.apply(other, [put(9)]);
    await store.apply(space, [{ type: 'delete', id: id(1) }]);
    const { row } = put(2);
    const changed = { ...row, rev: 2, body: Buffer.alloc(50, 7) };
    await store.apply(space, [{ type: 'put', row: changed, ifRev: 1 }]);
    const before = readFileSync(`${path}-fresh`);
    await store.dropNamespace(other.ns);
    expect(existsSync(`${path}-fresh`)).toBe(false);
    const left = crashed(path);
    writeFileSync(`${left}-fresh`, before); // as if it could not be removed
    await store.close();
    const again = open(left);
    expect(await idsIn(again, space.ns)).toEqual([3, 2]);
    expect((await again.get(space.ns, id(2)))?.body.length).toBe(50);
    await again.createNamespace(other.ns, Buffer.alloc(8));
    expect(await again.scan(other.ns, { limit: 10 })).toEqual([]);
    await again.close();
  });

  it('are found at once, and refused a second time', async () => {
    const path = newPath();
    const store = open(path);
    const space = await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
    const { seq } = await store.apply(space, [put(5)]);
    expect(isLogged(`${path}-wal`)).toBe(true);
    expect(await store.get(space.ns, id(5))).toEqual({ ...put(5).row, seq });
    await expect(store.apply(space, [put(5)])).rejects.toMatchObject({ kind: 'rev' });
    expect(await idsIn(store, space.ns)).toEqual([5]);
    await store.close();
    expect(readdirSync(dirname(path))).toEqual(['test.db', 'test.db.lock']);
  });

  it('are not among them when the tables would refuse them: nothing is acknowledged, and the next one is', async () => {
    const store = open(newPath());
    const space = await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
    const { seq } = await store.apply(space, [put(1)]);
    const { row, ...op } = put(2);
    const unsound = { ...op, row: { ...row, createdMs: Number.NaN } };
    await expect(store.apply(space, [unsound])).rejects.toThrow();
    expect((await store.position(space.ns)).seq).toBe(seq);
    expect((await store.apply(space, [put(3)])).seq).toBeGreaterThan(seq);
    expect(await idsIn(store, space.ns)).toEqual([1, 3]);
    await store.close();
  });

  it('whose position was taken by an older version, which knows no log, come after what it wrote', async () => {
    const path = newPath();
    const store = open(path);
    const space = await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
    const other = await store.createNamespace(Buffer.alloc(16, 2), Buffer.alloc(8));
    const { seq } = await store.apply(space, [put(1)]);
    const left = crashed(path, ['', '-wal']);
    copyFileSync(`${path}-fresh`, `${left}-aside`);
    await store.close();
    const older = openSqliteStore(left, { now: Date.now });
    expect((await older.apply(other, [put(2)])).seq).toBe(seq);
    await older.close();
    renameSync(`${left}-aside`, `${left}-fresh`);
    const again = open(left);
    expect(await idsIn(again, space.ns)).toEqual([1]);
    expect(await idsIn(again, other.ns)).toEqual([2]);
    await again.apply(other, [put(3)]);
    await again.close();
  });

  it('that the tables refuse hold up their own caller, and nobody else', async () => {
    const path = newPath();
    const store = open(path);
    const space = await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
    const other = await store.createNamespace(Buffer.alloc(16, 2), Buffer.alloc(8));
    const broken = new DatabaseSync(path);
    broken.exec(
      "CREATE TRIGGER t BEFORE INSERT ON rows WHEN new.nsno = 1 BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    await store.apply(space, [put(1)]);
    for (const n of [2, 3, 4]) await store.apply(other, [put(n)]);
    await store.apply(other, [{ type: 'delete', id: id(3) }]);
    expect(await idsIn(store, other.ns)).toEqual([2, 4]);
    await expect(store.scan(space.ns, { limit: 10 })).rejects.toThrow();
    await expect(store.apply(space, [put(5)])).rejects.toThrow();
    expect((await store.get(space.ns, id(1)))?.body.length).toBe(100);
    await store.close();
    const stillBroken = open(path);
    for (const n of [6, 7]) await stillBroken.apply(other, [put(n)]);
    await stillBroken.close();
    broken.exec('DROP TRIGGER t');
    broken.close();
    const again = open(path);
    expect(await idsIn(again, space.ns)).toEqual([1]);
    expect(await idsIn(again, other.ns)).toEqual([2, 4, 6, 7]);
    await again.close();
  });

  it('that the tables refuse are gone when their caller is erased', async () => {
    const path = newPath();
    const store = open(path);
    const space = await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
    const broken = new DatabaseSync(path);
    broken.exec("CREATE TRIGGER t BEFORE INSERT ON rows BEGIN SELECT RAISE(ABORT, 'no'); END");
    await store.apply(space, [put(1)]);
    await expect(store.scan(space.ns, { limit: 10 })).rejects.toThrow();
    broken.exec('DROP TRIGGER t');
    broken.close();
    await store.dropNamespace(space.ns);
    expect(existsSync(`${path}-fresh`)).toBe(false);
    await store.createNamespace(space.ns, Buffer.alloc(8));
    expect(await store.scan(space.ns, { limit: 10 })).toEqual([]);
    await store.close();
  });

  it('an erasure says so when the log cannot be removed, and everything else goes on', async () => {
    const path = newPath();
    const store = open(path);
    const space = await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
    const other = await store.createNamespace(Buffer.alloc(16, 2), Buffer.alloc(8));
    await store.apply(space, [put(1)]);
    rmSync(`${path}-fresh`);
    mkdirSync(`${path}-fresh`);
    await expect(store.dropNamespace(space.ns)).rejects.toMatchObject({ reason: 'wal_busy' });
    await store.apply(other, [put(2)]);
    expect(await idsIn(store, other.ns)).toEqual([2]);
    await store.close();
  });

  it('stay in the log on a stop that cannot empty the write-ahead log, because another program reads it', async () => {
    const path = newPath();
    const store = open(path);
    const space = await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec('BEGIN; SELECT count(*) FROM rows');
    await store.apply(space, [put(1)]);
    await store.close();
    expect(readFreshLog(path).map(({ row }) => row.id[0])).toEqual([1]);
    reader.close();
    const again = open(path);
    expect(await idsIn(again, space.ns)).toEqual([1]);
    await again.close();
    expect(existsSync(`${path}-fresh`)).toBe(false);
  });

  it('let SQLite’s log begin anew, however long they keep coming', async () => {
    vi.useRealTimers();
    const path = newPath();
    const store = open(path);
    const space = await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
    const beginnings = new Set<number>();
    const giveUpMs = performance.now() + 15_000;
    for (let n = 0; beginnings.size < 2 && performance.now() < giveUpMs; n++) {
      await store.apply(space, [oneOfMany(n)]);
      await nextTurn();
      if (n % 100 === 0) beginnings.add(readFileSync(`${path}-wal`).readUInt32BE(12));
    }
    expect(beginnings.size).toBe(2);
    await store.close();
  });

  it('leave the tables unlocked while another caller is erased, which takes a moment in which nobody writes', async () => {
    vi.useRealTimers();
    const path = newPath();
    const store = open(path);
    const space = await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
    const other = await store.createNamespace(Buffer.alloc(16, 2), Buffer.alloc(8));
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec('BEGIN; SELECT count(*) FROM rows');
    const erased = store.dropNamespace(other.ns);
    await delay(20);
    await store.apply(space, [put(1)]);
    await nextTurn();
    expect(readFreshLog(path)).toHaveLength(1);
    const writer = new DatabaseSync(path, { timeout: 50 });
    writer.exec('BEGIN IMMEDIATE; ROLLBACK');
    writer.close();
    reader.close();
    await erased;
    await store.close();
  });

  it('are taken, and read by their ids, while another program writes; a list waits for it no longer than a moment', async () => {
    const path = newPath();
    const store = open(path);
    const space = await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
    const locks = `const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
      db.exec('BEGIN IMMEDIATE'); console.log('locked'); setTimeout(() => db.exec('ROLLBACK'), 2000);`;
    const foreign = spawn(process.execPath, ['-e', locks, path], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(foreign.stdout!, 'data');
    await store.apply(space, [put(1)]);
    await expect(store.scan(space.ns, { limit: 10 })).rejects.toMatchObject({ reason: 'database_busy' });
    expect(await store.get(space.ns, id(1))).toBeDefined();
    await once(foreign, 'exit');
    expect(await idsIn(store, space.ns)).toEqual([1]);
    await store.close();
  });

  it('more than the log has room for are no loss', async () => {
    const path = newPath();
    const store = open(path);
    const space = await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
    for (let n = 0; n < 1_200; n++) await store.apply(space, [oneOfMany(n)]);
    expect(readFreshLog(path)[0]?.seq).toBeGreaterThan(600); // it was begun anew
    const left = crashed(path);
    await store.close();
    const again = open(left);
    expect(await again.scan(space.ns, { limit: 2_000 })).toHaveLength(1_200);
    await again.close();
  });
});
