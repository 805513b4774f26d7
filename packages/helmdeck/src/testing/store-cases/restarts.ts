import { expect } from 'vitest';
import { type NamespaceRef, type Store, TOMBSTONE_MS } from '../../memory/store.ts';
import {
  bytesOf,
  GONE,
  hex,
  idOf,
  idsOf,
  labelled,
  makeNamespace,
  plain,
  put,
  remove,
  rowOf,
  type StoreHarness,
  scanAll,
  type TestCase,
} from './harness.ts';

const NOT_PERSISTENT = 'this back-end is not persistent';

/** Closing and reopening a persistent store. */
export function restartCases(test: TestCase): void {
  reopenCases(test);
  closeCases(test);
}

/** Everything that can be read from a store. */
async function everything(store: Store, nowMs: number) {
  const spaces = await store.listNamespaces(1_000);
  return {
    namespaces: spaces.map(({ ns, generation, blob }) => [hex(ns), generation, hex(blob)]),
    usage: (await store.usage(nowMs))
      .map((one) => [hex(one.ns), one.kind, one.rows, one.bytes].join(' '))
      .sort(),
    contents: await Promise.all(
      spaces.map(async ({ ns }) => ({
        rows: (await scanAll(store, ns)).map((row) => ({ ...plain(row), seq: row.seq })),
        tombstones: (await store.tombstones(ns, 0)).map(({ id, seq }) => [hex(id), seq]),
        position: await store.position(ns),
      })),
    ),
  };
}

async function fill(h: StoreHarness): Promise<NamespaceRef> {
  const ref = await makeNamespace(h.store);
  const other = await makeNamespace(h.store, 'other');
  const doomed = await makeNamespace(h.store, 'doomed');
  await h.store.replaceNamespace(other, other.blob, bytesOf('re-wrapped'));
  await h.store.apply(doomed, [put(rowOf('a'))]);
  await h.store.dropNamespace(doomed.ns);
  const rows = Array.from({ length: 50 }, (_, i) =>
    rowOf(`row ${i}`, { expiresMs: i % 5 ? null : h.now() + i }),
  );
  await h.store.apply(
    ref,
    rows.map((row) => put(row)),
  );
  await h.store.apply(ref, [
    put(rowOf('row 1', { rev: 2, kind: 'note' })),
    remove('row 2'),
    { type: 'deleteWhere', kinds: ['note'] },
  ]);
  await Promise.all(['x', 'y', 'z'].map((label) => h.store.apply(other, [put(rowOf(label))])));
  await h.store.apply(other, [remove('y')]);
  await h.store.sweep(h.now(), 1);
  return ref;
}

function reopenCases(test: TestCase): void {
  test('every acknowledged write is present after a restart', async (h, skip) => {
    if (!h.reopen) return skip(NOT_PERSISTENT);
    await fill(h);
    const before = await everything(h.store, h.now());
    expect(before.contents.flatMap(({ rows }) => rows)).toHaveLength(49);
    const store = await h.reopen();
    expect(await everything(store, h.now())).toEqual(before);
  });

  test('after a restart references stay valid and no seq is reused', async (h, skip) => {
    if (!h.reopen) return skip(NOT_PERSISTENT);
    const ref = await fill(h);
    // The newest seq belongs to a deleted row: it must not be reused.
    await h.store.apply(ref, [put(rowOf('newest')), remove('newest')]);
    const before = await h.store.position(ref.ns);
    const store = await h.reopen();
    const applied = await store.apply(ref, [
      put(rowOf('after', { rev: 1 }), 0),
      put(rowOf('row 3', { rev: 2 }), 1),
    ]);
    expect((await store.get(ref.ns, idOf('after')))!.seq).toBeGreaterThan(before.seq);
    expect(await store.position(ref.ns)).toEqual({ seq: applied.seq, epoch: before.epoch });
    await expect(store.apply({ ...ref, generation: ref.generation + 1 }, [])).rejects.toMatchObject(GONE);
  });

  test('tombstones keep their age across a restart', async (h, skip) => {
    if (!h.reopen) return skip(NOT_PERSISTENT);
    const ref = await makeNamespace(h.store);
    await h.store.apply(ref, [put(rowOf('a')), remove('a')]);
    h.advance(TOMBSTONE_MS - 1);
    const store = await h.reopen();
    await store.sweep(h.now(), 10);
    expect(idsOf(await store.tombstones(ref.ns, 0))).toEqual(labelled('a'));
    const { epoch } = await store.position(ref.ns);
    h.advance(2);
    await store.sweep(h.now(), 10);
    expect(await store.tombstones(ref.ns, 0)).toEqual([]);
    expect((await store.position(ref.ns)).epoch).not.toBe(epoch);
  });
}

function closeCases(test: TestCase): void {
  test('after close every call fails as unavailable, and a second close succeeds', async ({ store, now }) => {
    const ref = await makeNamespace(store);
    await store.apply(ref, [put(rowOf('a'))]);
    await store.close();
    const calls: (() => Promise<unknown>)[] = [
      () => store.apply(ref, [put(rowOf('b'))]),
      () => store.get(ref.ns, idOf('a')),
      () => store.scan(ref.ns, { limit: 1 }),
      () => store.tombstones(ref.ns, 0),
      () => store.position(ref.ns),
      () => store.usage(now()),
      () => store.usage(now(), ref.ns),
      () => store.getNamespace(ref.ns),
      () => store.createNamespace(idOf('new'), bytesOf('blob')),
      () => store.replaceNamespace(ref, ref.blob, bytesOf('blob')),
      () => store.listNamespaces(1),
      () => store.dropNamespace(ref.ns),
      () => store.sweep(now(), 1),
      () => store.probe(),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'memory_unavailable' });
    await store.close();
  });

  test('close waits for pending writes: each either fails or is stored', async (h, skip) => {
    if (!h.reopen) return skip(NOT_PERSISTENT);
    const ref = await makeNamespace(h.store);
    const writes = Array.from({ length: 50 }, (_, i) => h.store.apply(ref, [put(rowOf(`row ${i}`))]));
    const outcomes = Promise.allSettled(writes);
    await h.store.close();
    const stored = (await outcomes).flatMap(({ status }, i) => (status === 'fulfilled' ? [`row ${i}`] : []));
    const store = await h.reopen();
    const found = idsOf(await scanAll(store, ref.ns));
    expect(found).toEqual(expect.arrayContaining(labelled(...stored)));
  });
}
