import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateDatabase } from '../../../packages/helmdeck/src/server/migrate/migrate.ts';
import { startPostgres } from '../../support/services/postgres.ts';
import { startRedis } from '../../support/services/redis.ts';
import { expectFilled, type FilledState, fill, serverOn } from './filled-server.ts';

const postgres = await startPostgres();
const redis = await startRedis({ appendonly: 'yes' });
const dir = mkdtempSync(join(tmpdir(), 'helmdeck-across-'));
const file = join(dir, 'old.db');
const nothing = () => {};
const migrate = (from: string, to: string) => migrateDatabase({ from, to }, nothing, () => nothing);

let before: FilledState;
beforeAll(async () => {
  const server = await serverOn(file, dir);
  before = await fill(server);
  await server.close();
});
afterAll(async () => {
  if (typeof postgres !== 'string') await postgres.stop();
  if (typeof redis !== 'string') await redis.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Migrates to the URL and back; a server reads everything at both ends, and equal reports (with digest) prove that nothing changed. */
async function roundTrip(url: string, backFile: string): Promise<void> {
  const script = join(import.meta.dirname, 'killed-migration.ts');
  const args = ['--disable-warning=ExperimentalWarning', script, file, url];
  expect(spawnSync(process.execPath, args, { timeout: 200_000 })).toMatchObject({ signal: 'SIGKILL' });
  const first = await migrate(file, url);
  expect(first).toMatchObject({ outcome: 'resumed', namespaces: expect.any(Number) });
  const back = await migrate(url, join(dir, backFile));
  expect({ ...back, from: '', to: '', outcome: '' }).toEqual({ ...first, from: '', to: '', outcome: '' });
  for (const address of [url, join(dir, backFile)]) {
    const server = await serverOn(address, dir);
    await expectFilled(server, before);
    await server.close();
  }
}

describe('migration between back-ends', () => {
  it.skipIf(typeof postgres === 'string')(
    'a migration to PostgreSQL, killed once, and back loses nothing',
    () => roundTrip((postgres as Exclude<typeof postgres, string>).url(), 'from-postgres.db'),
  );

  it.skipIf(typeof redis === 'string')('a migration to Redis, killed once, and back loses nothing', () =>
    roundTrip((redis as Exclude<typeof redis, string>).url('prefix=moved'), 'from-redis.db'),
  );

  it.skipIf(typeof redis === 'string' || typeof postgres === 'string')(
    'a migration report shows no password',
    async () => {
      const address = (postgres as Exclude<typeof postgres, string>).url('postgres');
      const report = await migrate(
        address,
        (redis as Exclude<typeof redis, string>).url('prefix=third'),
      ).catch((thrown: unknown) => thrown);
      expect(JSON.stringify(report)).not.toContain(encodeURIComponent('p@ss:w/rd?#'));
    },
  );
});
