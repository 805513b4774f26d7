import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NamespaceRef, Store } from '../../memory/store.ts';
import { openSqlite } from './driver.ts';
import { insertLogged, leftoverLogPath } from './leftover-append-log.ts';
import { openSqliteStore } from './store.ts';

let folder: string;
let path: string;
let space: NamespaceRef;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-leftover-'));
  path = join(folder, 'test.db');
  const store = open();
  space = await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
  await store.close();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (at = path) => openSqliteStore(at, { now: Date.now });
const times = { createdMs: 1.5e12, updatedMs: 1.6e12 };
const rowOf = (n: number) => ({
  id: Buffer.alloc(16, n),
  kind: 'fact' as const,
  group: n % 2 ? Buffer.alloc(16, 99) : null,
  rev: 1,
  ...times,
  expiresMs: n % 3 ? null : 4e12,
  body: Buffer.alloc(100, n),
});

/** One record as earlier builds wrote it to `<db>-fresh`. */
function record(seq: number, n: number, ref: NamespaceRef): Buffer {
  const { id, kind, group, rev, createdMs, updatedMs, expiresMs, body } = rowOf(n);
  const parts = [ref.ns, id, group ?? Buffer.alloc(0), Buffer.from(kind), body];
  const bytes = 60 + parts.reduce((sum, part) => sum + part.length, 0);
  const buffer = Buffer.alloc(Math.ceil(bytes / 4096) * 4096);
  let at = buffer.writeUInt32LE(bytes, 4);
  for (const double of [seq, ref.generation, rev, createdMs, updatedMs, expiresMs ?? Number.NaN])
    at = buffer.writeDoubleLE(double, at);
  for (const length of [ref.ns.length, id.length, group?.length ?? 255, kind.length])
    at = buffer.writeUInt8(length, at);
  for (const part of parts) {
    buffer.set(part, at);
    at += part.length;
  }
  buffer.writeUInt32LE(crc32(buffer.subarray(4, bytes)), 0);
  return buffer;
}

const writeLog = (...records: Buffer[]) => writeFileSync(leftoverLogPath(path), Buffer.concat(records));
const seqsAndIds = async (store: Store, ns = space.ns) =>
  (await store.scan(ns, { limit: 100 })).map(({ seq, id }) => [seq, id[0]]);

describe('an append log that a killed process of an earlier build left behind', () => {
  it('a leftover append log is replayed when the database is opened, with order, position and counters, and then deleted', async () => {
    writeLog(record(7, 5, space), record(8, 3, space), record(9, 4, space));
    const store = open();
    const rows = await store.scan(space.ns, { limit: 10 });
    const buffers = rows.map((row) => ({
      ...row,
      id: Buffer.from(row.id),
      group: row.group && Buffer.from(row.group),
      body: Buffer.from(row.body),
    }));
    expect(buffers).toEqual([5, 3, 4].map((n, index) => ({ ...rowOf(n), seq: 7 + index })));
    expect((await store.position(space.ns)).seq).toBe(9);
    expect(await store.usage(1, space.ns)).toMatchObject([{ kind: 'fact', rows: 3, bytes: 300 }]);
    expect(existsSync(leftoverLogPath(path))).toBe(false);
    const put = { type: 'put', row: rowOf(6), ifRev: 0 } as const;
    expect((await store.apply(space, [put])).seq).toBeGreaterThan(9);
    await store.close();
  });

  it('a leftover append log inserts no row twice if the process dies after the replay and before the file is deleted', async () => {
    writeLog(record(7, 5, space));
    copyFileSync(leftoverLogPath(path), join(folder, 'aside'));
    await open().close();
    copyFileSync(join(folder, 'aside'), leftoverLogPath(path));
    const store = open();
    expect(await seqsAndIds(store)).toEqual([[7, 5]]);
    await store.close();
  });

  it('a leftover append log does not bring back deleted rows, nor rows of a namespace that was erased and created again', async () => {
    writeLog(record(7, 5, space));
    copyFileSync(leftoverLogPath(path), join(folder, 'aside'));
    let store = open();
    await store.apply(space, [{ type: 'delete', id: rowOf(5).id }]);
    await store.close();
    copyFileSync(join(folder, 'aside'), leftoverLogPath(path));
    store = open();
    expect(await seqsAndIds(store)).toEqual([]);
    await store.dropNamespace(space.ns);
    await store.createNamespace(space.ns, Buffer.alloc(8));
    await store.close();
    writeLog(record(2 ** 40, 6, space));
    store = open();
    expect(await seqsAndIds(store)).toEqual([]);
    await store.close();
  });

  it.each([0, 5, 30, 100])(
    'a damaged record of a leftover append log (byte %i) is skipped and reported, and the records after it are recovered',
    async (at) => {
      const damaged = record(8, 3, space);
      damaged[at]! ^= 1;
      writeLog(record(7, 5, space), damaged, record(9, 4, space));
      const warnings: string[] = [];
      const store = openSqliteStore(path, { now: Date.now, onWarning: (text) => warnings.push(text) });
      expect(await seqsAndIds(store)).toEqual([
        [7, 5],
        [9, 4],
      ]);
      expect(warnings).toEqual([expect.stringContaining('damaged in one place;')]);
      await store.close();
    },
  );

  it('the replay of a leftover append log ends without a warning at a torn last record, and at records of an earlier pass over the file', async () => {
    const torn = record(8, 3, space);
    torn[100]! ^= 1;
    const warnings: string[] = [];
    writeLog(record(7, 5, space), torn, record(2, 4, space));
    let store = openSqliteStore(path, { now: Date.now, onWarning: (text) => warnings.push(text) });
    expect(await seqsAndIds(store)).toEqual([[7, 5]]);
    expect(warnings).toEqual([]);
    await store.close();
    writeLog(record(20, 6, space), record(10, 7, space), record(21, 8, space));
    store = open();
    expect((await seqsAndIds(store)).at(-1)).toEqual([20, 6]);
    await store.close();
  });

  it('a replayed row whose seq was used meanwhile by a version without the log is appended', async () => {
    let store = open();
    const other = await store.createNamespace(Buffer.alloc(16, 2), Buffer.alloc(8));
    const { seq } = await store.apply(other, [{ type: 'put', row: rowOf(9), ifRev: 0 }]);
    await store.close();
    writeLog(record(seq, 5, space));
    store = open();
    expect(await seqsAndIds(store)).toEqual([[seq + 1, 5]]);
    expect(await seqsAndIds(store, other.ns)).toEqual([[seq, 9]]);
    await store.close();
  });

  it('for a backup, a leftover append log is inserted into the copy of the database without being deleted', async () => {
    writeLog(record(7, 5, space));
    const copy = join(folder, 'copy.db');
    copyFileSync(path, copy);
    const db = openSqlite(copy);
    insertLogged(db, path);
    db.close();
    expect(existsSync(leftoverLogPath(path))).toBe(true);
    const store = open(copy);
    expect(await seqsAndIds(store)).toEqual([[7, 5]]);
    await store.close();
  });

  it('a leftover append log that cannot be read stops the start with a message, and nothing is deleted', () => {
    mkdirSync(leftoverLogPath(path));
    expect(() => open()).toThrow(/log of the latest writes cannot be read/);
    expect(existsSync(leftoverLogPath(path))).toBe(true);
  });
});
