import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
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
const TIMEOUT_MS = 60_000;
let tests = 0;

describe.skipIf(typeof redis === 'string')('failures of Redis', () => {
  const server = redis as RedisServer;
  let store: Store;
  let ref: NamespaceRecord;
  const address = () => server.url(`prefix=test${tests}`);
  const open = (options: Partial<RedisOptions> = {}, url = address()) =>
    openRedisStore(url, { now: Date.now, ...options });
  beforeEach(async () => {
    tests += 1;
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

  /** Retries until the attempt succeeds; every failure must be `memory_unavailable`. */
  async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
    for (const end = performance.now() + TIMEOUT_MS; ; await delay(20)) {
      try {
        return await attempt();
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'memory_unavailable' });
        if (performance.now() > end) throw thrown;
      }
    }
  }

  it('a server that is down at the start is reported as unreachable', async () => {
    const closedPort = 'redis://user:hunter2@127.0.0.1:1';
    const error = await open({ connectTimeoutMs: 100 }, closedPort).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'memory_unavailable', reason: 'unreachable' });
    expect(`${error.message} ${error.hint}`).not.toContain('hunter2');
  });

  it('a server that starts shortly after Helmdeck is waited for', async () => {
    await server.kill();
    const opening = open();
    await delay(100);
    await server.restart();
    const late = await opening;
    expect(await late.getNamespace(ref.ns)).toMatchObject({ generation: ref.generation });
    await late.close();
  });

  it('a server that is loading its data is waited for, although it reports no append-only file meanwhile', async () => {
    const slow = (await startRedis({ 'key-load-delay': '400' })) as RedisServer;
    onTestFinished(() => slow.stop());
    const client = createClient({ url: slow.url(), RESP: 2 });
    client.on('error', () => {}); // the server is killed
    await client.connect();
    // While it loads, Redis replies once in about a thousand commands of the file.
    await Promise.all(Array.from({ length: 6_000 }, (_, n) => client.set(`key${n}`, 'value')));
    await slow.kill();
    client.destroy();
    const restarted = slow.restart();
    const opening = open({}, slow.url());
    await (await opening).close();
    await restarted;
  });

  it('calls fail as unreachable while the server is down, and no acknowledged write is lost when it is back', async () => {
    await store.apply(ref, [put(rowOf('before'))]);
    await server.kill();
    await expect(store.apply(ref, [put(rowOf('while down'))])).rejects.toMatchObject({
      reason: 'unreachable',
    });
    await expect(store.probe()).rejects.toMatchObject({ code: 'memory_unavailable' });
    await server.restart();
    await eventually(() => store.probe());
    await store.apply(ref, [put(rowOf('after'))]);
    expect(idsOf(await scanAll(store, ref.ns))).toEqual(labelled('before', 'after'));
  });

  it('listeners learn after a reconnect that they may have missed notices', async () => {
    const received: unknown[] = [];
    const stop = store.sharing!.watch((notice) => received.push(notice));
    const other = await open();
    for (let rev = 1; received.length === 0; rev++, await delay(20))
      await other.apply(ref, [put(rowOf('a', { rev }))]);
    received.length = 0;
    await server.restart();
    await expect.poll(() => received).toContain(undefined);
    await eventually(() => other.apply(ref, [put(rowOf('b'))]));
    await expect.poll(() => received.at(-1)).toMatchObject({ ns: ref.ns });
    stop();
    await other.close();
  });

  it('a call to a server that hangs times out, counts as a lost connection, and calls succeed again once it responds', async () => {
    const impatient = await open({ responseTimeoutMs: 1_000 });
    server.pause();
    const hanging = impatient.apply(ref, [put(rowOf('a'))]);
    const status = { open: 1, pendingCalls: 1, lost: 0, reconnects: 0 };
    expect(impatient.connections!()).toEqual(status);
    await expect(hanging).rejects.toMatchObject({ reason: 'timeout' });
    expect(impatient.connections!()).toMatchObject({ open: 0, lost: 1, reconnects: 0 });
    server.resume();
    await eventually(() => impatient.apply(ref, [put(rowOf('b'))]));
    expect(impatient.connections!()).toEqual({ open: 1, pendingCalls: 0, lost: 1, reconnects: 1 });
    await impatient.close();
  });

  it('scripts that the server lost are sent again', async () => {
    await store.apply(ref, [put(rowOf('a'))]);
    await command('SCRIPT', 'FLUSH');
    await store.apply(ref, [put(rowOf('b'))]);
    expect(idsOf(await scanAll(store, ref.ns))).toEqual(labelled('a', 'b'));
  });

  it('a server out of memory rejects a batch as a whole and still allows deletions', async () => {
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

  it('writes to a server that became a replica fail as read_only', async () => {
    await command('REPLICAOF', '127.0.0.1', '1');
    await expect(store.apply(ref, [put(rowOf('a'))])).rejects.toMatchObject({ reason: 'read_only' });
    await expect(store.probe()).rejects.toMatchObject({ reason: 'read_only' });
    await command('REPLICAOF', 'NO', 'ONE');
    await store.probe();
  });

  it('a missing or wrong password is reported as wrong_password without being quoted', async () => {
    await command('CONFIG', 'SET', 'requirepass', 'p@ss:w/rd?#');
    const withUser = (user: string) => address().replace('//', `//${user}@`);
    for (const url of [address(), withUser(':hunter2'), withUser('nobody:hunter2')]) {
      const error = await open({}, url).catch((thrown) => thrown);
      expect(error).toMatchObject({ code: 'memory_unavailable', reason: 'wrong_password' });
      expect(`${error.message} ${error.hint}`).not.toContain('hunter2');
    }
    const authenticated = await open({}, withUser(`:${encodeURIComponent('p@ss:w/rd?#')}`));
    await authenticated.probe();
    await authenticated.sharing!.acquireLease('work', 'me', 1_000);
    await authenticated.close();
    await server.restart();
    await eventually(() => store.probe());
  });

  it('every acknowledged write is still there after the server is killed under load', async () => {
    const acknowledged: string[] = [];
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let i = 0; ; i++) {
        const label = `${writer} ${i}`;
        try {
          await store.apply(ref, [put(rowOf(label)), put(rowOf(`twin of ${label}`))]);
          acknowledged.push(label);
        } catch {
          return;
        }
      }
    });
    await expect.poll(() => acknowledged.length).toBeGreaterThan(200);
    await server.kill();
    await Promise.all(writers);
    await server.restart();
    const ids = await eventually(async () => new Set(idsOf(await scanAll(store, ref.ns, {}, 1_000))));
    for (const label of acknowledged)
      for (const one of labelled(label, `twin of ${label}`)) expect(ids).toContain(one);
    expect(ids.size % 2, 'no batch was written partially').toBe(0);
    expect(await store.get(ref.ns, idOf(acknowledged[0]!))).toBeDefined();
  });
});
