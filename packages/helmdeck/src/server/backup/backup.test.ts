import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testServer } from '../../testing/test-server.ts';
import { loadConfig } from '../config/config.ts';
import { readDatabaseFile } from '../database-file.ts';
import { backupDatabase } from './backup.ts';
import { restoreDatabase } from './restore.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'helmdeck-backup-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const env = () => ({
  HELMDECK_DB: join(dir, 'h.db'),
  HELMDECK_MEMORY_KEY: '5a'.repeat(32),
  HELMDECK_RATE_LIMIT: 'off',
});
const config = () => loadConfig(env()).config;
const nothing = () => {};
const uninterrupted = () => nothing;
const store = (server: Awaited<ReturnType<typeof testServer>>, n: number) =>
  server.call('alice', 'POST', '/api/v1/memory/store', { key: `k${n}`, value: 'v'.repeat(2000) });

describe('backup', () => {
  it('a backup is a consistent snapshot, and writes succeed while it is made', async () => {
    const server = await testServer({ env: env() });
    for (let n = 0; n < 400; n++) await store(server, n);
    let written = 400;
    let going = true;
    const writing = (async () => {
      while (going) expect((await store(server, written++)).status).toBe(200);
    })();
    const report = await backupDatabase(config(), join(dir, 'b.db'), nothing, uninterrupted);
    going = false;
    await writing;
    expect(report.rows).toBeGreaterThanOrEqual(400);
    expect(report.rows).toBeLessThanOrEqual(written + 10);
    await server.close();
    expect(readdirSync(dir).filter((name) => /b\.db./.test(name))).toEqual([]);
  });

  it('a backup contains every fact that was acknowledged before it started', async () => {
    const server = await testServer({ env: env() });
    for (let n = 0; n < 60; n++) {
      expect((await store(server, n)).status).toBe(200);
      if (n % 7 > 0) continue;
      const copy = join(dir, `b${n}.db`);
      const { rows } = await backupDatabase(config(), copy, nothing, uninterrupted);
      const { config: copied } = loadConfig({ ...env(), HELMDECK_DB: copy });
      const taken = readDatabaseFile(copied.db, (db) => db.all("SELECT seq FROM rows WHERE kind = 'fact'"));
      expect(taken, `of ${rows} rows`).toHaveLength(n + 1);
    }
    await server.close();
  });

  it('a failed backup leaves no files', async () => {
    await expect(backupDatabase(config(), join(dir, 'b.db'), nothing, uninterrupted)).rejects.toMatchObject({
      code: 'not_found',
    });
    await (await testServer({ env: env() })).close();
    const nowhere = join(dir, 'none', 'b.db');
    await expect(backupDatabase(config(), nowhere, nothing, uninterrupted)).rejects.toThrow();
    expect(existsSync(join(dir, 'b.db'))).toBe(false);
  });

  it('a backup of a database that is not a file is refused', async () => {
    const ram = loadConfig({ HELMDECK_DB: 'memory:' }).config;
    await expect(backupDatabase(ram, join(dir, 'b'), nothing, uninterrupted)).rejects.toMatchObject({
      reason: 'not_a_file',
    });
  });
});

describe('restore', () => {
  it('a live database that was copied by hand with its WAL can be restored', async () => {
    const server = await testServer({ env: env() });
    for (let n = 100; n < 140; n++) await store(server, n);
    await store(server, 1);
    for (const suffix of ['', '-wal'])
      copyFileSync(join(dir, `h.db${suffix}`), join(dir, `copy.db${suffix}`));
    await store(server, 2);
    await server.close();
    const report = await restoreDatabase(config(), join(dir, 'copy.db'), { force: false }, uninterrupted);
    expect(report).toMatchObject({ key_fits: true, kept_aside: expect.stringContaining('.before-restore-') });
    const again = await testServer({ env: env() });
    expect((await again.call('alice', 'GET', '/api/v1/memory/facts/k1')).status).toBe(200);
    expect((await again.call('alice', 'GET', '/api/v1/memory/facts/k2')).status).toBe(404);
    await again.close();
  });

  it.each(['with the command', 'by copying the file'])(
    'after a restore %s, search does not find facts stored after the backup',
    async (way) => {
      const found = async (server: Awaited<ReturnType<typeof testServer>>) => {
        const response = await server.call('alice', 'GET', '/api/v1/memory/search?q=ghost');
        return ((await response.json()) as { results: unknown[] }).results;
      };
      const server = await testServer({ env: env() });
      const facts = Array.from({ length: 500 }, (_, n) => ({ key: `k${n}`, value: 'of the backup' }));
      await server.call('alice', 'POST', '/api/v1/memory/store/batch', { facts });
      await backupDatabase(config(), join(dir, 'b.db'), nothing, uninterrupted);
      await server.call('alice', 'POST', '/api/v1/memory/store', { key: 'ghost', value: 'of later' });
      expect(await found(server)).toHaveLength(1);
      await server.close();
      expect(readdirSync(join(dir, 'snapshots'))).toHaveLength(1);
      if (way === 'by copying the file') copyFileSync(join(dir, 'b.db'), join(dir, 'h.db'));
      else await restoreDatabase(config(), join(dir, 'b.db'), { force: false }, uninterrupted);
      const again = await testServer({ env: env() });
      expect(await found(again)).toEqual([]);
      await again.close();
    },
  );

  it('after a restore, search does not find facts stored after the backup, even if new facts advance the position before the first search', async () => {
    const server = await testServer({ env: env() });
    const facts = (name: string) =>
      Array.from({ length: 500 }, (_, n) => ({ key: `${name}${n}`, value: 'of the backup' }));
    await server.call('alice', 'POST', '/api/v1/memory/store/batch', { facts: facts('k') });
    await backupDatabase(config(), join(dir, 'b.db'), nothing, uninterrupted);
    await server.call('alice', 'POST', '/api/v1/memory/store', { key: 'ghost', value: 'of later' });
    await server.call('alice', 'GET', '/api/v1/memory/search?q=ghost');
    await server.close();
    await restoreDatabase(config(), join(dir, 'b.db'), { force: false }, uninterrupted);
    const again = await testServer({ env: env() });
    // Judged by its position alone, the image snapshot would now pass for an older state of this database.
    await again.call('alice', 'POST', '/api/v1/memory/store/batch', { facts: facts('more') });
    const response = await again.call('alice', 'GET', '/api/v1/memory/search?q=ghost');
    expect(((await response.json()) as { results: unknown[] }).results).toEqual([]);
    await again.close();
  });

  it('a restore where no database exists reports no previous database', async () => {
    await (await testServer({ env: env() })).close();
    await backupDatabase(config(), join(dir, 'b.db'), nothing, uninterrupted);
    rmSync(join(dir, 'h.db'));
    const report = await restoreDatabase(config(), join(dir, 'b.db'), { force: false }, uninterrupted);
    expect(report.kept_aside).toBeNull();
  });

  it('a restore is refused while a server uses the database', async () => {
    const server = await testServer({ env: env() });
    await backupDatabase(config(), join(dir, 'b.db'), nothing, uninterrupted);
    await expect(
      restoreDatabase(config(), join(dir, 'b.db'), { force: true }, uninterrupted),
    ).rejects.toMatchObject({ reason: 'second_process' });
    await server.close();
  });
});
