import { openRedisStore, type RedisOptions } from '../../packages/helmdeck/src/stores/redis/store.ts';
import { fakeClock } from '../../packages/helmdeck/src/testing/fake-clock.ts';
import type { StoreHarness } from '../../packages/helmdeck/src/testing/store-contract.ts';
import type { RedisServer } from './services/redis.ts';

let harnesses = 0;

/** An empty store on a running server, separated from others by its key prefix. */
export async function redisHarness(
  redis: Pick<RedisServer, 'url'> & Partial<Pick<RedisServer, 'restart'>>,
  options: Partial<RedisOptions> = {},
): Promise<StoreHarness & { address: string }> {
  const address = redis.url(`prefix=test${harnesses++}`);
  const clock = fakeClock();
  const open = () => openRedisStore(address, { now: clock.now, ...options });
  let store = await open();
  return {
    address,
    store,
    now: clock.now,
    advance: clock.advance,
    async reopen() {
      await store.close();
      await redis.restart?.();
      store = await open();
      return store;
    },
    another: open,
    close: () => store.close(),
  };
}
