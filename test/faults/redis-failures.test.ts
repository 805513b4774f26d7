import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NamespaceRecord, Store } from '../../packages/helmdeck/src/memory/store.ts';
import { openRedisStore, type RedisOptions } from '../../packages/helmdeck/src/stores/redis/store.ts';
import {
  idOf,
  idsOf,
  labelled,
  makeNamespace,
  put,
  remove,
  rowOf,
  scanAll,
} from '../../packages/helmdeck/src/testing/store-cases/harness.ts';
import { type RedisServer, startRedis } from '../support/services/redis.ts';

const redis = await startRedis();
const PATIENCE_MS = 20_000;
let stores = 0;

describe.skipIf(typeof redis === 'string')('a Redis that has a bad day', () => {
  const server = redis as RedisServer;
  let store: Store;
  let ref: NamespaceRecord;
  const address = () => server.url(`prefix=day${stores}`);
  const open = (options: Partial<RedisOptions> = {}, url = address()) =>
    openRedisStore(url, { now: Date.now, ...options });
  beforeEach(async () => {
    stores += 1;
    store = await open();
    ref = await makeNamespace(store);
  });
  afterEach(() => store.close());
  afterAll(() => server.stop());

  async function command(...args: string[]): Promise<void> {
    const client = createClient({ url: server.url(), RESP: 2 });
    await client.connect();
    await client.sendCommand(args);
    client.destroy();
  }

  /** Tries until it works, as a caller would who was told to try again. */
  async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
    for (const end = performance.now() + PATIENCE_MS; ; await delay(20)) {
      try {
        return await attempt();
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'memory_unavailable' });
        if (performance.now() > end) throw thrown;
      }
    }
  }

  it('is reported when it is not there at the start', async () => {
    const nobody = 'redis://user:hunter2@127.0.0.1:1';
    const refusal = await open({ connectMs: 100 }, nobody).catch((thrown) => thrown);
    expect(refusal).toMatchObject({ code: 'memory_unavailable', reason: 'unreachable' });
    expect(`${refusal.message} ${refusal.hint}`).not.toContain('hunter2');
  });

  it('is waited for when it starts a little later than Helmdeck', async () => {
    await server.kill();
    const opening = open();
    await delay(100);
    await server.restart();
    const late = await opening;
    expect(await late.getNamespace(ref.ns)).toMatchObject({ generation: ref.generation });
    await late.close();
  });

  it('is reported while it is away, and nothing acknowledged is lost when it comes back', async () => {
    await store.apply(ref, [put(rowOf('before'))]);
    await server.kill();
    await expect(store.apply(ref, [put(rowOf('meanwhile'))])).rejects.toMatchObject({
      reason: 'unreachable',
    });
    await expect(store.probe()).rejects.toMatchObject({ code: 'memory_unavailable' });
    await server.restart();
    await eventually(() => store.probe());
    await store.apply(ref, [put(rowOf('after'))]);
    expect(idsOf(await scanAll(store, ref.ns))).toEqual(labelled('before', 'after'));
  });

  it('tells those who wait for news that they may have missed some', async () => {
    const heard: unknown[] = [];
    const stop = store.sharing!.watch((notice) => heard.push(notice));
    const other = await open();
    for (let rev = 1; heard.length === 0; rev++, await delay(20))
      await other.apply(ref, [put(rowOf('a', { rev }))]);
    heard.length = 0;
    await server.restart();
    await expect.poll(() => heard, { timeout: PATIENCE_MS }).toContain(undefined);
    await eventually(() => other.apply(ref, [put(rowOf('b'))]));
    await expect.poll(() => heard.at(-1), { timeout: PATIENCE_MS }).toMatchObject({ ns: ref.ns });
    stop();
    await other.close();
  });

  it('is given up on when it hangs, and found again afterwards', async () => {
    const hasty = await open({ answerMs: 1_000 });
    server.pause();
    await expect(hasty.apply(ref, [put(rowOf('a'))])).rejects.toMatchObject({ reason: 'timeout' });
    server.resume();
    await eventually(() => hasty.apply(ref, [put(rowOf('b'))]));
    await hasty.close();
  });

  it('may lose its scripts: they are sent again', async () => {
    await store.apply(ref, [put(rowOf('a'))]);
    await command('SCRIPT', 'FLUSH');
    await store.apply(ref, [put(rowOf('b'))]);
    expect(idsOf(await scanAll(store, ref.ns))).toEqual(labelled('a', 'b'));
  });

  it('that is full takes no write, not half of one, and still lets things be deleted', async () => {
    await store.apply(ref, [put(rowOf('a')), put(rowOf('b'))]);
    const before = await store.position(ref.ns);
    await command('CONFIG', 'SET', 'maxmemory', '1mb');
    const batch = [put(rowOf('c')), put(rowOf('a', { rev: 2 })), remove('b')];
    await expect(store.apply(ref, batch)).rejects.toMatchObject({ reason: 'out_of_memory' });
    expect(await store.position(ref.ns)).toEqual(before);
    expect(idsOf(await scanAll(store, ref.ns))).toEqual(labelled('a', 'b'));
    expect((await store.apply(ref, [remove('a')])).deleted).toBe(1);
    expect((await store.apply(ref, [{ type: 'deleteWhere' }])).deleted).toBe(1);
    await command('CONFIG', 'SET', 'maxmemory', '0');
  });

  it('that became a replica takes no write and says why', async () => {
    await command('REPLICAOF', '127.0.0.1', '1');
    await expect(store.apply(ref, [put(rowOf('a'))])).rejects.toMatchObject({ reason: 'read_only' });
    await expect(store.probe()).rejects.toMatchObject({ reason: 'read_only' });
    await command('REPLICAOF', 'NO', 'ONE');
    await store.probe();
  });

  it('that wants a password says so, whether none was given or a wrong one, and never repeats it', async () => {
    await command('CONFIG', 'SET', 'requirepass', 'p@ss:w/rd?#');
    const withUser = (user: string) => address().replace('//', `//${user}@`);
    for (const url of [address(), withUser(':hunter2'), withUser('nobody:hunter2')]) {
      const refusal = await open({}, url).catch((thrown) => thrown);
      expect(refusal).toMatchObject({ code: 'memory_unavailable', reason: 'wrong_password' });
      expect(`${refusal.message} ${refusal.hint}`).not.toContain('hunter2');
    }
    const let_in = await open({}, withUser(`:${encodeURIComponent('p@ss:w/rd?#')}`));
    await let_in.probe();
    await let_in.sharing!.takeLease('work', 'me', 1_000);
    await let_in.close();
    await server.restart();
    await eventually(() => store.probe());
  });

  it('keeps every write it acknowledged when it is killed in the middle of many', async () => {
    const kept: string[] = [];
    const writing = Array.from({ length: 8 }, async (_, writer) => {
      for (let i = 0; ; i++) {
        const label = `${writer} ${i}`;
        try {
          await store.apply(ref, [put(rowOf(label)), put(rowOf(`twin of ${label}`))]);
          kept.push(label);
        } catch {
          return;
        }
      }
    });
    await expect.poll(() => kept.length, { timeout: PATIENCE_MS }).toBeGreaterThan(200);
    await server.kill();
    await Promise.all(writing);
    await server.restart();
    const ids = await eventually(async () => new Set(idsOf(await scanAll(store, ref.ns, {}, 1_000))));
    for (const label of kept)
      for (const one of labelled(label, `twin of ${label}`)) expect(ids).toContain(one);
    expect(ids.size % 2, 'no batch was written by half').toBe(0);
    expect(await store.get(ref.ns, idOf(kept[0]!))).toBeDefined();
  });
});
