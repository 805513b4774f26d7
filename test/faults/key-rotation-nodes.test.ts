import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { examine } from '../../packages/helmdeck/src/server/doctor/doctor.ts';
import { startPostgres } from '../support/services/postgres.ts';
import { type ChildServer, startChild } from './child-server.ts';

const OLD = '11'.repeat(32);
const NEW = '22'.repeat(32);
const KEYS = {
  old: { HELMDECK_MEMORY_KEY: OLD },
  prepared: { HELMDECK_MEMORY_KEY: OLD, HELMDECK_MEMORY_KEY_PREVIOUS: NEW },
  both: { HELMDECK_MEMORY_KEY: NEW, HELMDECK_MEMORY_KEY_PREVIOUS: OLD },
  new: { HELMDECK_MEMORY_KEY: NEW },
};
const MEMORY = '/api/v1/memory';
const POLL = { timeout: 60_000 };
const WRITERS = 4;

const postgres = await startPostgres();

if (typeof postgres === 'string') it.skip(`key rotation on several nodes: ${postgres}`);
else {
  const folder = mkdtempSync(join(tmpdir(), 'helmdeck-key-nodes-'));
  const running = new Set<ChildServer>();
  let stopLoad: (() => Promise<void>) | undefined;
  afterEach(async () => {
    await stopLoad?.();
    for (const node of running) await node.kill();
    running.clear();
  });
  afterAll(async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  let schema = 0;
  let started = 0;
  const start = async (keys: keyof typeof KEYS) => {
    const node = await startChild({
      HELMDECK_DB: `${postgres.url()}?pool=4&schema=keys${schema}`,
      HELMDECK_DATA_DIR: join(folder, String(started++)),
      ...KEYS[keys],
    });
    running.add(node);
    return node;
  };
  /** What `helmdeck doctor` says about the keys, with the settings of a node. */
  const doctor = async (keys: keyof typeof KEYS) => {
    const checks = await examine({
      HELMDECK_DB: `${postgres.url()}?pool=4&schema=keys${schema}`,
      HELMDECK_DATA_DIR: join(folder, 'doctor'),
      ...KEYS[keys],
    });
    const about = checks.filter(({ name }) => name === 'Key rotation' || name === 'Key fits');
    return about.map(({ status, message }) => `${status} ${message}`);
  };
  const readiness = async (node: ChildServer) => {
    const { status, json } = await node.call('probe', 'GET', '/readyz');
    return { status, reason: (json as { memory?: { reason?: string } }).memory?.reason };
  };
  const rotation = async (node: ChildServer) =>
    (await node.call('probe', 'GET', `${MEMORY}/stats`)).json.rotation as {
      finished: boolean;
      unreadable: number;
    };

  /** Writers that store facts of known and of new callers on the nodes of a pool, and remember what was acknowledged. */
  function startLoad(pool: Set<ChildServer>) {
    const acknowledged: { caller: string; key: string }[] = [];
    const refusals = new Map<string, number>();
    const inFlight = new Map<ChildServer, number>();
    let writing = true;
    async function write(writer: number): Promise<void> {
      for (let n = 0; writing; n++) {
        const nodes = [...pool];
        const node = nodes[(writer + n) % nodes.length];
        // Every second fact is the first one of a new caller.
        const caller = n % 2 === 0 ? `known-${(n / 2) % 10}` : `new-${writer}-${n}`;
        const key = `k-${writer}-${n}`;
        if (!node) {
          await delay(10);
          continue;
        }
        inFlight.set(node, (inFlight.get(node) ?? 0) + 1);
        const { status, json } = await node.call(caller, 'POST', `${MEMORY}/store`, { key, value: key });
        inFlight.set(node, inFlight.get(node)! - 1);
        if (status === 200 || status === 201) acknowledged.push({ caller, key });
        else {
          const refusal = `${status} ${json.error} ${json.reason}`;
          refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
        }
        await delay(2);
      }
    }
    const writers = [...Array(WRITERS).keys()].map(write);
    stopLoad = async () => {
      writing = false;
      await Promise.all(writers);
    };
    return {
      acknowledged,
      refusals,
      /** Waits until that many more facts are acknowledged. */
      async progress(more: number): Promise<void> {
        const target = acknowledged.length + more;
        await expect.poll(() => acknowledged.length, POLL).toBeGreaterThan(target);
      },
      /** Takes a node out of the pool, waits for its requests, and stops it. */
      async retire(node: ChildServer): Promise<void> {
        pool.delete(node);
        await expect.poll(() => inFlight.get(node) ?? 0, POLL).toBe(0);
        await node.stop();
        running.delete(node);
      },
      stop: stopLoad,
    };
  }

  async function expectAllReadable(node: ChildServer, facts: { caller: string; key: string }[]) {
    const lost: unknown[] = [];
    for (const { caller, key } of facts) {
      const { status, json } = await node.call(caller, 'GET', `${MEMORY}/facts/${key}`);
      if (json.value !== key) lost.push({ caller, key, status, reason: json.reason });
    }
    expect(lost).toEqual([]);
    expect(facts.length).toBeGreaterThan(50);
  }

  describe('key rotation on several nodes under load', () => {
    it('nodes with only the old key become unready and create no caller; after a rolling restart and without the old key, every acknowledged fact of every caller is readable', async () => {
      schema++;
      const pool = new Set([await start('old'), await start('old')]);
      const [a, b] = [...pool] as [ChildServer, ChildServer];
      const load = startLoad(pool);
      await load.progress(30);

      // The rolling update begins: the pool ignores readiness, so the old nodes keep receiving requests.
      const c = await start('both');
      pool.add(c);
      for (const old of [a, b])
        await expect.poll(() => readiness(old), POLL).toEqual({ status: 503, reason: 'wrong_key' });
      expect(await readiness(c)).toMatchObject({ status: 200 });
      await load.progress(30);
      const late = await start('old');
      expect(await readiness(late)).toEqual({ status: 503, reason: 'wrong_key' });
      pool.add(late);
      await load.progress(30);
      const refused = await late.call('late', 'POST', `${MEMORY}/store`, { key: 'k', value: 'v' });
      expect([refused.status, refused.json.error, refused.json.reason]).toEqual([
        503,
        'memory_unavailable',
        'wrong_key',
      ]);
      for (const old of [a, b, late]) {
        await load.retire(old);
        pool.add(await start('both'));
        await load.progress(10);
      }
      await expect.poll(() => rotation(c), POLL).toMatchObject({ finished: true, unreadable: 0 });
      expect([...load.refusals.keys()]).toEqual(['503 memory_unavailable wrong_key']);
      expect(await doctor('old')).toEqual(['fail The database was written under another key.']);
      expect(await doctor('prepared')).toContainEqual(
        expect.stringMatching(/^warn The database is at the key [0-9a-f]{16}, and HELMDECK_MEMORY_KEY is/),
      );
      expect(await doctor('both')).toEqual([
        'ok The configured key opens the database.',
        'warn Finished: nothing in this database depends on HELMDECK_MEMORY_KEY_PREVIOUS any more.',
      ]);
      expect(await doctor('new')).toEqual(['ok The configured key opens the database.']);

      // The previous key is removed everywhere.
      for (const node of [...pool]) {
        pool.add(await start('new'));
        await load.retire(node);
      }
      await load.stop();
      for (const node of pool) expect(await readiness(node)).toMatchObject({ status: 200 });
      await expectAllReadable([...pool][0]!, load.acknowledged);
      expect(await rotation([...pool][0]!)).toMatchObject({ unreadable: 0 });
    });

    it('if every node gets the new key as a previous one first, no request is refused during the whole rotation', async () => {
      schema++;
      const pool = new Set([await start('old'), await start('old')]);
      const load = startLoad(pool);
      await load.progress(20);
      for (const keys of ['prepared', 'both', 'new'] as const) {
        for (const node of [...pool]) {
          const next = await start(keys);
          await expect.poll(() => readiness(next), POLL).toMatchObject({ status: 200 });
          pool.add(next);
          await load.progress(10);
          await load.retire(node);
        }
        for (const node of pool)
          await expect.poll(() => rotation(node), POLL).toMatchObject({ finished: true, unreadable: 0 });
      }
      await load.stop();
      expect([...load.refusals]).toEqual([]);
      await expectAllReadable([...pool][0]!, load.acknowledged);
    });
  });
}
