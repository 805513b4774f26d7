import { afterAll, describe, it } from 'vitest';
import { storeContract } from '../../packages/helmdeck/src/testing/store-contract.ts';
import { redisHarness } from '../support/redis-harness.ts';
import { startRedis } from '../support/services/redis.ts';

const redis = await startRedis();

if (typeof redis === 'string') {
  describe('store contract: redis', () => it.skip(redis, () => {}));
} else {
  storeContract('redis', () => redisHarness(redis));
  afterAll(() => redis.stop());
}
