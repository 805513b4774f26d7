import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { NamespaceRecord, Store } from '../../packages/helmdeck/src/memory/store.ts';
import { openStore } from '../../packages/helmdeck/src/stores/open.ts';
import { startPostgres } from '../support/services/postgres.ts';
import { type Cut, type CutProxy, startCutProxy } from './cut-proxy.ts';

const POOL = 4;
const TIMEOUT_MS = 60_000;
const NS = new Uint8Array(16).fill(7);
const server = await startPostgres();

if (typeof server === 'string') it.skip(`PostgreSQL behind a failing network: ${server}`);
else {
  const direct = postgres(server.url(), { max: 1 });
  let proxy: CutProxy;
  let rows = 0;
  beforeAll(async () => {
    proxy = await startCutProxy(server.port);
  });
  afterAll(async () => {
    await proxy.close();
    await direct.end();
    await server.stop();
  });

  const openThroughProxy = async (name: string, sslmode: string, connectSeconds: number) => {
    const url = new URL(server.url());
    url.port = String(proxy.port);
    const parameters = {
      pool: String(POOL),
      connect_timeout: String(connectSeconds),
      application_name: name,
      sslmode,
    };
    for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value);
    // On a busy machine even the first connection may take longer than the timeout of a second.
    const store = await vi.waitFor(() => openStore(url.href, { now: Date.now }), { timeout: TIMEOUT_MS });
    return { store, record: await store.createNamespace(NS, new Uint8Array(4)) };
  };

  const put = (store: Store, record: NamespaceRecord) => {
    const id = Buffer.alloc(16);
    id.writeUInt32BE(rows++);
    const times = { createdMs: 1, updatedMs: 1, expiresMs: null };
    const row = { id, kind: 'fact', group: null, body: new Uint8Array(40), rev: 1, ...times } as const;
    return store.apply(record, [{ type: 'put', row }]);
  };

  /** The outcomes of more concurrent reads and writes than there are connections. */
  const burst = (store: Store, record: NamespaceRecord) =>
    Promise.all(
      Array.from({ length: 6 * POOL }, (_, n) =>
        (n % 3 === 0 ? put(store, record) : store.position(NS)).then(
          () => 'done',
          (thrown: unknown) => thrown,
        ),
      ),
    );

  async function expectRecovered(store: Store, record: NamespaceRecord, name: string): Promise<void> {
    const allSucceed = async () => (await burst(store, record)).every((outcome) => outcome === 'done');
    await expect.poll(allSucceed, { timeout: TIMEOUT_MS }).toBe(true);
    const sql = 'SELECT count(*)::int AS connections FROM pg_stat_activity WHERE application_name = $1';
    const connections = async () => (await direct.unsafe(sql, [name]))[0]!.connections;
    await expect.poll(connections, { timeout: TIMEOUT_MS }).toBe(POOL);
  }

  describe.each<[Cut, string]>([
    ['hang up', 'disable'],
    ['hang up', 'prefer'],
    ['reset', 'disable'],
    ['reset', 'prefer'],
    ['silence', 'disable'],
    ['silence', 'prefer'],
  ])('a network that fails with %s, sslmode=%s', (how, sslmode) => {
    it('calls fail as unavailable while the network is down, and every connection works again afterwards', async () => {
      const name = `cut by ${how} ${sslmode}`;
      const { store, record } = await openThroughProxy(name, sslmode, 1);
      const interrupted = burst(store, record);
      if (how === 'silence') proxy.cut('reset'); // otherwise pending calls wait for the response timeout
      proxy.cut(how);
      for (const outcome of await interrupted)
        if (outcome !== 'done') expect(outcome).toMatchObject({ code: 'memory_unavailable' });
      for (const outcome of await burst(store, record))
        expect(outcome).toMatchObject({ code: 'memory_unavailable' });
      proxy.heal();
      await expectRecovered(store, record, name);
      await store.close();
    });
  });

  describe('connections that break repeatedly under load', () => {
    it('no read fails, because reads are retried, and every connection of the pool still works afterwards', async () => {
      const name = 'breaking often';
      const { store, record } = await openThroughProxy(name, 'disable', 30);
      let isRunning = true;
      const failures: unknown[] = [];
      const completedReads: number[] = [];
      const read = async (n: number) => {
        for (completedReads[n] = 0; isRunning; completedReads[n]!++)
          await store.position(NS).catch((thrown: unknown) => failures.push(thrown));
      };
      const write = async () => {
        while (isRunning) await put(store, record).catch(() => {});
      };
      const workers = Array.from({ length: 6 * POOL }, (_, n) => (n % 3 === 0 ? write() : read(n)));
      for (let round = 0; round < 20; round++) {
        const before = [...completedReads];
        proxy.heal(); // closes all existing connections
        // So no read is cut twice: the first result may have been in flight, the second read started after the cut.
        const haveProgressed = () => completedReads.every((count, n) => count >= before[n]! + 2);
        await expect.poll(haveProgressed, { timeout: TIMEOUT_MS, interval: 10 }).toBe(true);
      }
      isRunning = false;
      await Promise.all(workers);
      expect(failures).toEqual([]);
      await expectRecovered(store, record, name);
      await store.close();
    });
  });
}
