import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openSqlite } from './driver.ts';
import { placeLogged } from './logged-rows.ts';
import { openSqliteStore } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-heads-'));
const path = join(folder, 'test.db');
const open = () => openSqliteStore(path, { now: Date.now });
const times = { createdMs: 1, updatedMs: 1, expiresMs: null };
const row = { id: Buffer.alloc(16, 2), kind: 'fact', group: null, rev: 1, ...times } as const;
const body = Buffer.from('a body');

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a row from the log moves its namespace: without that, search in a restored backup would not look for it', async () => {
  let store = open();
  const space = await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
  await store.close();
  const db = openSqlite(path);
  placeLogged(db, [{ ref: space, seq: 7, row: { ...row, body } }]);
  db.close();
  store = open();
  expect((await store.position(space.ns)).seq).toBe(7);
  await store.close();
});

it('what is stored and dropped in one transaction leaves no count behind: an erased caller is gone from every table', async () => {
  const store = open();
  const space = await store.createNamespace(Buffer.alloc(16, 1), Buffer.alloc(8));
  const stored = store.apply(space, [{ type: 'put', row: { ...row, body }, ifRev: 0 }]);
  const dropped = store.dropNamespace(space.ns);
  expect((await stored).deleted).toBe(0);
  expect(await dropped).toBe(1);
  await store.close();
  const db = openSqlite(path);
  expect(db.all('SELECT * FROM usage')).toEqual([]);
  db.close();
});
