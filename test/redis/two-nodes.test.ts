import { describe, it } from 'vitest';
import { startRedis } from '../services/redis.ts';
import { twoNodesCases } from '../two-nodes-cases.ts';

const server = await startRedis();

if (typeof server === 'string') it.skip(`two nodes on one Redis: ${server}`);
else {
  const { url, stop } = server;
  describe('two nodes on one Redis', () =>
    twoNodesCases({ address: url('prefix=one'), another: url('prefix=another'), stop }));
}
