import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redisKeys } from '../../packages/helmdeck/src/stores/redis/keys.ts';
import {
  hex,
  idOf,
  idsOf,
  labelled,
  makeNamespace,
  put,
  remove,
  rowOf,
  scanAll,
  usageByKind,
} from '../../packages/helmdeck/src/testing/store-cases/harness.ts';
import { redisHarness } from '../support/redis-harness.ts';
import { type RedisServer, startRedis } from '../support/services/redis.ts';

const redis = await startRedis({ appendfsync: 'everysec' });
const GRACE_MS = 1;

describe.skipIf(typeof redis === 'string')('the time to live of rows in Redis', () => {
  const server = redis as RedisServer;
  const client = createClient({ url: typeof redis === 'string' ? undefined : redis.url(), RESP: 2 });
  beforeAll(async () => void (await client.connect()));
  afterAll(async () => {
    client.destroy();
    await server.stop();
  });

  /** A store whose rows Redis removes as soon as they expire. */
  async function openStore(graceMs = GRACE_MS) {
    const h = await redisHarness(server, { graceMs });
    const prefix = new URL(h.address).searchParams.get('prefix')!;
    return { ...h, prefix };
  }

  /** Waits until Redis has removed the rows. */
  async function waitUntilRemoved(
    h: Awaited<ReturnType<typeof openStore>>,
    ns: Uint8Array,
    ...labels: string[]
  ) {
    for (const label of labels) {
      const end = performance.now() + 60_000;
      while (await h.store.get(ns, idOf(label))) {
        expect(performance.now(), 'Redis removes an expired row by itself').toBeLessThan(end);
        await delay(5);
      }
    }
  }

  it('Redis removes expired rows together with their descendants, even if no Helmdeck is running', async () => {
    const h = await openStore();
    const ref = await makeNamespace(h.store);
    await h.store.apply(ref, [
      put(rowOf('fact', { expiresMs: h.now() })),
      put(rowOf('version', { kind: 'version', group: idOf('fact') })),
      put(rowOf('below', { kind: 'vector', group: idOf('version') })),
      put(rowOf('stays')),
      put(rowOf('later', { expiresMs: h.now() + 3_600_000 })),
    ]);
    await waitUntilRemoved(h, ref.ns, 'fact', 'version', 'below');
    expect(idsOf(await scanAll(h.store, ref.ns, {}, 1))).toEqual(labelled('stays', 'later'));
    expect(await usageByKind(h.store, h.now(), ref.ns)).toEqual({ fact: [2, 26] });
    await h.close();
  });

  it('the time to live of children changes with the expiry of their parent', async () => {
    const h = await openStore();
    const ref = await makeNamespace(h.store);
    const version = put(rowOf('version', { kind: 'version', group: idOf('fact') }));
    // Long enough to renew it in time even on a busy machine.
    const firstMs = h.now() + 2_000;
    await h.store.apply(ref, [put(rowOf('fact', { expiresMs: firstMs })), version]);
    await h.store.apply(ref, [put(rowOf('fact', { rev: 2, expiresMs: h.now() + 3_600_000 }))]);
    await delay(firstMs - h.now() + 50);
    expect(idsOf(await scanAll(h.store, ref.ns))).toEqual(labelled('version', 'fact'));
    await h.store.apply(ref, [put(rowOf('fact', { rev: 3 }))]);
    await h.store.apply(ref, [put(rowOf('fact', { rev: 4, expiresMs: h.now() }))]);
    await waitUntilRemoved(h, ref.ns, 'fact', 'version');
    await h.close();
  });

  it('a row that Redis removed can be created again as if it had been swept, and leaves a tombstone if it had been rewritten', async () => {
    const h = await openStore();
    const ref = await makeNamespace(h.store);
    await h.store.apply(ref, [put(rowOf('a', { expiresMs: h.now() + 3_600_000 }))]);
    const imageSeq = (await h.store.position(ref.ns)).seq;
    await h.store.apply(ref, [
      put(rowOf('a', { rev: 2, expiresMs: h.now() })),
      put(rowOf('b', { expiresMs: h.now() })),
    ]);
    await waitUntilRemoved(h, ref.ns, 'a', 'b');
    await expect(h.store.apply(ref, [put(rowOf('a', { rev: 3 }), 2)])).rejects.toMatchObject({ kind: 'rev' });
    expect((await h.store.apply(ref, [remove('b')])).deleted).toBe(0);
    await h.store.apply(ref, [put(rowOf('a'), 0)]);
    expect((await h.store.get(ref.ns, idOf('a')))!.rev).toBe(1);
    expect((await h.store.tombstones(ref.ns, imageSeq)).map(({ id }) => hex(id))).toEqual([hex(idOf('a'))]);
    expect(await usageByKind(h.store, h.now(), ref.ns)).toEqual({ fact: [1, 9] });
    await h.close();
  });

  it('a sweep leaves no keys of expired rows behind and does not return rows that Redis already removed', async () => {
    const h = await openStore();
    const ref = await makeNamespace(h.store);
    const labels = Array.from({ length: 250 }, (_, i) => `row ${i}`);
    const expiring = (label: string) => put(rowOf(label, { group: idOf('group'), expiresMs: h.now() }));
    await h.store.apply(ref, labels.map(expiring));
    await waitUntilRemoved(h, ref.ns, ...labels);
    expect(await h.store.sweep(h.now(), 10)).toEqual([]);
    expect(await h.store.dropNamespace(ref.ns)).toBe(0);
    expect(await client.keys(`${h.prefix}:{*`)).toEqual([]);
    await h.close();
  });

  it('a bulk delete does not count rows that Redis removed, and they do not use up its limit', async () => {
    const h = await openStore();
    const ref = await makeNamespace(h.store);
    const expiring = Array.from({ length: 200 }, (_, i) => put(rowOf(`gone ${i}`, { expiresMs: h.now() })));
    const staying = Array.from({ length: 30 }, (_, i) => put(rowOf(`stays ${i}`)));
    await h.store.apply(ref, [...expiring, ...staying]);
    await waitUntilRemoved(h, ref.ns, ...Array.from({ length: 200 }, (_, i) => `gone ${i}`));
    const chunk = { type: 'deleteWhere', kinds: ['fact'], limit: 20 } as const;
    expect((await h.store.apply(ref, [chunk])).deleted).toBe(20);
    expect((await h.store.apply(ref, [chunk])).deleted).toBe(10);
    await h.close();
  });

  it('Redis removes no row of a database by its own clock, only of a cache', async () => {
    for (const cacheOnly of [false, true]) {
      const h = await redisHarness(server, { cacheOnly });
      const ref = await makeNamespace(h.store);
      const laterMs = h.now() + 3_600_000;
      await h.store.apply(ref, [put(rowOf('alone', { expiresMs: laterMs }), 0)]); // the fast path
      const version = put(rowOf('version', { kind: 'version', group: idOf('fact') }));
      await h.store.apply(ref, [put(rowOf('fact', { expiresMs: laterMs })), version]);
      await h.store.apply(ref, [put(rowOf('fact', { rev: 2, expiresMs: laterMs + 1 }))]); // renews its version
      const prefix = new URL(h.address).searchParams.get('prefix')!;
      const keys = ['alone', 'fact', 'version'].map((label) => redisKeys(prefix).row(ref.ns, idOf(label)));
      const times = keys.map((key) => client.pTTL(key));
      expect((await Promise.all(times)).map((ms) => ms > 0)).toEqual(keys.map(() => cacheOnly));
      for (const label of ['alone', 'fact', 'version'])
        expect(await h.store.get(ref.ns, idOf(label))).toBeDefined();
      expect(idsOf(await h.store.sweep(laterMs, 10))).toEqual(labelled('alone'));
      await h.close();
    }
  });

  it('an expired row stays readable for the grace period so that a sweep can return it, however old the expiry is', async () => {
    const h = await openStore(60_000);
    const ref = await makeNamespace(h.store);
    await h.store.apply(ref, [put(rowOf('long ago', { expiresMs: 0 }))]);
    expect(idsOf(await h.store.sweep(h.now(), 10))).toEqual(labelled('long ago'));
    await h.close();
  });
});
