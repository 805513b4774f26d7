import { describe, it } from 'vitest';
import { startRedis } from '../support/services/redis.ts';
import { twoNodeTests } from '../support/two-nodes.ts';

const redis = await startRedis({ appendfsync: 'everysec' });

describe('two nodes on one Redis', () => {
  if (typeof redis === 'string') return it.skip(redis);
  twoNodeTests({ db: redis.url(), otherDb: redis.url('prefix=ephemeral'), stop: redis.stop });
});
