import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { NamespaceRecord, Store } from '../../packages/helmdeck/src/memory/store.ts';
import { openStore } from '../../packages/helmdeck/src/stores/open.ts';
import { startPostgres } from '../support/services/postgres.ts';
import { type Cut, type CutProxy, startCutProxy } from './cut-proxy.ts';

const POOL = 4;
const PATIENCE_MS = 60_000;
const NS = new Uint8Array(16).fill(7);
const server = await startPostgres();

if (typeof server === 'string') it.skip(`a way to PostgreSQL that fails: ${server}`);
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

  const opened = async (name: string, sslmode: string, connectSeconds: number) => {
    const url = new URL(server.url());
    url.port = String(proxy.port);
    const given = {
      pool: String(POOL),
      connect_timeout: String(connectSeconds),
      application_name: name,
      sslmode,
    };
    for (const [key, value] of Object.entries(given)) url.searchParams.set(key, value);
    // On a busy machine the first connection alone may take longer than a second.
    const store = await vi.waitFor(() => openStore(url.href, { now: Date.now }), { timeout: PATIENCE_MS });
    return { store, record: await store.createNamespace(NS, new Uint8Array(4)) };
  };

  const put = (store: Store, record: NamespaceRecord) => {
    const id = Buffer.alloc(16);
    id.writeUInt32BE(rows++);
    const times = { createdMs: 1, updatedMs: 1, expiresMs: null };
    const row = { id, kind: 'fact', group: null, body: new Uint8Array(40), rev: 1, ...times } as const;
    return store.apply(record, [{ type: 'put', row }]);
  };

  /** What became of more questions and writes at once than there are connections. */
  const burst = (store: Store, record: NamespaceRecord) =>
    Promise.all(
      Array.from({ length: 6 * POOL }, (_, n) =>
        (n % 3 === 0 ? put(store, record) : store.position(NS)).then(
          () => 'done',
          (thrown: unknown) => thrown,
        ),
      ),
    );

  async function expectWhole(store: Store, record: NamespaceRecord, name: string): Promise<void> {
    const isServed = async () => (await burst(store, record)).every((outcome) => outcome === 'done');
    await expect.poll(isServed, { timeout: PATIENCE_MS }).toBe(true);
    const sql = 'SELECT count(*)::int AS connections FROM pg_stat_activity WHERE application_name = $1';
    const connections = async () => (await direct.unsafe(sql, [name]))[0]!.connections;
    await expect.poll(connections, { timeout: PATIENCE_MS }).toBe(POOL);
  }

  describe.each<[Cut, string]>([
    ['hang up', 'disable'],
    ['hang up', 'prefer'],
    ['reset', 'disable'],
    ['reset', 'prefer'],
    ['silence', 'disable'],
    ['silence', 'prefer'],
  ])('a server that answers with %s, sslmode=%s', (how, sslmode) => {
    it('fails what is asked meanwhile as unavailable, and every connection serves again afterwards', async () => {
      const name = `cut by ${how} ${sslmode}`;
      const { store, record } = await opened(name, sslmode, 1);
      const surprised = burst(store, record);
      if (how === 'silence') proxy.cut('reset'); // else it takes long until it is taken for gone
      proxy.cut(how);
      for (const outcome of await surprised)
        if (outcome !== 'done') expect(outcome).toMatchObject({ code: 'memory_unavailable' });
      for (const outcome of await burst(store, record))
        expect(outcome).toMatchObject({ code: 'memory_unavailable' });
      proxy.heal();
      await expectWhole(store, record, name);
      await store.close();
    });
  });

  describe('connections that break one after another under load', () => {
    it('fail no question, and leave no connection behind that serves nobody', async () => {
      const name = 'breaking often';
      const { store, record } = await opened(name, 'disable', 30);
      let asking = true;
      const failures: unknown[] = [];
      const answered: number[] = [];
      const ask = async (n: number) => {
        for (answered[n] = 0; asking; answered[n]!++)
          await store.position(NS).catch((thrown: unknown) => failures.push(thrown));
      };
      const write = async () => {
        while (asking) await put(store, record).catch(() => {});
      };
      const lanes = Array.from({ length: 6 * POOL }, (_, n) => (n % 3 === 0 ? write() : ask(n)));
      for (let round = 0; round < 20; round++) {
        const before = [...answered];
        proxy.heal(); // hangs up on all there are
        // No question meets this twice: the first answer may have been on its way, the second was asked for after it.
        const areAnswered = () => answered.every((count, n) => count >= before[n]! + 2);
        await expect.poll(areAnswered, { timeout: PATIENCE_MS, interval: 10 }).toBe(true);
      }
      asking = false;
      await Promise.all(lanes);
      expect(failures).toEqual([]);
      await expectWhole(store, record, name);
      await store.close();
    });
  });
}
