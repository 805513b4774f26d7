import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../support/services/postgres.ts';
import { type ChildServer, startChild } from './child-server.ts';
import { type CutProxy, startCutProxy } from './cut-proxy.ts';
import { createGate, writeGatedPack } from './gated-pack.ts';

const CALLERS = ['ada', 'ada:', 'bob', 'tenant/eve'];
const MEMORY = '/api/v1/memory';
const RECOVERY_TIMEOUT_MS = 120_000;
/** A node that is cut off responds late; writers do not wait for it. */
const WRITE_TIMEOUT_MS = 2_000;

const postgres = await startPostgres({ durable: true });

if (typeof postgres === 'string') it.skip(`three nodes on one PostgreSQL: ${postgres}`);
else {
  const folder = mkdtempSync(join(tmpdir(), 'helmdeck-nodes-'));
  let proxy: CutProxy;
  /** The first is killed, the last is cut off from the database. */
  let nodes: ChildServer[];
  const start = (name: string, port: number) => {
    const url = new URL(postgres.url());
    url.port = String(port);
    url.searchParams.set('pool', '4');
    return startChild({
      HELMDECK_DB: url.href,
      HELMDECK_DATA_DIR: join(folder, name),
      HELMDECK_PACKS_DIR: join(folder),
    });
  };
  beforeAll(async () => {
    writeGatedPack(folder);
    proxy = await startCutProxy(postgres.port);
    nodes = await Promise.all([start('a', postgres.port), start('b', postgres.port), start('c', proxy.port)]);
  });
  afterAll(async () => {
    for (const node of nodes ?? []) await node.kill();
    await proxy?.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Acknowledged writes: the value of every key of every caller. */
  const acknowledged = new Map<string, Map<string, string>>(CALLERS.map((caller) => [caller, new Map()]));
  let refused = 0;
  let writing = true;

  /** Stores one fact after another on alternating nodes, and records those that were acknowledged. */
  async function write(caller: string, writer: number): Promise<void> {
    for (let n = 0; writing; n++) {
      const key = `writer${writer}/fact${n}`;
      const value = `value ${n} of ${caller} by writer ${writer}`;
      const node = nodes[(n + writer) % nodes.length]!;
      const stored = await Promise.race([
        node.call(caller, 'POST', `${MEMORY}/store`, { key, value }).then(
          ({ status }) => status === 200 || status === 201,
          () => false,
        ),
        delay(WRITE_TIMEOUT_MS, false),
      ]);
      if (stored) acknowledged.get(caller)!.set(key, value);
      else refused++;
      await delay(5);
    }
  }

  const read = async (node: ChildServer, caller: string, key: string) => {
    const { status, json } = await node.call(caller, 'GET', `${MEMORY}/facts/${key}`);
    return status === 200 ? json.value : status;
  };

  async function untilReady(node: ChildServer): Promise<void> {
    const isReady = async () => (await node.call('probe', 'GET', `${MEMORY}/facts/none`)).status === 404;
    await expect.poll(isReady, { timeout: RECOVERY_TIMEOUT_MS }).toBe(true);
  }

  describe('three nodes under load, one killed, one cut off from the database', () => {
    it('under load, a killed node and a cut-off node serve nothing stale, recover, and another node takes over the run', async () => {
      const [a, b, c] = nodes as [ChildServer, ChildServer, ChildServer];
      const [first, second] = [createGate(folder, 'first'), createGate(folder, 'second')];
      first.open();
      const steps = [
        { id: 'quick', pack: 'test.gated', input: { gate: first.path } },
        { id: 'slow', pack: 'test.gated', input: { gate: second.path } },
      ];
      const writers = CALLERS.flatMap((caller) => [0, 1].map((writer) => write(caller, writer)));
      const { json: made } = await a.call('ada', 'POST', '/api/v1/pipelines', { name: 'taken over', steps });
      const { json: run } = await a.call('ada', 'POST', `/api/v1/pipelines/${made.id}/run`, {});
      const getFromB = (path: string) => b.call('ada', 'GET', path).then(({ json }) => json);
      const runPath = `/api/v1/pipelines/runs/${run.run_id}`;
      await expect.poll(second.isReached, { timeout: RECOVERY_TIMEOUT_MS }).toBe(true);
      await expect
        .poll(() => getFromB(runPath), { timeout: RECOVERY_TIMEOUT_MS })
        .toMatchObject({ steps: [{ status: 'succeeded' }, { status: 'running' }] });

      await b.call('ada', 'POST', `${MEMORY}/store`, { key: 'shared', value: 'old' });
      expect(await read(c, 'ada', 'shared')).toBe('old');
      await a.kill();
      second.open();
      proxy.cut();
      await b.call('ada', 'POST', `${MEMORY}/store`, { key: 'shared', value: 'new' });
      // A node without its database must return 503, however late, and never the old value.
      const whileCut = await c.call('ada', 'GET', `${MEMORY}/facts/shared`);
      expect(whileCut).toMatchObject({ status: 503, json: { error: 'memory_unavailable' } });
      expect(await read(b, 'ada', 'shared')).toBe('new');
      proxy.heal();
      await untilReady(c);
      expect(await read(c, 'ada', 'shared')).toBe('new');
      nodes[0] = await start('a', postgres.port);
      await untilReady(nodes[0]);

      // Another node has taken over the run of the killed node.
      const status = async () => (await getFromB(runPath)).status;
      await expect.poll(status, { timeout: RECOVERY_TIMEOUT_MS }).toBe('succeeded');
      writing = false;
      await Promise.all(writers);
      expect(refused, 'the faults had an effect').toBeGreaterThan(0);
    });

    it('after the faults, all nodes return every acknowledged write, and to each caller only its own', async () => {
      for (const caller of CALLERS) {
        const expected = acknowledged.get(caller)!;
        expect(expected.size).toBeGreaterThan(20);
        for (const node of nodes) {
          const facts = await everyFact(node, caller);
          for (const [key, value] of expected) expect(facts.get(key), key).toBe(value);
          // A write that failed may be stored all the same; one of another caller never.
          for (const [key, value] of facts)
            if (key !== 'shared')
              expect(value).toBe(`value ${key.slice(12)} of ${caller} by writer ${key[6]}`);
        }
      }
    });

    it('after the recovery, each node sees the writes of the others at once in reads and searches', async () => {
      for (let round = 0; round < 6; round++) {
        const writer = nodes[round % 3]!;
        const value = `round number ${round} zebra`;
        await writer.call('bob', 'POST', `${MEMORY}/store`, { key: 'round', value });
        for (const node of nodes) {
          expect(await read(node, 'bob', 'round')).toBe(value);
          const { json } = await node.call('bob', 'GET', `${MEMORY}/search?q=zebra`);
          expect((json.results as { snippet: string }[]).map((hit) => hit.snippet)).toEqual([value]);
        }
      }
    });
  });

  async function everyFact(node: ChildServer, caller: string): Promise<Map<string, string>> {
    const facts = new Map<string, string>();
    let cursor = '';
    do {
      const path = `${MEMORY}/facts?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
      const { json } = await node.call(caller, 'GET', path);
      for (const { key, value } of json.facts as { key: string; value: string }[]) facts.set(key, value);
      cursor = (json.next_cursor as string | undefined) ?? '';
    } while (cursor !== '');
    return facts;
  }
}
