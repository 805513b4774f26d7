import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eraseMemory } from '../../packages/helmdeck/src/memory/erase/erase-memory.ts';
import { forget, parseScope } from '../../packages/helmdeck/src/memory/erase/forget.ts';
import { createMemory } from '../../packages/helmdeck/src/memory/memory.ts';
import { runPack, type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { countingPack } from '../support/counting-pack.ts';
import { type RedisServer, startRedis } from '../support/services/redis.ts';

const redis = await startRedis({ appendfsync: 'everysec' });
let tests = 0;

describe.skipIf(typeof redis === 'string')('the shared pack cache on Redis', () => {
  const server = redis as RedisServer;
  const folder = mkdtempSync(join(tmpdir(), 'helmdeck-shared-cache-'));
  const client = createClient({ url: typeof redis === 'string' ? undefined : redis.url(), RESP: 2 });
  client.on('error', () => {});
  const env = () => ({
    HELMDECK_DB: server.url(`prefix=main${tests}`),
    HELMDECK_CACHE_URL: server.url(`prefix=cache${tests}`),
    HELMDECK_MEMORY_KEY: 'ab'.repeat(32),
    HELMDECK_RATE_LIMIT: 'off',
    HELMDECK_DATA_DIR: join(folder, String(tests)),
  });
  const countFile = () => join(folder, `runs-${tests}`);
  const runs = () => (existsSync(countFile()) ? readFileSync(countFile(), 'utf8').split('\n').length - 1 : 0);
  const nodes: ChildProcess[] = [];
  const servers: TestServer[] = [];

  beforeAll(async () => void (await client.connect()));
  beforeEach(() => {
    tests += 1;
  });
  afterEach(async () => {
    for (const child of nodes.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    for (const each of servers.splice(0)) await each.close();
  });
  afterAll(async () => {
    client.destroy();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts a node in a child process, which can be killed. */
  async function startNode() {
    const child = fork(join(import.meta.dirname, '../support/node-process.ts'), {
      env: { PATH: process.env.PATH, COUNT_FILE: countFile(), ...env() },
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    nodes.push(child);
    const [started] = (await once(child, 'message')) as [{ url: string; token: string }];
    return { child, ...started };
  }

  async function call({ url, token }: { url: string; token: string }, input: object, signal?: AbortSignal) {
    const response = await fetch(`${url}/api/v1/packs/test.counting`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
      signal,
    });
    return (await response.json()) as { output: { said: string }; cache: { status: string } };
  }

  /** Starts a node in this process. */
  async function inProcess(more: Record<string, string> = {}): Promise<TestServer> {
    const started = await testServer({ env: { ...env(), ...more }, packs: [countingPack(countFile())] });
    servers.push(started);
    return started;
  }
  const run = (on: TestServer, title: string, subject = 'ada') =>
    runPack(on, subject, 'test.counting', { title });
  const ada = (on: TestServer) => createMemory(on.memory!.parts, { subject: 'ada' });
  const drainWrites = (on: TestServer) => on.memory!.parts.pending.drain();
  const cacheKeys = () => client.keys(`cache${tests}:{*}:*`);

  it('the shared cache runs the handler once for 100 identical calls on two nodes, and again if the node that runs it is killed', async () => {
    const [one, two] = await Promise.all([startNode(), startNode()]);
    const calls = Array.from({ length: 100 }, (_, i) => call(i % 2 ? one : two, { title: 'x', forMs: 200 }));
    const responses = await Promise.all(calls);
    expect(runs()).toBe(1);
    for (const { output } of responses) expect(output).toEqual({ said: 'a result about x' });
    expect(responses.filter(({ cache }) => cache.status === 'miss')).toHaveLength(1);
    expect(responses.filter(({ cache }) => cache.status === 'hit')).toHaveLength(99);

    const longInput = { title: 'y', forMs: 600_000 };
    const lost = call(one, longInput).catch(() => 'lost');
    await expect.poll(runs).toBe(2);
    const abort = new AbortController();
    const waiting = call(two, longInput, abort.signal).catch(() => 'aborted');
    one.child.kill('SIGKILL');
    expect(await lost).toBe('lost');
    await expect.poll(runs).toBe(3);
    abort.abort();
    expect(await waiting).toBe('aborted');
  });

  it('the shared cache serves a result of one node on every node, and only to its caller', async () => {
    const [one, two] = [await inProcess(), await inProcess()];
    expect((await run(one, 'x')).cache?.status).toBe('miss');
    await drainWrites(one);
    expect(await run(two, 'x')).toMatchObject({
      output: { said: 'a result about x' },
      cache: { status: 'hit' },
    });
    expect((await run(two, 'x', 'bob')).cache?.status).toBe('miss');
    expect(runs()).toBe(2);
  });

  it('the shared cache stores nothing that is readable without the key of the caller, and nothing in the database', async () => {
    const one = await inProcess();
    // Texts that are too long to occur in ciphertext by chance.
    await run(one, 'a very private title', 'telling-subject');
    await drainWrites(one);
    const keys = await cacheKeys();
    expect(keys.length).toBeGreaterThan(0);
    const dumps = await Promise.all(keys.map((key) => client.dump(key)));
    for (const text of [...keys, ...dumps]) expect(String(text)).not.toMatch(/private|counting|telling/);
    const usage = await one.memory!.parts.store.usage(Date.now());
    expect(usage.map(({ kind }) => kind)).not.toContain('cache');
  });

  it('the shared cache is emptied by forgetting the cache, by forgetting the cache of one pack, and by an erasure', async () => {
    const one = await inProcess();
    for (const [scope, deleted] of [
      ['cache:test.other', 0],
      ['cache:test.counting', 2],
      ['cache', 2],
    ] as const) {
      for (const title of ['x', 'y']) await run(one, title);
      await drainWrites(one);
      expect(await forget(ada(one), parseScope(scope))).toBe(deleted);
    }
    await run(one, 'x');
    await drainWrites(one);
    const receipt = await eraseMemory(ada(one), one.memory!.signer);
    expect(await cacheKeys()).toEqual([]);
    expect(receipt.not_covered.join()).not.toMatch(/shared cache/);
    expect((await run(one, 'x')).cache?.status).toBe('miss');
  });

  it('the shared cache fails no run while Redis is down, at the start or later, and is used again once Redis is back', async () => {
    await server.kill();
    const one = await inProcess({ HELMDECK_DB: 'memory:' });
    expect((await run(one, 'x')).cache?.status).toBe('miss');
    await server.restart();
    const cached = async () => {
      const { cache } = await run(one, 'x');
      await drainWrites(one);
      return cache?.status;
    };
    await expect.poll(cached, { interval: 100 }).toBe('hit');
    await server.kill();
    expect((await run(one, 'x')).cache?.status).toBe('miss');
    await expect(forget(ada(one), parseScope('cache'))).rejects.toMatchObject({ code: 'memory_unavailable' });
    const receipt = await eraseMemory(ada(one), one.memory!.signer);
    expect(receipt.not_covered.join()).toMatch(/shared cache/);
    await server.restart();
  });
});
