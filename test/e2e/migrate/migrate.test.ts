import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SYSTEM_NS } from '../../../packages/helmdeck/src/memory/crypto/namespace-record.ts';
import { everyRow } from '../../../packages/helmdeck/src/memory/every-row.ts';
import type { Row, Store } from '../../../packages/helmdeck/src/memory/store.ts';
import { copyStore } from '../../../packages/helmdeck/src/server/migrate/copy-store.ts';
import { migrateDatabase } from '../../../packages/helmdeck/src/server/migrate/migrate.ts';
import { createInMemoryStore } from '../../../packages/helmdeck/src/stores/in-memory/store.ts';
import { openStore } from '../../../packages/helmdeck/src/stores/open.ts';
import { expectFilled, type FilledState, fill, serverOn } from './filled-server.ts';

let dir: string;
let before: FilledState;
const now = Date.now;
const at = (name: string) => join(dir, name);
const noProgress = () => {};
const uninterrupted = () => noProgress;
const migrate = (from: string, to: string) =>
  migrateDatabase({ from: at(from), to: at(to) }, noProgress, uninterrupted);

let filled: string;
beforeAll(async () => {
  filled = mkdtempSync(join(tmpdir(), 'helmdeck-filled-'));
  const server = await serverOn(join(filled, 'old.db'), filled);
  before = await fill(server);
  await server.close();
});
afterAll(() => rmSync(filled, { recursive: true, force: true }));
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'helmdeck-migrate-'));
  cpSync(filled, dir, { recursive: true });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function rowsOf(store: Store, ns: Uint8Array): Promise<Omit<Row, 'seq'>[]> {
  const rows: Omit<Row, 'seq'>[] = [];
  for await (const { seq: _, ...row } of everyRow(store, ns)) rows.push(row);
  return rows;
}
async function withStores<T>(names: string[], work: (...stores: Store[]) => Promise<T>): Promise<T> {
  const stores = await Promise.all(names.map((name) => openStore(at(name), { now })));
  try {
    return await work(...stores);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
}

describe('migration', () => {
  it('a migration to another back-end and back keeps facts, history, tokens, audit, receipts and vault', async () => {
    const between = createInMemoryStore({ now });
    const there = await withStores(['old.db'], (old) => copyStore(old, between, { now }));
    const back = await withStores(['new.db'], (copy) => copyStore(between, copy, { now }));
    expect(there).toMatchObject({ outcome: 'copied' });
    expect(back).toEqual(there);
    const server = await serverOn(at('new.db'), dir);
    await expectFilled(server, before);
    await server.close();
  });

  it('a migration keeps the id, revision, times, expiry and order of every row', async () => {
    await migrate('old.db', 'new.db');
    await withStores(['old.db', 'new.db'], async (old, copy) => {
      const namespaces = await old!.listNamespaces(100);
      expect((await copy!.listNamespaces(100)).map(({ ns, blob }) => ({ ns, blob }))).toEqual(
        namespaces.map(({ ns, blob }) => ({ ns, blob })),
      );
      for (const { ns } of namespaces) expect(await rowsOf(copy!, ns)).toEqual(await rowsOf(old!, ns));
      expect(namespaces.length).toBeGreaterThan(5);
    });
  });

  it('a second migration changes nothing, and is rejected once the copy was written to', async () => {
    const first = await migrate('old.db', 'new.db');
    expect(await migrate('old.db', 'new.db')).toEqual({ ...first, outcome: 'unchanged' });
    const server = await serverOn(at('new.db'), dir);
    await server.call('caller0', 'POST', '/api/v1/memory/store', { key: 'new', value: 'of the new place' });
    await server.close();
    await expect(migrate('old.db', 'new.db')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('used since'),
    });
    const again = await serverOn(at('new.db'), dir);
    expect((await again.call('caller0', 'GET', '/api/v1/memory/facts/new')).status).toBe(200);
    await again.close();
  });

  it('a migration omits expired rows and their versions', async () => {
    await withStores(['old.db'], async (old) => {
      const ns = (await old!.listNamespaces(10)).find((record) => !SYSTEM_NS.equals(record.ns))!;
      const row = {
        kind: 'fact',
        group: null,
        body: randomBytes(40),
        rev: 2,
        createdMs: 1,
        updatedMs: 2,
      } as const;
      const parent = { ...row, id: randomBytes(16), expiresMs: now() - 1 };
      const child = {
        ...row,
        id: randomBytes(16),
        kind: 'version',
        group: parent.id,
        expiresMs: null,
      } as const;
      await old!.apply(ns, [
        { type: 'put', row: child },
        { type: 'put', row: parent },
      ]);
      const copy = createInMemoryStore({ now });
      await copyStore(old!, copy, { now });
      expect(await copy.get(ns.ns, parent.id)).toBeUndefined();
      expect(await copy.get(ns.ns, child.id)).toBeUndefined();
    });
  });

  it('a migration reports its progress row by row up to the total', async () => {
    const seen: number[] = [];
    let total: number | undefined;
    const onProgress = (done: number, of?: number) => {
      seen.push(done);
      total = of;
    };
    const report = await migrateDatabase({ from: at('old.db'), to: at('new.db') }, onProgress, uninterrupted);
    expect(seen).toEqual(Array.from({ length: report.rows }, (_, index) => index + 1));
    expect(total).toBe(report.rows);
  });
});

describe('killed migrations', () => {
  const kill = () => {
    const script = join(import.meta.dirname, 'killed-migration.ts');
    const args = ['--disable-warning=ExperimentalWarning', script, at('old.db'), at('new.db')];
    expect(spawnSync(process.execPath, args, { timeout: 200_000 })).toMatchObject({ signal: 'SIGKILL' });
  };

  it('a migration that was killed three times resumes and completes', async () => {
    for (let round = 0; round < 3; round++) kill();
    expect(await migrate('old.db', 'new.db')).toMatchObject({ outcome: 'resumed' });
    const server = await serverOn(at('new.db'), dir);
    await expectFilled(server, before);
    await server.close();
  });

  it('a server rejects a database with an unfinished migration, and its hint says how to finish it', async () => {
    kill();
    const server = await serverOn(at('new.db'), dir);
    const answer = await server.call('caller0', 'POST', '/api/v1/memory/store', { key: 'a', value: 'b' });
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({
      reason: 'migration_unfinished',
      hint: expect.stringContaining('helmdeck migrate'),
    });
    await server.close();
    expect(await migrate('old.db', 'new.db')).toMatchObject({ outcome: 'resumed' });
  });

  it('a resumed migration copies new values, deletions and erasures made at the source meanwhile', async () => {
    kill();
    const old = await serverOn(at('old.db'), dir);
    await old.call('caller0', 'POST', '/api/v1/memory/store', { key: 'k/3', value: 'written in between' });
    await old.call('caller1', 'DELETE', '/api/v1/memory/facts/k%2F4');
    await old.call('caller2', 'POST', '/api/v1/memory/forget', { scope: 'erase' });
    await old.close();
    await migrate('old.db', 'new.db');
    const server = await serverOn(at('new.db'), dir);
    const value = await server.call('caller0', 'GET', '/api/v1/memory/facts/k%2F3');
    expect(await value.json()).toMatchObject({ value: 'written in between' });
    expect((await server.call('caller1', 'GET', '/api/v1/memory/facts/k%2F4')).status).toBe(404);
    expect((await server.call('caller2', 'GET', '/api/v1/memory/facts/k%2F3')).status).toBe(404);
    await server.close();
  });

  it('an unfinished migration is neither resumed from another database nor used as a source', async () => {
    kill();
    const other = await serverOn(at('other.db'), dir);
    await other.close();
    await expect(migrate('other.db', 'new.db')).rejects.toMatchObject({ reason: 'destination_not_empty' });
    await expect(migrate('new.db', 'third.db')).rejects.toMatchObject({ reason: 'source_unfinished' });
  });
});

describe('rejected migrations', () => {
  it('a migration to a database that is not empty is rejected and changes nothing', async () => {
    const other = await serverOn(at('other.db'), dir);
    await other.call('zoe', 'POST', '/api/v1/memory/store', { key: 'mine', value: 'stays' });
    await other.close();
    await expect(migrate('old.db', 'other.db')).rejects.toMatchObject({
      code: 'conflict',
      reason: 'destination_not_empty',
      hint: expect.stringContaining('--to'),
    });
    const again = await serverOn(at('other.db'), dir);
    expect((await again.call('zoe', 'GET', '/api/v1/memory/facts/mine')).status).toBe(200);
    await again.close();
  });

  it('a migration is rejected while a server uses the source', async () => {
    const server = await serverOn(at('old.db'), dir);
    await expect(migrate('old.db', 'new.db')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('source'),
      hint: expect.stringContaining('Stop the server'),
    });
    expect(existsSync(at('new.db'))).toBe(false);
    await server.close();
  });

  it('a migration from a database to itself is rejected, also through a symlink or another URL', async () => {
    symlinkSync(at('old.db'), at('link.db'));
    for (const to of ['old.db', 'link.db', './x/../old.db'])
      await expect(migrate('old.db', to)).rejects.toMatchObject({ reason: 'same_database' });
    const [from, to] = ['postgresql://a:b@DB.example/x', 'postgres://c@db.example:5432/x?ssl=1'];
    await expect(migrateDatabase({ from, to }, noProgress, uninterrupted)).rejects.toMatchObject({
      reason: 'same_database',
    });
  });

  it('a migration from a missing or empty database, or to memory:, is rejected', async () => {
    await expect(migrate('none.db', 'new.db')).rejects.toMatchObject({ code: 'not_found' });
    expect(existsSync(at('none.db'))).toBe(false);
    await withStores(['empty.db'], async () => {});
    await expect(migrate('empty.db', 'new.db')).rejects.toMatchObject({ code: 'not_found' });
    const to = { from: at('old.db'), to: 'memory:' };
    await expect(migrateDatabase(to, noProgress, uninterrupted)).rejects.toMatchObject({
      reason: 'not_lasting',
    });
  });

  it('a migration fails with source_changed if the source is written to, and can be resumed', async () => {
    await withStores(['old.db', 'new.db'], async (old, copy) => {
      const system = (await old!.getNamespace(SYSTEM_NS))!;
      let written = 0;
      const busy: Store = {
        ...old!,
        async position(ns) {
          const position = await old!.position(ns);
          const row = {
            kind: 'token',
            group: null,
            body: randomBytes(40),
            rev: 1,
            createdMs: 1,
            updatedMs: 1,
          } as const;
          if (written++ === 2)
            await old!.apply(system, [
              { type: 'put', row: { ...row, id: randomBytes(16), expiresMs: null } },
            ]);
          return position;
        },
      };
      await expect(copyStore(busy, copy!, { now })).rejects.toMatchObject({ reason: 'source_changed' });
      expect(await copyStore(old!, copy!, { now })).toMatchObject({ outcome: 'resumed' });
    });
  });

  it('a migration fails with copy_differs if a row is missing in the copy', async () => {
    await withStores(['old.db', 'new.db'], async (old, copy) => {
      const leaky: Store = {
        ...copy!,
        apply: (ref, ops) => copy!.apply(ref, ops.length > 1 ? ops.slice(0, -1) : ops),
      };
      await expect(copyStore(old!, leaky, { now })).rejects.toMatchObject({ reason: 'copy_differs' });
    });
  });
});
