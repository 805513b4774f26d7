import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eraseMemory } from '../../memory/erase/erase-memory.ts';
import { forget, parseScope } from '../../memory/erase/forget.ts';
import { createMemory } from '../../memory/memory.ts';
import { fakeClock, runPack, type TestServer, testServer } from '../../testing/index.ts';
import { definePack } from '../pack/pack.ts';
import { activity } from './activity.ts';
import { learnedDefaults } from './defaults.ts';
import { LEARNED_FIELDS } from './learn-inputs.ts';
import { RUN_HISTORY_POLICY } from './run-history.ts';

const clock = fakeClock(Date.UTC(2026, 0, 1, 12));
let server: TestServer;

const pack = (name: string, output: object = {}) =>
  definePack({
    name,
    version: 'v1',
    description: 'For a test.',
    input: z.looseObject({ fail: z.boolean().optional() }),
    output: z.looseObject({}),
    handler({ input }) {
      if (input.fail) throw new Error('no');
      return output as Record<string, unknown>;
    },
  });

const FINDINGS = {
  findings: [{ code: 'E1', severity: 'error', file: 'a.md' }, { severity: 'no code' }, 'nonsense'],
  lint: { warnings: [{ code: 'W1', level: 'warning' }], issues: [{ code: 'E1' }] },
};

beforeEach(async () => {
  server = await testServer({
    now: clock.now,
    packs: [pack('test.one'), pack('test.two'), pack('test.lint', FINDINGS)],
    env: { HELMDECK_RATE_LIMIT: 'off' },
  });
});
afterEach(() => server.close());

const memoryOf = (subject = 'ada') => createMemory(server.memory!.parts, { subject });
const run = (name: string, input: object = {}, subject = 'ada') =>
  runPack(server, subject, `test.${name}`, input).catch(() => undefined);
const defaults = (subject?: string) => learnedDefaults(memoryOf(subject));

describe('learned defaults', () => {
  it('learned defaults are empty lists before the first run', async () => {
    expect(await defaults()).toEqual({
      scope: 'caller=ada',
      fetched_at: '2026-01-01T12:00:00.000Z',
      packs: [],
      pipelines: [],
      common_findings: [],
      recent: [],
      note: 'Nothing has been run yet.',
    });
  });

  it('learned defaults count successes by pack, with the most frequent value of each field and its evidence', async () => {
    const at = Math.floor(clock.now() / 1000);
    await run('one', { persona: 'technical', audience: 'b' });
    await run('one', { persona: 'technical', audience: 'a' });
    await run('one', { persona: 'casual', fail: true });
    clock.advance(5_000);
    await run('one', { persona: 'casual' });
    await run('two');
    expect((await defaults()).packs).toEqual([
      {
        id: 'test.one',
        calls: 3,
        last_used_unix: at + 5,
        common_inputs: { audience: 'a', persona: 'technical' },
        evidence: {
          audience: { count: 1, of: 2, last_unix: at },
          persona: { count: 2, of: 3, last_unix: at },
        },
      },
      { id: 'test.two', calls: 1, last_used_unix: at + 5 },
    ]);
  });

  it('learned inputs are top-level strings of known fields, truncated, and never credentials', async () => {
    await run('one', {
      ...Object.fromEntries(LEARNED_FIELDS.map((field) => [field, `my ${field}`])),
      title: 'é'.repeat(300),
      author: '   ',
      model: { name: 'nested' },
      voice: 'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
      kind: `${'x '.repeat(99)} ghp_abcdefghijklmnopqrstuvwxyz0123456789`,
      body: 'private',
      url: 'https://example.com',
    });
    const [row] = (await defaults()).recent;
    expect(row!.learn_inputs).toEqual({
      persona: 'my persona',
      audience: 'my audience',
      angle: 'my angle',
      theme: 'my theme',
      persona_used: 'my persona_used',
      format: 'my format',
      title: 'é'.repeat(200),
    });
  });

  it('recent runs are listed with any outcome, and their keys can be forgotten', async () => {
    await run('one');
    await run('one', { fail: true });
    const { recent } = await defaults();
    expect(recent).toMatchObject([
      { kind: 'pack', id: 'test.one', outcome: 'handler_failed' },
      { kind: 'pack', id: 'test.one', outcome: 'ok' },
    ]);
    expect(recent[0]!.key).toMatch(/^pack_history\/test\.one\/\d{20}$/);
    expect(await forget(memoryOf(), parseScope(`key:${recent[0]!.key}`))).toBe(1);
    expect((await defaults()).recent).toEqual([recent[1]]);
  });

  it('findings are counted by code, whatever the outcome of the run', async () => {
    await run('lint');
    await run('lint');
    expect((await defaults()).common_findings).toEqual([
      expect.objectContaining({ code: 'E1', occurrence_count: 4, pack: 'test.lint', severity: 'error' }),
      expect.objectContaining({ code: 'W1', occurrence_count: 2, severity: 'warning' }),
    ]);
  });

  it('learned defaults list at most 12 packs and 200 recent runs', async () => {
    for (let n = 0; n < 15; n++) {
      server.engine.packs.register(pack(`test.p${n}`));
      for (let times = 0; times < 15; times++) await run(`p${n}`);
    }
    const { packs, recent } = await defaults();
    expect(packs).toHaveLength(12);
    expect(recent).toHaveLength(200);
  });

  it('run records are private to each caller and expire after 30 days', async () => {
    await run('one');
    expect((await defaults('bob')).recent).toEqual([]);
    clock.advance(30 * 86_400_000 - 1);
    expect((await defaults()).recent).toHaveLength(1);
    clock.advance(1);
    expect((await defaults()).recent).toEqual([]);
  });

  it.each([
    ['pack:test.one', 2, ['test.two']],
    ['packs', 3, []],
    ['all', 3, []],
    ['pack:test', 0, ['test.two', 'test.one', 'test.one']],
    ['facts', 0, ['test.two', 'test.one', 'test.one']],
    ['pipelines', 0, ['test.two', 'test.one', 'test.one']],
  ])(
    'forget with the scope %s deletes %i run records, pending ones included',
    async (scope, deleted, left) => {
      await run('one');
      await run('one');
      await run('two');
      expect(await forget(memoryOf(), parseScope(scope))).toBe(deleted);
      expect((await defaults()).recent.map(({ id }) => id)).toEqual(left);
    },
  );

  it('an erase deletes run records, and none is written afterwards', async () => {
    await run('one');
    const receipt = await eraseMemory(memoryOf(), server.memory!.signer);
    expect(receipt.rows).toBe(1);
    await server.memory!.parts.pending.drain();
    const { directory } = server.memory!.parts;
    expect(await directory.find({ subject: 'ada' })).toBeUndefined();
    expect(await directory.runs.find({ subject: 'ada' })).toBeUndefined();
  });

  it('a fact cannot change learned defaults', async () => {
    const fact = { key: 'pack_history/x/1', value: '{"pack":"x","outcome":"ok","at_unix":1}' };
    const answer = await server.call('ada', 'POST', '/api/v1/memory/store', fact);
    expect(await answer.json()).toMatchObject({ reason: 'reserved_key' });
  });

  it('a pack with audit: false leaves no run record', async () => {
    await runPack(server, 'ada', 'helmdeck.memory_store', { key: 'a', value: 'b' });
    await run('one');
    expect((await defaults()).recent.map(({ id }) => id)).toEqual(['test.one']);
  });
});

describe('run records', () => {
  it('subscribers are notified of run records', async () => {
    const heard: unknown[] = [];
    const { parts } = server.memory!;
    const { ns } = await parts.directory.findOrCreate({ subject: 'ada' });
    parts.changes.subscribe(ns, (change) => heard.push(change));
    await run('one');
    await parts.pending.drain();
    expect(heard).toMatchObject([{ type: 'run', kind: 'audit.pack' }]);
  });

  it('run records wait in RAM while the store rejects writes', async () => {
    const { parts } = server.memory!;
    const { apply } = parts.store;
    let refused = 0;
    parts.store.apply = async () => {
      refused++;
      throw new Error('disk full');
    };
    await run('one', { persona: 'p' });
    await parts.pending.drain();
    expect(refused).toBeGreaterThan(0);
    parts.store.apply = apply;
    expect((await defaults()).recent).toMatchObject([{ id: 'test.one', learn_inputs: { persona: 'p' } }]);
    expect(server.memory!.history.lost).toBe(0);
  });

  it('a run returns without waiting for its run record to be written', async () => {
    const { parts } = server.memory!;
    const { apply } = parts.store;
    const gate = Promise.withResolvers<void>();
    parts.store.apply = async (...args) => {
      await gate.promise;
      return apply(...args);
    };
    for (let n = 0; n < 3; n++) await run('one');
    gate.resolve();
    parts.store.apply = apply;
    expect((await defaults()).recent).toHaveLength(3);
  });

  it('a caller keeps at most 20,000 run records; the oldest are deleted first', async () => {
    const { history, parts } = server.memory!;
    const record = { pack: 'test.one', version: 'v1', outcome: 'ok', at_unix: 1, duration_ms: 1 };
    const count = async () => {
      await parts.pending.drain();
      const { ns } = await parts.directory.runs.findOrCreate({ subject: 'ada' });
      const usage = await parts.store.usage(clock.now(), ns);
      return usage.find(({ kind }) => kind === 'audit.pack')!.rows;
    };
    for (let batch = 0; batch < 4; batch++) {
      for (let n = 0; n < 5_000; n++) history.addPack({ subject: 'ada' }, { ...record, duration_ms: batch });
      await parts.pending.drain();
    }
    expect(await count()).toBe(RUN_HISTORY_POLICY.maxRowsPerCaller);
    history.addPack({ subject: 'ada' }, { ...record, pack: 'test.two' });
    const left = await count();
    expect(left).toBe(RUN_HISTORY_POLICY.maxRowsPerCaller - RUN_HISTORY_POLICY.pruneRows);
    expect((await defaults()).recent[0]).toMatchObject({ id: 'test.two' });
  });
});

describe('activity', () => {
  it('activity counts runs, outcomes and cache hits by hour and by day', async () => {
    clock.set(Date.UTC(2026, 0, 1, 12, 30));
    await run('one');
    await run('one', { fail: true });
    clock.set(Date.UTC(2026, 0, 1, 13, 0));
    await run('one');
    clock.set(Date.UTC(2026, 0, 2, 0, 0));
    await run('one');
    const day = await activity(memoryOf(), 'day', {});
    expect(day.buckets).toMatchObject([
      { at: '2026-01-01T00:00:00.000Z', runs: 3, cached: 0, outcomes: { ok: 2, handler_failed: 1 } },
      { at: '2026-01-02T00:00:00.000Z', runs: 1, cached: 0, outcomes: { ok: 1 } },
    ]);
    const range = { fromMs: Date.UTC(2026, 0, 1, 13), toMs: Date.UTC(2026, 0, 2) };
    expect((await activity(memoryOf(), 'hour', range)).buckets).toMatchObject([
      { at: '2026-01-01T13:00:00.000Z', runs: 1, cached: 0, outcomes: { ok: 1 } },
    ]);
  });
});
