import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createClient, RESP_TYPES } from '@redis/client';
import postgres from 'postgres';
import { type LoadResult, loadCalls } from './load.ts';

/** The size of the sealed body of a typical fact. */
export const BODY_BYTES = 320;
const body = randomBytes(BODY_BYTES);
const idOf = (number: number) => {
  const id = Buffer.alloc(16);
  id.writeUInt32BE(number % 100_000, 12);
  return id;
};

/** A database without Helmdeck: one table or key space, the same client library, each row its own write. */
export interface RawEngine {
  upserts(workers: number, seconds: number): Promise<LoadResult>;
  close(): Promise<void>;
}

export function rawSqlite(folder: string): RawEngine {
  const db = new DatabaseSync(join(folder, 'raw.db'));
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec('CREATE TABLE raw (id BLOB PRIMARY KEY, body BLOB) WITHOUT ROWID');
  const upsert = db.prepare(
    'INSERT INTO raw VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body',
  );
  return {
    // SQLite has a single writer, so one worker is enough.
    upserts: (_workers, seconds) => loadCalls(1, seconds, async (number) => upsert.run(idOf(number), body)),
    async close() {
      db.close();
    },
  };
}

export async function rawPostgres(url: string): Promise<RawEngine> {
  const sql = postgres(url, { max: 64, onnotice: () => {} });
  await sql`CREATE TABLE IF NOT EXISTS raw (id bytea PRIMARY KEY, body bytea)`;
  return {
    upserts: (workers, seconds) =>
      loadCalls(
        workers,
        seconds,
        (number) =>
          sql`INSERT INTO raw VALUES (${idOf(number)}, ${body}) ON CONFLICT (id) DO UPDATE SET body = excluded.body`,
      ),
    close: () => sql.end(),
  };
}

export async function rawRedis(url: string): Promise<RawEngine> {
  const client = createClient({ url, RESP: 2 });
  await client.connect();
  const typeMapping = { [RESP_TYPES.BLOB_STRING]: Buffer };
  return {
    upserts: (workers, seconds) =>
      loadCalls(workers, seconds, (number) =>
        client.sendCommand(['SET', Buffer.concat([Buffer.from('raw:'), idOf(number)]), body], {
          typeMapping,
        }),
      ),
    async close() {
      client.destroy();
    },
  };
}

/** SETs and GETs per second as measured by redis-benchmark on the same server. */
export function redisBenchmark(port: number, connections: number, seconds: number) {
  const requests = String(Math.round(seconds * 40_000));
  const how = ['-c', String(connections), '-d', String(BODY_BYTES), '-n', requests, '-r', '100000', '--csv'];
  const { stdout } = spawnSync('redis-benchmark', ['-p', String(port), '-t', 'set,get', ...how], {
    encoding: 'utf8',
  });
  const of = (name: string) => Number(new RegExp(`^"${name}","([0-9.]+)"`, 'm').exec(stdout ?? '')?.[1] ?? 0);
  return { set: of('SET'), get: of('GET') };
}
