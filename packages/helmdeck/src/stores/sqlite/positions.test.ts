import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openSqlite } from './driver.ts';
import { openSqliteStore } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-positions-'));
const path = join(folder, 'test.db');
const open = () => openSqliteStore(path, { now: Date.now });
const times = { createdMs: 1, updatedMs: 1, expiresMs: null };
const row = { id: Buffer.alloc(16, 2), kind: 'fact', group: null, rev: 1, ...times } as const;
const body = Buffer.from('a body');

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a namespace that is written to and dropped in one transaction leaves no usage counter behind', async () => {
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
