import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backupDatabase, listBackups } from '../../packages/helmdeck/src/server/backup/backup.ts';
import { openBackupTarget } from '../../packages/helmdeck/src/server/backup/backup-target.ts';
import { restoreDatabase } from '../../packages/helmdeck/src/server/backup/restore.ts';
import { loadConfig } from '../../packages/helmdeck/src/server/config/config.ts';
import { checkBackups } from '../../packages/helmdeck/src/server/doctor/check-backups.ts';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { type S3Process, startS3 } from '../support/services/s3.ts';
import { type SignatureCheck, startSignatureCheck } from '../support/services/s3-signature-check.ts';

let s3: S3Process;
let check: SignatureCheck;
let dir: string;
let prefix = 0;
beforeAll(async () => {
  s3 = await startS3(['backups']);
  check = await startSignatureCheck(s3.endpoint, 'S3RVER');
});
afterAll(async () => {
  await check.stop();
  await s3.stop();
});
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'helmdeck-backups-'));
  prefix++;
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const TARGETS = { 'a folder': () => join(dir, 'kept'), S3: () => `s3://backups/to/${prefix}` };
const envOf = (url: string, more: Record<string, string> = {}): Record<string, string> => ({
  HELMDECK_DB: join(dir, 'h.db'),
  HELMDECK_MEMORY_KEY: '5a'.repeat(32),
  HELMDECK_BACKUP_URL: url,
  HELMDECK_BACKUP_KEEP: '2',
  HELMDECK_S3_ENDPOINT: check.endpoint,
  HELMDECK_S3_ACCESS_KEY: 'S3RVER',
  HELMDECK_S3_SECRET_KEY: 'S3RVER',
  HELMDECK_S3_BUCKET: 'backups',
  ...more,
});
const configOf = (env: Record<string, string>) => loadConfig(env).config;
const nothing = () => {};
const uninterrupted = () => nothing;
const HOUR = 3_600_000;
const store = async (server: TestServer, key: string) =>
  expect((await server.call('ada', 'POST', '/api/v1/memory/store', { key, value: 'kept well' })).status).toBe(
    200,
  );
const statusOf = async (server: TestServer, key: string) =>
  (await server.call('ada', 'GET', `/api/v1/memory/facts/${key}`)).status;
const metric = async (server: TestServer, name: string) => {
  const text = await (await server.call(undefined, 'GET', '/metrics')).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
};

describe.each(Object.entries(TARGETS))('scheduled backups in %s', (_name, address) => {
  it('scheduled backups are made when due, pruned to the newest, and restored with "latest"', async () => {
    const env = envOf(address());
    let nowMs = Date.UTC(2026, 0, 1);
    const server = await testServer({ env, now: () => nowMs, backups: true });
    await store(server, 'first');
    // The start already made the first backup.
    expect(await server.backups!.runIfDue()).toBeUndefined();
    nowMs += 23 * HOUR;
    expect(await server.backups!.runIfDue()).toBeUndefined();
    for (let day = 0; day < 3; day++) {
      nowMs += 24 * HOUR;
      expect(await server.backups!.runIfDue()).toMatchObject({ rows: expect.any(Number) });
    }
    await store(server, 'after-the-last');
    expect(await metric(server, 'helmdeck_backup_last_success_timestamp_seconds')).toBe(nowMs / 1000);
    expect(await metric(server, 'helmdeck_backup_interval_seconds')).toBe(86_400);
    expect(await metric(server, 'helmdeck_backup_failures_total')).toBe(0);
    const headers = { authorization: `Bearer ${await server.token('root', { scopes: ['admin'] })}` };
    const status = await server.call(undefined, 'GET', '/api/v1/backups', undefined, headers);
    expect(await status.json()).toEqual({
      possible: true,
      schedule: {
        address: env.HELMDECK_BACKUP_URL,
        every_seconds: 86_400,
        keep: expect.any(Number),
        last: { at: new Date(nowMs).toISOString(), bytes: expect.any(Number) },
        failed_at: null,
      },
    });
    await server.close();

    const config = configOf(env);
    const kept = await listBackups(config, undefined);
    expect(kept.map(({ at }) => Date.parse(at))).toEqual([nowMs, nowMs - 24 * HOUR]);
    expect(readdirSync(dir).filter((name) => name.includes('backup-'))).toEqual([]);
    expect(await checkBackups(config, nowMs + HOUR)).toMatchObject([{ status: 'ok' }]);
    expect(await checkBackups(config, nowMs + 49 * HOUR)).toMatchObject([{ status: 'fail' }]);

    const report = await restoreDatabase(config, 'latest', { force: false }, uninterrupted);
    expect(report).toMatchObject({ key_fits: true, source: kept[0]!.file });
    const again = await testServer({ env, now: () => nowMs, backups: true });
    expect([await statusOf(again, 'first'), await statusOf(again, 'after-the-last')]).toEqual([200, 404]);
    // A restart makes no backup before it is due.
    await again.backups!.runIfDue();
    await again.close();
    expect(await listBackups(config, undefined)).toEqual(kept);
  });

  it('a backup is encrypted, and restoring it with another key is rejected', async () => {
    const env = envOf(address());
    const server = await testServer({ env });
    await store(server, 'telling');
    const { file, sealed } = await backupDatabase(configOf(env), undefined, nothing, uninterrupted);
    await server.close();
    expect(sealed).toBe(true);
    const other = configOf({ ...env, HELMDECK_MEMORY_KEY: '6b'.repeat(32) });
    await expect(restoreDatabase(other, file, { force: true }, uninterrupted)).rejects.toMatchObject({
      reason: 'wrong_key',
    });
    rmSync(join(dir, 'h.db'));
    await restoreDatabase(configOf(env), file, { force: false }, uninterrupted);
    const again = await testServer({ env });
    expect(await statusOf(again, 'telling')).toBe(200);
    await again.close();
  });

  it('backups of several databases in one target are pruned and counted separately', async () => {
    const env = envOf(address(), { HELMDECK_BACKUP_KEEP: '1' });
    await (await testServer({ env })).close();
    const other = { ...env, HELMDECK_DB: join(dir, 'other.db') };
    await (await testServer({ env: other })).close();
    for (const each of [env, other, env, other])
      await backupDatabase(configOf(each), undefined, nothing, uninterrupted);
    const kept = await listBackups(configOf(env), undefined);
    expect(new Set(kept.map(({ database }) => database)).size).toBe(2);
    expect(kept).toHaveLength(2);
    expect(await checkBackups(configOf(env), Date.now())).toMatchObject([
      { status: 'ok', message: expect.stringMatching(/^1 in /) },
    ]);
    await expect(
      restoreDatabase(configOf(env), 'latest', { force: false }, uninterrupted),
    ).rejects.toMatchObject({
      reason: 'several_databases',
    });
  });
});

describe('backup targets', () => {
  it('a backup larger than one part is uploaded to S3 in parts and read back unchanged', async () => {
    const target = await openBackupTarget(
      `s3://backups/large/${prefix}`,
      configOf(envOf('s3://backups/x')).s3Account,
    );
    const bytes = randomBytes(40 * 1_048_576);
    const name = 'helmdeck-00000000-20260101T000000000Z.backup';
    await target.write(
      name,
      (async function* () {
        for (let at = 0; at < bytes.length; at += 1_000_000) yield bytes.subarray(at, at + 1_000_000);
      })(),
    );
    const parts: Uint8Array[] = [];
    for await (const chunk of await target.read(name)) parts.push(chunk);
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
    expect(await target.list()).toMatchObject([{ name, bytes: bytes.length }]);
  });

  it('a backup that fails midway leaves no file in the target', async () => {
    for (const address of [`s3://backups/broken/${prefix}`, join(dir, 'broken')]) {
      const target = await openBackupTarget(address, configOf(envOf('s3://backups/x')).s3Account);
      const breaking = (async function* () {
        yield randomBytes(20 * 1_048_576);
        throw new Error('the disk is gone');
      })();
      await expect(target.write('helmdeck-00000000-20260101T000000000Z.backup', breaking)).rejects.toThrow(
        'disk',
      );
      expect(await target.list()).toEqual([]);
    }
    expect(readdirSync(join(dir, 'broken'))).toEqual([]);
  });

  it('a backup in a folder is encrypted and readable only by its owner', async () => {
    const env = envOf(join(dir, 'kept'));
    const server = await testServer({ env });
    await server.close();
    const { file } = await backupDatabase(configOf(env), undefined, nothing, uninterrupted);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file).includes('SQLite')).toBe(false);
    expect(statSync(join(dir, 'kept')).mode & 0o777).toBe(0o700);
  });
});

describe('failures of scheduled backups', () => {
  it('a scheduled backup that fails is logged, counted and retried later, and the server keeps running', async () => {
    writeFileSync(join(dir, 'a-file'), '');
    const said: string[] = [];
    let nowMs = Date.UTC(2026, 0, 1);
    const log = { isEnabled: () => true, debug: nothing, info: nothing, warn: nothing };
    const server = await testServer({
      env: envOf(join(dir, 'a-file', 'below')),
      now: () => nowMs,
      backups: true,
      log: { ...log, error: (_fields: object, text: string) => void said.push(text) },
    });
    await server.backups!.runIfDue();
    expect(said).toEqual([expect.stringContaining('THE BACKUP FAILED')]);
    expect(await metric(server, 'helmdeck_backup_failures_total')).toBe(1);
    await server.backups!.runIfDue();
    expect(said).toHaveLength(1);
    nowMs += 61_000;
    await server.backups!.runIfDue();
    expect(said).toHaveLength(2);
    expect(server.backups!.status()).toMatchObject({ last: null, failedMs: nowMs });
    await store(server, 'still-works');
    await server.close();
    expect(readdirSync(dir).filter((name) => name.includes('backup-'))).toEqual([]);
  });

  it('a scheduled backup without a memory key logs how to create one', async () => {
    const said: string[] = [];
    const log = { isEnabled: () => true, debug: nothing, info: nothing, warn: nothing };
    const server = await testServer({
      env: envOf(join(dir, 'kept'), { HELMDECK_MEMORY_KEY: '' }),
      backups: true,
      log: { ...log, error: (_fields: object, text: string) => void said.push(text) },
    });
    await server.backups!.runIfDue();
    await server.close();
    expect(said).toEqual([expect.stringContaining('helmdeck init')]);
  });
});

describe('backup configuration', () => {
  it('invalid backup settings are rejected by the name of their variable', () => {
    const problem = (env: Record<string, string>) => {
      try {
        loadConfig(env);
        return '';
      } catch (thrown) {
        return (thrown as Error).message;
      }
    };
    const base = { HELMDECK_DB: join(dir, 'h.db'), HELMDECK_BACKUP_URL: '/backups' };
    expect(problem(base)).toBe('');
    expect(problem({ ...base, HELMDECK_DB: 'memory:' })).toContain('HELMDECK_BACKUP_URL');
    expect(problem({ ...base, HELMDECK_BACKUP_URL: 'ftp://x/y' })).toContain('HELMDECK_BACKUP_URL');
    expect(problem({ ...base, HELMDECK_BACKUP_URL: 's3://bucket/x' })).toContain('HELMDECK_S3_ENDPOINT');
    expect(problem({ ...base, HELMDECK_BACKUP_EVERY: 'daily' })).toContain('HELMDECK_BACKUP_EVERY');
    expect(problem({ ...base, HELMDECK_BACKUP_KEEP: '0' })).toContain('HELMDECK_BACKUP_KEEP');
    // The backup URL names its bucket; artifacts need HELMDECK_S3_BUCKET, or stay in files.
    const { HELMDECK_S3_BUCKET: _, ...withoutBucket } = envOf('s3://backups/x');
    expect(problem(withoutBucket)).toBe('');
    expect(problem({ ...withoutBucket, HELMDECK_BACKUP_URL: '/backups' })).toContain('HELMDECK_S3_BUCKET');
  });
});
