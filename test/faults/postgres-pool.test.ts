import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, describe, expect, it } from 'vitest';
import { parsePostgresAddress } from '../../packages/helmdeck/src/stores/postgres/address.ts';
import { openConnection } from '../../packages/helmdeck/src/stores/postgres/connection.ts';
import { isConnectionFailure } from '../../packages/helmdeck/src/stores/postgres/errors.ts';
import { createConnectionPool, type PoolOptions } from '../../packages/helmdeck/src/stores/postgres/pool.ts';
import { createSockets, RESPONSE_TIMEOUT_MS } from '../../packages/helmdeck/src/stores/postgres/sockets.ts';
import { startPostgres } from '../support/services/postgres.ts';

const NEVER = Number.POSITIVE_INFINITY;
const server = await startPostgres();

if (typeof server === 'string') it.skip(`the PostgreSQL connection pool: ${server}`);
else {
  const direct = postgres(server.url(), { max: 1 });
  afterAll(async () => {
    await direct.end();
    await server.stop();
  });

  const openPool = (
    name: string,
    { maxConnections = 3, idleTimeoutMs = NEVER, maxLifetimeMs = NEVER }: Partial<PoolOptions>,
    responseTimeoutMs = RESPONSE_TIMEOUT_MS,
  ) => {
    const address = parsePostgresAddress(`${server.url()}?application_name=${name}`);
    const sockets = createSockets(address, responseTimeoutMs);
    const open: PoolOptions['open'] = (events) =>
      openConnection({ driver: postgres, address, sockets, ...events });
    const pool = createConnectionPool({ maxConnections, idleTimeoutMs, maxLifetimeMs, open });
    const run = (text: string) => pool.pick().run<{ pid: number }>(text, [], false);
    return { run, pool, close: () => pool.close().then(sockets.close) };
  };
  const PID = 'SELECT pg_backend_pid() AS pid';
  const SLOW = `SELECT pg_sleep(1), pg_backend_pid() AS pid`;
  const connections = async (name: string) => {
    const sql = 'SELECT count(*)::int AS number FROM pg_stat_activity WHERE application_name = $1';
    return (await direct.unsafe(sql, [name]))[0]!.number as number;
  };
  const pidsOf = (rows: { pid: number }[][]) => new Set(rows.map(([row]) => row!.pid));

  describe('the PostgreSQL connection pool', () => {
    it('the pool reuses one connection for sequential statements, and opens more for parallel ones up to its maximum', async () => {
      const { run, close } = openPool('needed', {});
      const sequential = pidsOf([await run(PID), await run(PID), await run(PID)]);
      expect(sequential.size).toBe(1);
      expect(pidsOf(await Promise.all(Array.from({ length: 12 }, () => run(PID)))).size).toBe(3);
      expect(await connections('needed')).toBe(3);
      await close();
      await expect.poll(() => connections('needed')).toBe(0);
    });

    it('the pool closes idle connections and opens new ones on demand', async () => {
      const { run, close } = openPool('idle', { idleTimeoutMs: 100 });
      await Promise.all([run(PID), run(PID)]);
      await expect.poll(() => connections('idle')).toBe(0);
      expect(await run(PID)).toHaveLength(1);
      await close();
    });

    it('the pool keeps an idle connection open beyond the response timeout, which applies to pending statements only', async () => {
      const { run, close } = openPool('resting', { maxConnections: 1 }, 2_000);
      const first = await run(PID);
      await delay(5_000); // sockets are checked once a second
      expect(await run(PID)).toEqual(first);
      await expect(run('SELECT pg_sleep(20)')).rejects.toThrow();
      await close();
    });

    it('the pool replaces a connection after its lifetime without failing the statements pending on it', async () => {
      const { run, close } = openPool('renewed', { maxConnections: 1, maxLifetimeMs: 100 });
      const [first, ...later] = await Promise.all([run(SLOW), run(PID), run(PID)]);
      expect(pidsOf([first!, ...later]).size).toBe(1);
      expect(await run(PID)).not.toEqual([{ pid: first![0]!.pid }]);
      await close();
    });

    it('the pool finishes pending statements before it closes', async () => {
      const { run, close } = openPool('closing', { maxConnections: 1 });
      const pending = Promise.all([run(SLOW), run(PID), run(PID)]);
      await close();
      expect(await pending).toHaveLength(3);
    });

    it('the pool reports its busy connections and pending statements, and counts connections that the server ended but not those it closed itself', async () => {
      const { run, pool, close } = openPool('counted', { idleTimeoutMs: 2_000 });
      const opened = pidsOf(await Promise.all([run(PID), run(PID), run(PID)]));
      expect(opened.size).toBe(3);
      const idle = { open: 3, pendingCalls: 0, lost: 0, reconnects: 0, pool: { busy: 0, max: 3 } };
      expect(pool.status()).toEqual(idle);
      const slow = Array.from({ length: 5 }, () => run(SLOW));
      expect(pool.status()).toEqual({ ...idle, pendingCalls: 5, pool: { busy: 3, max: 3 } });
      await Promise.all(slow);
      const [ended] = opened;
      await direct.unsafe('SELECT pg_terminate_backend($1)', [ended!]);
      await expect.poll(pool.status).toMatchObject({ open: 2, lost: 1, reconnects: 0 });
      await Promise.all([run(SLOW), run(SLOW), run(SLOW)]);
      expect(pool.status()).toMatchObject({ open: 3, lost: 1, reconnects: 1 });
      await expect.poll(pool.status, { timeout: 30_000 }).toMatchObject({ open: 0, lost: 1, reconnects: 1 });
      await run(PID);
      expect(pool.status()).toMatchObject({ open: 1, lost: 1, reconnects: 1 });
      await close();
    });

    it('the pool runs dedicated work on a separate connection, and rolls it back if the work fails', async () => {
      const { run, pool, close } = openPool('dedicated', { maxConnections: 1 });
      const [pooled] = await run(PID);
      const failed = pool.withDedicatedConnection(async (connection) => {
        await connection.run('BEGIN', [], false);
        await connection.run('CREATE TABLE never (x int)', [], false);
        expect(await connection.run(PID, [], false)).not.toEqual([pooled]);
        throw new Error('half done');
      });
      await expect(failed).rejects.toThrow('half done');
      const isRolledBack = () => direct.unsafe(`SELECT to_regclass('never') IS NULL AS gone`);
      await expect.poll(isRolledBack).toEqual([{ gone: true }]);
      await close();
    });
  });

  it('a statement whose connection is cut during startup fails as a connection failure, which may be retried', async () => {
    const cutting = createServer((socket) => socket.once('data', () => socket.end())).listen(0, '127.0.0.1');
    await once(cutting, 'listening');
    const { port } = cutting.address() as AddressInfo;
    const address = parsePostgresAddress(`postgres://user@127.0.0.1:${port}/none?sslmode=disable`);
    const sockets = createSockets(address, RESPONSE_TIMEOUT_MS);
    const connection = openConnection({ driver: postgres, address, sockets, onLost() {} });
    const failure = await connection.run(PID, [], false).catch((thrown: unknown) => thrown);
    expect(isConnectionFailure(failure), String(failure)).toBe(true);
    await sockets.close();
    cutting.close();
  });
}
