import { afterAll, describe, it } from 'vitest';
import { storeContract } from '../../packages/helmdeck/src/testing/store-contract.ts';
import { startRedis } from '../services/redis.ts';
import { redisHarness } from './redis-harness.ts';

const redis = await startRedis();

if (typeof redis === 'string') {
  describe('store contract: redis', () => it.skip(redis, () => {}));
} else {
  storeContract('redis', () => redisHarness(redis));
  afterAll(() => redis.stop());
}
