import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { holdsRuns } from '../../memory/crypto/namespace-record.ts';
import { groupId, rowId } from '../../memory/crypto/sealed.ts';
import { RUN_KINDS } from '../../memory/entry.ts';
import { eraseMemory } from '../../memory/erase/erase-memory.ts';
import { forget, parseScope } from '../../memory/erase/forget.ts';
import { createMemory, type MemoryParts, putOp } from '../../memory/memory.ts';
import type { Store } from '../../memory/store.ts';
import { fakeClock, runPack, type TestServer, testServer } from '../../testing/index.ts';
import { definePack } from '../pack/pack.ts';
import { learnedDefaults } from './defaults.ts';
import { createRunRecordMove, type RunRecordMove } from './move-run-records.ts';

const clock = fakeClock(Date.UTC(2026, 0, 1, 12));
const ADA = { subject: 'ada' };
let server: TestServer;
let parts: MemoryParts;
const log = { info: () => {}, warn: () => {} };

const pack = definePack({
  name: 'test.new',
  version: 'v1',
  description: 'For a test.',
  input: z.looseObject({}),
  output: z.looseObject({}),
  handler: () => ({}),
});

beforeEach(async () => {
  server = await testServer({ now: clock.now, packs: [pack], env: { HELMDECK_RATE_LIMIT: 'off' } });
  parts = server.memory!.parts;
  await server.call('ada', 'POST', '/api/v1/memory/store', { key: 'city', value: 'lives in Ulm' });
  await server.call('ada', 'GET', '/api/v1/memory/search?q=ulm&kinds=pack'); // its own move has nothing to do
});
afterEach(() => server.close());

/** Writes run records into the main namespace, as older versions did. */
async function writeOldRecords(count: number, caller = ADA, expiresMs = clock.now() + 86_400_000) {
  const keys = await parts.directory.findOrCreate(caller);
  const ops = Array.from({ length: count }, (_, number) => {
    const name = number % 2 === 0 ? 'test.even' : 'test.odd';
    const key = `pack_history/${name}/${String(number).padStart(20, '0')}`;
    const atMs = clock.now() - 60_000 + number;
    const value = JSON.stringify({
      pack: name,
      version: 'v1',
      outcome: 'ok',
      at_unix: number,
      duration_ms: 1,
    });
    return putOp(
      keys,
      {
        id: rowId(keys, 'audit.pack', key),
        kind: 'audit.pack',
        group: groupId(keys, 'pack', name),
        content: { key, value },
        createdMs: atMs,
        updatedMs: atMs,
        expiresMs,
      },
      undefined,
    );
  });
  await parts.store.apply(keys, ops);
}

/** The server's parts after another start, with a move that has not run yet. */
function restarted(store: Store = parts.store): { move: RunRecordMove; after: MemoryParts } {
  const move = createRunRecordMove({ ...parts, store }, log);
  return { move, after: { ...parts, directory: move.directory } };
}

/** Another node on the same store, which does not wait for the move on this one. */
const elsewhere = (): MemoryParts => ({ ...parts, pending: { ...parts.pending, drain: async () => {} } });

async function runRows(ns: Uint8Array): Promise<number> {
  return (await parts.store.scan(ns, { kinds: RUN_KINDS, limit: 100_000 })).length;
}
async function rowsOf(caller = ADA): Promise<{ main: number; runs: number }> {
  const main = parts.directory.idOf(caller);
  return { main: await runRows(main), runs: await runRows(parts.directory.runs.idOf(main)) };
}
async function finish(move: RunRecordMove): Promise<void> {
  move.start();
  await expect.poll(async () => (await rowsOf()).main).toBe(0);
  await move.stop();
}

/** Fails the n-th batch, before or after it is written. */
function failingAt(nth: number, when: 'before' | 'after'): Store {
  let batches = 0;
  return {
    ...parts.store,
    async apply(ref, ops) {
      const isFatal = ++batches === nth;
      if (isFatal && when === 'before') throw new Error('power cut');
      const applied = await parts.store.apply(ref, ops);
      if (isFatal) throw new Error('power cut');
      return applied;
    },
  };
}

describe('run records of an older version', () => {
  it('old run records move into the runs namespace in the background, with their order, groups and times', async () => {
    await writeOldRecords(450);
    await writeOldRecords(3, { subject: 'bob' });
    const { move, after } = restarted();
    await finish(move);
    expect(await rowsOf()).toEqual({ main: 0, runs: 450 });
    expect(await rowsOf({ subject: 'bob' })).toEqual({ main: 0, runs: 3 });
    const { recent } = await learnedDefaults(createMemory(after, ADA));
    expect(recent.map(({ at_unix }) => at_unix)).toEqual(Array.from({ length: 200 }, (_, at) => 449 - at));
    const record = (await parts.store.getNamespace(parts.directory.runs.idOf(parts.directory.idOf(ADA))))!;
    expect(holdsRuns(record)).toBe(true);
    expect(await forget(createMemory(after, ADA), parseScope('pack:test.even'))).toBe(225);
    expect(await rowsOf()).toEqual({ main: 0, runs: 225 });
  });

  it.each([
    [1, 'before'],
    [1, 'after'],
    [2, 'before'],
    [2, 'after'],
    [3, 'after'],
    [4, 'before'],
  ] as const)(
    'old run records survive a crash at write %i, %s it is on disk, and are all moved exactly once',
    async (nth, when) => {
      await writeOldRecords(450);
      const { move: cut } = restarted(failingAt(nth, when));
      cut.start();
      await cut.directory.runs.find(ADA); // waits for the move
      await cut.stop();
      expect((await rowsOf()).main, 'it was cut short').toBeGreaterThan(0);
      const { move, after } = restarted();
      await finish(move);
      expect(await rowsOf()).toEqual({ main: 0, runs: 450 });
      const { recent } = await learnedDefaults(createMemory(after, ADA));
      expect(recent.map(({ at_unix }) => at_unix)).toEqual(Array.from({ length: 200 }, (_, at) => 449 - at));
    },
  );

  it('old run records of a caller are moved before that caller reads or adds any, so that newer ones come after', async () => {
    await writeOldRecords(250);
    const { after } = restarted();
    const memory = createMemory(after, ADA);
    expect((await learnedDefaults(memory)).packs).toMatchObject([
      { id: 'test.odd', calls: 125 },
      { id: 'test.even', calls: 125 },
    ]);
    expect(await rowsOf()).toEqual({ main: 0, runs: 250 });
    await runPack(server, 'ada', 'test.new', {});
    const { recent } = await learnedDefaults(memory);
    expect(recent.slice(0, 2).map(({ id }) => id)).toEqual(['test.new', 'test.odd']);
  });

  it('old run records that were forgotten while they moved do not come back', async () => {
    await writeOldRecords(100);
    let forgotten: Promise<number> | undefined;
    const store: Store = {
      ...parts.store,
      async apply(ref, ops) {
        // After the records are read and before their copies are written.
        forgotten ??= forget(createMemory(elsewhere(), ADA), parseScope('packs'));
        await forgotten;
        return parts.store.apply(ref, ops);
      },
    };
    const { move } = restarted(store);
    await move.directory.runs.find(ADA);
    expect(await forgotten).toBe(100);
    expect(await rowsOf()).toEqual({ main: 0, runs: 0 });
    await move.stop();
  });

  it('old run records that are erased while they move do not come back', async () => {
    await writeOldRecords(100);
    let erased: Promise<unknown> | undefined;
    const store: Store = {
      ...parts.store,
      async apply(ref, ops) {
        erased ??= eraseMemory(createMemory(elsewhere(), ADA), server.memory!.signer);
        await erased;
        return parts.store.apply(ref, ops);
      },
    };
    const { move } = restarted(store);
    await move.directory.runs.find(ADA);
    expect(await rowsOf()).toEqual({ main: 0, runs: 0 });
    const main = parts.directory.idOf(ADA);
    expect(await parts.store.getNamespace(parts.directory.runs.idOf(main))).toBeUndefined();
    await move.stop();
  });

  it('old run records that have expired are left to the sweep and do not stop the others from moving', async () => {
    await writeOldRecords(5, ADA, clock.now());
    await writeOldRecords(3, { subject: 'bob' });
    const { move } = restarted();
    move.start();
    await expect.poll(() => rowsOf({ subject: 'bob' })).toEqual({ main: 0, runs: 3 });
    await move.stop();
    expect(await rowsOf()).toEqual({ main: 5, runs: 0 });
  });

  it('moving old run records does not change facts', async () => {
    await writeOldRecords(300);
    await finish(restarted().move);
    const fact = await server.call('ada', 'GET', '/api/v1/memory/facts/city');
    expect(await fact.json()).toMatchObject({ value: 'lives in Ulm', version: 1 });
    const search = await server.call('ada', 'GET', '/api/v1/memory/search?q=ulm');
    expect(await search.json()).toMatchObject({ results: [{ key: 'city' }] });
  });
});
