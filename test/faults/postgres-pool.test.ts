import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, describe, expect, it } from 'vitest';
import { parsePostgresAddress } from '../../packages/helmdeck/src/stores/postgres/address.ts';
import { openLane } from '../../packages/helmdeck/src/stores/postgres/connection.ts';
import { isConnectionFailure } from '../../packages/helmdeck/src/stores/postgres/errors.ts';
import { createLanes, type LanesOptions } from '../../packages/helmdeck/src/stores/postgres/pool.ts';
import { createSockets, SILENCE_MS } from '../../packages/helmdeck/src/stores/postgres/sockets.ts';
import { startPostgres } from '../support/services/postgres.ts';

const NEVER = Number.POSITIVE_INFINITY;
const server = await startPostgres();

if (typeof server === 'string') it.skip(`connections to PostgreSQL: ${server}`);
else {
  const direct = postgres(server.url(), { max: 1 });
  afterAll(async () => {
    await direct.end();
    await server.stop();
  });

  const opened = (
    name: string,
    { max = 3, idleMs = NEVER, lifetimeMs = NEVER }: Partial<LanesOptions>,
    silenceMs = SILENCE_MS,
  ) => {
    const address = parsePostgresAddress(`${server.url()}?application_name=${name}`);
    const sockets = createSockets(address, silenceMs);
    const open = (onLost: () => void) => openLane({ driver: postgres, address, sockets, onLost });
    const lanes = createLanes({ max, idleMs, lifetimeMs, open });
    const run = (text: string) => lanes.pick().run<{ pid: number }>(text, [], false);
    return { run, lanes, close: () => lanes.close().then(sockets.close) };
  };
  const PID = 'SELECT pg_backend_pid() AS pid';
  const SLOW = `SELECT pg_sleep(1), pg_backend_pid() AS pid`;
  const connections = async (name: string) => {
    const sql = 'SELECT count(*)::int AS number FROM pg_stat_activity WHERE application_name = $1';
    return (await direct.unsafe(sql, [name]))[0]!.number as number;
  };
  const pidsOf = (rows: { pid: number }[][]) => new Set(rows.map(([row]) => row!.pid));

  describe('connections to the database server', () => {
    it('are as many as are needed, never more than allowed, and one serves whoever comes alone', async () => {
      const { run, close } = opened('needed', {});
      const alone = pidsOf([await run(PID), await run(PID), await run(PID)]);
      expect(alone.size).toBe(1);
      expect(pidsOf(await Promise.all(Array.from({ length: 12 }, () => run(PID)))).size).toBe(3);
      expect(await connections('needed')).toBe(3);
      await close();
      await expect.poll(() => connections('needed')).toBe(0);
    });

    it('are given back to the server when nobody needs them, and opened again when somebody does', async () => {
      const { run, close } = opened('idle', { idleMs: 100 });
      await Promise.all([run(PID), run(PID)]);
      await expect.poll(() => connections('idle')).toBe(0);
      expect(await run(PID)).toHaveLength(1);
      await close();
    });

    it('that rest for longer than a silent server is waited for are kept', async () => {
      const { run, close } = opened('resting', { max: 1 }, 2_000);
      const first = await run(PID);
      await delay(5_000); // the watch looks once a second
      expect(await run(PID)).toEqual(first);
      await expect(run('SELECT pg_sleep(20)')).rejects.toThrow();
      await close();
    });

    it('are renewed now and then without failing what is under way on them', async () => {
      const { run, close } = opened('renewed', { max: 1, lifetimeMs: 100 });
      const [first, ...later] = await Promise.all([run(SLOW), run(PID), run(PID)]);
      expect(pidsOf([first!, ...later]).size).toBe(1);
      expect(await run(PID)).not.toEqual([{ pid: first![0]!.pid }]);
      await close();
    });

    it('finish what is under way before they are closed', async () => {
      const { run, close } = opened('closing', { max: 1 });
      const under = Promise.all([run(SLOW), run(PID), run(PID)]);
      await close();
      expect(await under).toHaveLength(3);
    });

    it('that work alone share nothing and are undone when the work fails', async () => {
      const { run, lanes, close } = opened('alone', { max: 1 });
      const [mine] = await run(PID);
      const broken = lanes.alone(async (lane) => {
        await lane.run('BEGIN', [], false);
        await lane.run('CREATE TABLE never (x int)', [], false);
        expect(await lane.run(PID, [], false)).not.toEqual([mine]);
        throw new Error('half done');
      });
      await expect(broken).rejects.toThrow('half done');
      const there = () => direct.unsafe(`SELECT to_regclass('never') IS NULL AS gone`);
      await expect.poll(there).toEqual([{ gone: true }]);
      await close();
    });
  });

  it('a question whose connection is cut before the server has greeted may be asked again', async () => {
    const cutting = createServer((socket) => socket.once('data', () => socket.end())).listen(0, '127.0.0.1');
    await once(cutting, 'listening');
    const { port } = cutting.address() as AddressInfo;
    const address = parsePostgresAddress(`postgres://nobody@127.0.0.1:${port}/none?sslmode=disable`);
    const sockets = createSockets(address, SILENCE_MS);
    const lane = openLane({ driver: postgres, address, sockets, onLost() {} });
    const failure = await lane.run(PID, [], false).catch((thrown: unknown) => thrown);
    expect(isConnectionFailure(failure), String(failure)).toBe(true);
    await sockets.close();
    cutting.close();
  });
}
