import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../../packages/helmdeck/src/memory/store.ts';
import { checkRedis } from '../../packages/helmdeck/src/server/doctor/check-redis.ts';
import { openRedisStore } from '../../packages/helmdeck/src/stores/redis/store.ts';
import { idOf, put, rowOf } from '../../packages/helmdeck/src/testing/store-cases/harness.ts';
import { type RedisServer, startRedis } from '../support/services/redis.ts';

const redis = await startRedis();

describe.skipIf(typeof redis === 'string')('the durability checks for Redis', () => {
  const server = redis as RedisServer;
  let store: Store | undefined;
  afterEach(async () => {
    await store?.close();
    store = undefined;
  });
  afterAll(() => server.stop());

  async function command(...args: string[]): Promise<void> {
    const client = createClient({ url: server.url(), RESP: 2 });
    await client.connect();
    await client.sendCommand(args);
    client.destroy();
  }
  const set = (settings: Record<string, string>) =>
    command('CONFIG', 'SET', ...Object.entries(settings).flat());

  async function open(parameters?: string): Promise<string[]> {
    const warnings: string[] = [];
    store = await openRedisStore(server.url(parameters), {
      now: Date.now,
      onWarning: (warning) => warnings.push(warning),
    });
    return warnings;
  }

  it('a server without persistence is rejected unless the address says persistence=cache-only', async () => {
    await set({ appendonly: 'no', save: '' });
    await expect(open()).rejects.toMatchObject({
      code: 'memory_unavailable',
      reason: 'not_persistent',
      hint: expect.stringContaining('persistence=cache-only'),
    });
    expect((await checkRedis('Database', server.url())).checks).toMatchObject([{ status: 'fail' }]);
    expect((await open('persistence=cache-only')).join()).toMatch(/may lose acknowledged writes/);
  });

  it('a server that only saves snapshots is accepted with a warning', async () => {
    await set({ appendonly: 'no', save: '3600 1' });
    expect((await open()).join()).toMatch(/since the last one is lost/);
  });

  it('a server with an AOF is accepted, and without a warning only if appendfsync is always', async () => {
    await set({ appendonly: 'yes', save: '', appendfsync: 'everysec' });
    expect((await open()).join()).toMatch(/last second or two of acknowledged writes/);
    expect((await checkRedis('Database', server.url())).checks).toMatchObject([{ status: 'warn' }]);
    await store!.close();
    await set({ appendfsync: 'always' });
    expect(await open()).toEqual([]);
    expect((await checkRedis('Database', server.url())).checks).toMatchObject([
      { status: 'ok', message: expect.stringContaining('on its disk') },
    ]);
  });

  it('a server that evicts rows is rejected, but a cache may evict keys with a time to live', async () => {
    await set({ appendonly: 'yes', maxmemory: '100mb', 'maxmemory-policy': 'volatile-lru' });
    await expect(open()).rejects.toMatchObject({ reason: 'evicts' });
    await open('persistence=cache-only');
    await store!.close();
    await set({ 'maxmemory-policy': 'allkeys-lru' });
    await expect(open('persistence=cache-only')).rejects.toMatchObject({ reason: 'evicts' });
    await open('persistence=managed');
    await set({ maxmemory: '0', 'maxmemory-policy': 'noeviction' });
  });

  it('a server that hides its persistence settings is rejected unless the address says persistence=managed', async () => {
    await set({ appendonly: 'no', save: '' });
    await command('ACL', 'SETUSER', 'default', '-config');
    await expect(open()).rejects.toMatchObject({
      reason: 'not_persistent',
      hint: expect.stringContaining('persistence=managed'),
    });
    await open('persistence=managed');
    await command('ACL', 'SETUSER', 'default', '+config');
  });

  it('the wrapped key of a dropped namespace is removed from the AOF', async () => {
    await set({ appendonly: 'yes' });
    await open('persistence=managed');
    const blob = Buffer.from('the wrapped key of a caller who wants to be forgotten');
    const ref = await store!.createNamespace(idOf('namespace'), blob);
    await store!.apply(ref, [put(rowOf('a'))]);
    const folder = join(server.folder, 'appendonlydir');
    const isInAof = () => readdirSync(folder).some((file) => readFileSync(join(folder, file)).includes(blob));
    await expect.poll(isInAof).toBe(true);
    await store!.dropNamespace(ref.ns);
    await expect.poll(() => ignoreMissingFiles(isInAof)).toBe(false);
  });

  /** Files appear and disappear while Redis rewrites the AOF. */
  function ignoreMissingFiles(check: () => boolean): boolean {
    try {
      return check();
    } catch {
      return true;
    }
  }

  it('data with a newer key layout is rejected and left unchanged', async () => {
    await set({ appendonly: 'yes' });
    await command('SET', 'later:layout', '2');
    await expect(open('prefix=later')).rejects.toMatchObject({ reason: 'later_schema' });
  });

  it('a user with the permissions listed in the how-to can use the store, but no other keys', async () => {
    await set({ appendonly: 'yes', appendfsync: 'always' });
    const howto = readFileSync(join(import.meta.dirname, '../../docs/howto/redis.md'), 'utf8');
    const aclCommand = /^ACL SETUSER .*$/m.exec(howto)![0];
    await command(...aclCommand.split(' '));
    const url = (prefix: string) => server.url(`prefix=${prefix}`).replace('//', '//helmdeck:password@');
    const warnings: string[] = [];
    store = await openRedisStore(url('helmdeck'), {
      now: Date.now,
      onWarning: (text) => warnings.push(text),
    });
    expect(warnings).toEqual([]);
    const ref = await store.createNamespace(idOf('namespace'), new Uint8Array(1));
    await store.apply(ref, [put(rowOf('a', { expiresMs: 0 })), put(rowOf('b'))]);
    await store.probe();
    expect(await store.sharing!.acquireLease('work', 'me', 1_000)).toBe(true);
    expect(await store.sweep(Date.now(), 10)).toHaveLength(1);
    expect(await store.scan(ref.ns, { limit: 10 })).toHaveLength(1);
    expect(await store.usage(Date.now())).toHaveLength(1);
    expect(await store.listNamespaces(10)).toHaveLength(1);
    expect(await store.dropNamespace(ref.ns)).toBe(1);
    await expect(openRedisStore(url('other'), { now: Date.now })).rejects.toMatchObject({
      reason: 'forbidden',
    });
  });

  it('an address with an unknown parameter is rejected without being quoted', async () => {
    const address = server.url('persistance=cache-only').replace('//', '//user:hunter2@');
    const error = await openRedisStore(address, { now: Date.now }).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'memory_unavailable', reason: 'bad_address' });
    expect(`${error.message} ${error.hint}`).not.toContain('hunter2');
    for (const bad of [
      'redis://',
      'redis://host/abc',
      'redis://host?prefix={a}',
      'redis://host?persistence=no',
    ])
      await expect(openRedisStore(bad, { now: Date.now })).rejects.toMatchObject({ reason: 'bad_address' });
  });
});
