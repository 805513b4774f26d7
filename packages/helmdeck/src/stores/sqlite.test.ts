import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeClock } from '../testing/fake-clock.ts';
import { storeContract } from '../testing/store-contract.ts';
import { openSqliteStore } from './sqlite.ts';

storeContract('sqlite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'helmdeck-sqlite-'));
  const clock = fakeClock();
  const open = () => openSqliteStore(join(folder, 'test.db'), { now: clock.now });
  let store = open();
  return {
    store,
    now: clock.now,
    advance: clock.advance,
    async reopen() {
      await store.close();
      store = open();
      return store;
    },
    async close() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
});
