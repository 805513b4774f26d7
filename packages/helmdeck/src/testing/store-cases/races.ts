import { expect } from 'vitest';
import {
  bytesOf,
  GONE,
  hex,
  idOf,
  idsOf,
  makeNamespace,
  put,
  REV_CONFLICT,
  remove,
  rowOf,
  scanAll,
  type TestCase,
  usageByKind,
} from './harness.ts';

const PARALLEL = 200;
const repeat = <T>(make: (i: number) => T): T[] => Array.from({ length: PARALLEL }, (_, i) => make(i));

/** Concurrent writers and readers in one process. */
export function raceCases(test: TestCase): void {
  rowRaceCases(test);
  readerRaceCases(test);
  namespaceRaceCases(test);
}

function rowRaceCases(test: TestCase): void {
  test('of 200 parallel puts that expect the same revision exactly one succeeds', async ({ store }) => {
    const ref = await makeNamespace(store);
    for (let rev = 0; rev < 5; rev += 1) {
      const outcomes = await Promise.allSettled(
        repeat((i) =>
          store.apply(ref, [put(rowOf('a', { rev: rev + 1, body: bytesOf(`writer ${i}`) }), rev)]),
        ),
      );
      const winners = outcomes.flatMap((outcome, i) => (outcome.status === 'fulfilled' ? [i] : []));
      expect(winners).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(REV_CONFLICT);
      }
      const row = (await store.get(ref.ns, idOf('a')))!;
      expect([row.rev, hex(row.body)]).toEqual([rev + 1, hex(bytesOf(`writer ${winners[0]}`))]);
    }
  });

  test('200 parallel writes to different rows all succeed, each with its own seq', async ({ store, now }) => {
    const ref = await makeNamespace(store);
    const applied = await Promise.all(
      repeat((i) => store.apply(ref, [put(rowOf(`row ${i}`, { body: bytesOf('four') }), 0)])),
    );
    expect(new Set(applied.map(({ seq }) => seq)).size).toBe(PARALLEL);
    const rows = await scanAll(store, ref.ns, {}, 33);
    expect(new Set(idsOf(rows)).size).toBe(PARALLEL);
    for (const [i, { seq }] of applied.entries()) {
      expect(rows.find((row) => row.seq === seq)!.id.join()).toBe(idOf(`row ${i}`).join());
    }
    expect(await usageByKind(store, now(), ref.ns)).toEqual({ fact: [PARALLEL, PARALLEL * 4] });
    expect((await store.position(ref.ns)).seq).toBe(rows.at(-1)!.seq);
  });

  test('a failed precondition of one write does not fail the writes that run in parallel', async ({
    store,
  }) => {
    const ref = await makeNamespace(store);
    const outcomes = await Promise.allSettled(
      repeat((i) => store.apply(ref, [put(rowOf(`row ${i}`), i % 2 ? 7 : 0)])),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(repeat((i) => (i % 2 ? 'rejected' : 'fulfilled')));
    expect(await scanAll(store, ref.ns)).toHaveLength(PARALLEL / 2);
  });

  test('of 200 parallel deletes of one row exactly one counts it', async ({ store }) => {
    const ref = await makeNamespace(store);
    await store.apply(ref, [put(rowOf('a'))]);
    const applied = await Promise.all(repeat(() => store.apply(ref, [remove('a')])));
    expect(applied.filter(({ deleted }) => deleted === 1)).toHaveLength(1);
    expect(applied.filter(({ deleted }) => deleted === 0)).toHaveLength(PARALLEL - 1);
    expect(await store.tombstones(ref.ns, 0)).toHaveLength(1);
  });
}

/** Repeats `read` until the writes are done, and once more after that. */
async function readDuring(writes: Promise<unknown>, read: () => Promise<void>): Promise<void> {
  let done = false;
  const writing = writes.finally(() => {
    done = true;
  });
  while (!done) {
    await read();
    // Yields to the event loop, for back-ends that need neither timers nor sockets.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await writing;
  await read();
}

async function serially(count: number, write: (i: number) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    await write(i);
    if (i % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

function readerRaceCases(test: TestCase): void {
  test('a concurrent reader never sees part of a batch', async ({ store }) => {
    const ref = await makeNamespace(store);
    const both = (rev: number) => [put(rowOf('a', { rev })), put(rowOf('b', { rev }))];
    await store.apply(ref, both(1));
    await readDuring(
      serially(100, (i) => store.apply(ref, both(i + 2))),
      async () => {
        const [a, b] = await store.scan(ref.ns, { limit: 10 });
        expect(a!.rev).toBe(b!.rev);
      },
    );
    expect((await store.get(ref.ns, idOf('a')))!.rev).toBe(101);
  });

  test('a reader that follows by seq misses no write and no deletion of parallel writers', async ({
    store,
  }) => {
    const ref = await makeNamespace(store);
    const image = new Set<string>();
    let position = 0;
    const follow = async () => {
      // Position first: a change that arrives between the calls is read again, never skipped.
      const { seq } = await store.position(ref.ns);
      const rows = await scanAll(store, ref.ns, { afterSeq: position }, 1_000);
      const stones = await store.tombstones(ref.ns, position);
      for (const row of rows) image.add(hex(row.id));
      for (const stone of stones) {
        if (!rows.some((row) => hex(row.id) === hex(stone.id) && row.seq > stone.seq))
          image.delete(hex(stone.id));
      }
      position = seq;
    };
    const writer = (w: number) =>
      serially(30, async (i) => {
        await store.apply(ref, [put(rowOf(`row ${w} ${i}`))]);
        if (i % 3 === 0) await store.apply(ref, [remove(`row ${w} ${i}`)]);
      });
    await readDuring(Promise.all(Array.from({ length: 8 }, (_, w) => writer(w))), follow);
    expect([...image].sort()).toEqual(idsOf(await scanAll(store, ref.ns)).sort());
    expect(image.size).toBe(8 * 20);
  });
}

function namespaceRaceCases(test: TestCase): void {
  test('200 parallel creations of one namespace all return the same record', async ({ store }) => {
    const records = await Promise.all(
      repeat((i) => store.createNamespace(idOf('namespace'), bytesOf(`creator ${i}`))),
    );
    const distinct = new Set(records.map(({ generation, blob }) => `${generation} ${hex(blob)}`));
    expect(distinct.size).toBe(1);
    const stored = (await store.getNamespace(idOf('namespace')))!;
    expect(distinct).toContain(`${stored.generation} ${hex(stored.blob)}`);
  });

  test('of 200 parallel replacements of the same blob exactly one succeeds', async ({ store }) => {
    const ref = await makeNamespace(store);
    const won = await Promise.all(repeat((i) => store.replaceNamespace(ref, ref.blob, bytesOf(`wrap ${i}`))));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(hex((await store.getNamespace(ref.ns))!.blob)).toBe(hex(bytesOf(`wrap ${won.indexOf(true)}`)));
  });

  test('writes that race with dropping their namespace leave no orphaned rows', async ({ store, now }) => {
    const ref = await makeNamespace(store);
    const write = (i: number) => store.apply(ref, [put(rowOf(`row ${i}`))]);
    const before = repeat(write);
    const drop = store.dropNamespace(ref.ns);
    const outcomes = await Promise.allSettled([...before, ...repeat((i) => write(PARALLEL + i))]);
    const succeeded = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(await drop).toBe(succeeded);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(GONE);
    }
    expect(await store.getNamespace(ref.ns)).toBeUndefined();
    expect(await scanAll(store, ref.ns)).toEqual([]);
    expect(await store.usage(now())).toEqual([]);
    await makeNamespace(store);
    expect(await scanAll(store, ref.ns)).toEqual([]);
  });
}
