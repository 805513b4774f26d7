import postgres from 'postgres';
import { afterAll, it } from 'vitest';
import type { Store } from '../../packages/helmdeck/src/memory/store.ts';
import { openPostgresStore } from '../../packages/helmdeck/src/stores/postgres/store.ts';
import { fakeClock } from '../../packages/helmdeck/src/testing/fake-clock.ts';
import { storeContract } from '../../packages/helmdeck/src/testing/store-contract.ts';
import { startPostgres } from '../support/services/postgres.ts';

const server = await startPostgres();

if (typeof server === 'string') it.skip(`store contract: postgres (${server})`);
else {
  const url = server.url();
  const direct = postgres(url, { max: 1, onnotice: () => {} });
  const TABLES = ['namespaces', 'rows', 'usage', 'tombstones', 'dropped', 'leases'];

  storeContract('postgres', async () => {
    const clock = fakeClock();
    const opened: Store[] = [];
    const open = async () => {
      const store = await openPostgresStore(`${url}?pool=4`, { now: clock.now });
      opened.push(store);
      return store;
    };
    let store = await open();
    for (const table of TABLES) await direct.unsafe(`DELETE FROM helmdeck.${table}`);
    return {
      store,
      now: clock.now,
      advance: clock.advance,
      async reopen() {
        await store.close();
        store = await open();
        return store;
      },
      another: open,
      async close() {
        for (const each of opened) await each.close();
      },
    };
  });

  afterAll(async () => {
    await direct.end();
    await server.stop();
  });
}
