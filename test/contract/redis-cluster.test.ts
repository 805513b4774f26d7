import { createClient } from '@redis/client';
import { afterAll, describe, expect, it } from 'vitest';
import {
  idOf,
  makeNamespace,
  put,
  rowOf,
  type TestCase,
} from '../../packages/helmdeck/src/testing/store-cases/harness.ts';
import { modelCases } from '../../packages/helmdeck/src/testing/store-cases/model.ts';
import { namespaceCases } from '../../packages/helmdeck/src/testing/store-cases/namespaces.ts';
import { sharingCases } from '../../packages/helmdeck/src/testing/store-cases/sharing.ts';
import { redisHarness } from '../support/redis-harness.ts';
import { startRedisCluster } from '../support/services/redis-cluster.ts';

const cluster = await startRedisCluster();

if (typeof cluster === 'string') {
  describe('the store on a Redis cluster', () => it.skip(cluster, () => {}));
} else {
  afterAll(() => cluster.stop());
  const test: TestCase = (title, body) =>
    it(title, async ({ skip }) => {
      const harness = await redisHarness(cluster);
      await body(harness, skip).finally(() => harness.close());
    });

  describe('the store on a Redis cluster', () => {
    // These run every script; a server rejects a script that touches keys of two slots.
    describe('namespaces', () => namespaceCases(test));
    describe('sharing', () => sharingCases(test));
    describe('model', () => modelCases(test));

    it('a Redis cluster has namespaces on all servers, and all keys of one namespace on the same server', async () => {
      const h = await redisHarness(cluster);
      for (let i = 0; i < 60; i++) {
        const ref = await makeNamespace(h.store, `namespace ${i}`);
        await h.store.apply(ref, [put(rowOf('a', { group: idOf('group'), expiresMs: h.now() + 1_000_000 }))]);
      }
      const prefix = new URL(h.address).searchParams.get('prefix')!;
      const tagsOf = await Promise.all(
        cluster.servers.map(async (server) => {
          const client = createClient({ url: server.url(), RESP: 2 });
          await client.connect();
          const keys = await client.keys(`${prefix}:{*`);
          client.destroy();
          return new Set(keys.map((key) => /\{(.*?)\}/.exec(key)![1]));
        }),
      );
      for (const tags of tagsOf) expect(tags.size).toBeGreaterThan(0);
      const all = tagsOf.flatMap((tags) => [...tags]);
      expect(new Set(all).size).toBe(all.length);
      await h.close();
    });

    it('the servers of a Redis cluster that are killed count as lost connections, and as made again once they are back', async () => {
      const h = await redisHarness(cluster);
      const ref = await makeNamespace(h.store);
      const { open } = h.store.connections!();
      expect(open).toBeGreaterThanOrEqual(cluster.servers.length);
      for (const server of cluster.servers) await server.restart();
      await expect.poll(() => h.store.connections!().lost).toBeGreaterThanOrEqual(cluster.servers.length);
      const write = () =>
        h.store.apply(ref, [put(rowOf('a'))]).then(
          () => true,
          () => false,
        );
      await expect.poll(write, { timeout: 60_000 }).toBe(true);
      await expect.poll(() => h.store.connections!().reconnects, { timeout: 60_000 }).toBeGreaterThan(0);
      await h.close();
    });
  });
}
