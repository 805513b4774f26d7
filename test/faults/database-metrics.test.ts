import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { startPostgres } from '../support/services/postgres.ts';
import { startRedis } from '../support/services/redis.ts';

const postgres = await startPostgres({ durable: true });
const redis = await startRedis();
const KEY = 'ab'.repeat(32);
const WRITERS = 8;
const TIMEOUT_MS = 60_000;

/** The samples of the database, by name without prefix. */
async function scrape(server: TestServer): Promise<Record<string, number>> {
  const text = await (await server.call(undefined, 'GET', '/metrics')).text();
  const samples = [...text.matchAll(/^helmdeck_database_([a-z_]+) (\S+)$/gm)];
  return Object.fromEntries(samples.map(([, name, value]) => [name!, Number(value)]));
}

const store = (server: TestServer, key: string) =>
  server.call('ada', 'POST', '/api/v1/memory/store', { key, value: `about ${key}` });

/** Starts writers that never stop by themselves; `acknowledged` grows with what they stored. */
function startWriters(server: TestServer) {
  const acknowledged: string[] = [];
  let stopped = false;
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let i = 0; !stopped; i++) {
      const key = `${writer}.${i}`;
      const { status } = await store(server, key);
      expect([200, 201, 503]).toContain(status);
      if (status < 300) acknowledged.push(key);
      else await delay(20);
    }
  });
  return {
    acknowledged,
    async stop() {
      stopped = true;
      await Promise.all(writers);
    },
  };
}

describe.each([
  ['PostgreSQL', postgres],
  ['Redis', redis],
])('metrics of a node on %s', (_name, database) => {
  if (typeof database === 'string') return void it.skip(database);
  afterAll(() => database.stop());

  it('a database that is killed under load counts as lost and made again, and no acknowledged write is missing', async () => {
    const env = { HELMDECK_DB: database.url(), HELMDECK_MEMORY_KEY: KEY, HELMDECK_RATE_LIMIT: '1000000' };
    const server = await testServer({ env });
    const load = startWriters(server);
    await expect.poll(() => load.acknowledged.length, { timeout: TIMEOUT_MS }).toBeGreaterThan(50);
    const before = await scrape(server);
    expect(before).toMatchObject({ lost_connections_total: 0, reconnects_total: 0 });
    expect(before.connections).toBeGreaterThan(0);
    expect(before.call_seconds_count).toBeGreaterThan(50);
    expect(before.call_seconds_sum).toBeGreaterThan(0);

    await database.restart();
    const recovered = load.acknowledged.length;
    await expect
      .poll(() => load.acknowledged.length, { timeout: TIMEOUT_MS })
      .toBeGreaterThan(recovered + 50);
    await load.stop();

    const after = await scrape(server);
    expect(after.lost_connections_total).toBeGreaterThan(0);
    expect(after.reconnects_total).toBeGreaterThan(0);
    expect(after.reconnects_total).toBeLessThanOrEqual(after.lost_connections_total!);
    expect(after.connections).toBeGreaterThan(0);
    const missing: string[] = [];
    for (const key of load.acknowledged) {
      const found = await server.call('ada', 'GET', `/api/v1/memory/facts/${key}`);
      if (found.status !== 200) missing.push(key);
    }
    expect(missing).toEqual([]);
    await server.close();
  });
});
