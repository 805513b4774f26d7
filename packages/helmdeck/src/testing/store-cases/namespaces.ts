import { expect } from 'vitest';
import type { NamespaceRecord, Store } from '../../memory/store.ts';
import {
  bytesOf,
  hex,
  idOf,
  idsOf,
  labelled,
  makeNamespace,
  plain,
  put,
  remove,
  rowOf,
  scanAll,
  type TestCase,
} from './harness.ts';

/** Creating, replacing, listing and dropping namespaces. */
export function namespaceCases(test: TestCase): void {
  recordCases(test);
  listCases(test);
  dropCases(test);
}

const plainRecord = (record: NamespaceRecord | undefined) =>
  record && { ns: hex(record.ns), generation: record.generation, blob: hex(record.blob) };

function recordCases(test: TestCase): void {
  test('creating a namespace that exists returns its record unchanged', async ({ store }) => {
    const ns = idOf('namespace');
    expect(await store.getNamespace(ns)).toBeUndefined();
    const first = await store.createNamespace(ns, bytesOf('first'));
    expect(plainRecord(first)).toEqual({
      ns: hex(ns),
      generation: first.generation,
      blob: hex(bytesOf('first')),
    });
    expect(Number.isSafeInteger(first.generation)).toBe(true);
    await store.apply(first, [put(rowOf('a'))]);
    const before = await store.position(ns);
    expect(plainRecord(await store.createNamespace(ns, bytesOf('second')))).toEqual(plainRecord(first));
    expect(plainRecord(await store.getNamespace(ns))).toEqual(plainRecord(first));
    expect(await store.position(ns)).toEqual(before);
    expect(idsOf(await scanAll(store, ns))).toEqual(labelled('a'));
  });

  test('a blob of any size and any bytes is returned as written', async ({ store }) => {
    const blobs = [
      new Uint8Array(0),
      new Uint8Array(64),
      Uint8Array.from({ length: 4_096 }, (_, i) => i % 256),
    ];
    for (const [i, blob] of blobs.entries()) {
      await store.createNamespace(idOf(`blob ${i}`), blob);
      expect(hex((await store.getNamespace(idOf(`blob ${i}`)))!.blob)).toBe(hex(blob));
    }
  });

  test('a blob is replaced only if generation and previous blob match', async ({ store }) => {
    const made = await makeNamespace(store);
    const other = await makeNamespace(store, 'other');
    await store.apply(made, [put(rowOf('a'))]);
    const position = await store.position(made.ns);
    const next = bytesOf('re-wrapped');
    expect(await store.replaceNamespace(made, bytesOf('something else'), next)).toBe(false);
    expect(await store.replaceNamespace(made, new Uint8Array(0), next)).toBe(false);
    expect(
      await store.replaceNamespace({ ns: made.ns, generation: made.generation + 1 }, made.blob, next),
    ).toBe(false);
    expect(await store.replaceNamespace({ ...made, ns: idOf('unknown') }, made.blob, next)).toBe(false);
    expect(await store.getNamespace(idOf('unknown'))).toBeUndefined();
    expect(plainRecord(await store.getNamespace(made.ns))).toEqual(plainRecord(made));
    expect(await store.replaceNamespace(made, made.blob, next)).toBe(true);
    expect(plainRecord(await store.getNamespace(made.ns))).toEqual(plainRecord({ ...made, blob: next }));
    expect(await store.replaceNamespace(made, made.blob, bytesOf('late'))).toBe(false);
    expect(plainRecord(await store.getNamespace(made.ns))).toEqual(plainRecord({ ...made, blob: next }));
    expect(plainRecord(await store.getNamespace(other.ns))).toEqual(plainRecord(other));
    expect(await store.position(made.ns)).toEqual(position);
    // The namespace itself is unchanged: writers can continue with their reference.
    expect((await store.apply(made, [put(rowOf('b'))])).deleted).toBe(0);
  });
}

async function listAll(store: Store, limit: number): Promise<NamespaceRecord[]> {
  const all: NamespaceRecord[] = [];
  for (;;) {
    const page = await store.listNamespaces(limit, all.at(-1)?.ns);
    expect(page.length).toBeLessThanOrEqual(limit);
    // A back-end that returns the namespace of the cursor again must fail here, not hang.
    if (all.length > 0 && page.length > 0) expect(hex(page[0]!.ns) > hex(all.at(-1)!.ns)).toBe(true);
    all.push(...page);
    if (page.length < limit) return all;
  }
}

function listCases(test: TestCase): void {
  test('paging through namespaces lists each exactly once, ordered by id', async ({ store }) => {
    expect(await store.listNamespaces(10)).toEqual([]);
    const ids = [
      ...Array.from({ length: 9 }, (_, i) => idOf(`namespace ${i}`)),
      new Uint8Array(16),
      new Uint8Array(16).fill(0xff),
      new Uint8Array(16).fill(0x7f),
      new Uint8Array(16).fill(0x80),
    ];
    const made = new Map<string, NamespaceRecord>();
    for (const ns of ids) made.set(hex(ns), await store.createNamespace(ns, bytesOf(hex(ns))));
    const expected = [...made.keys()].sort().map((key) => plainRecord(made.get(key)));
    for (const limit of [1, 4, 13, 50])
      expect((await listAll(store, limit)).map(plainRecord)).toEqual(expected);
    const middle = ids[3]!;
    const after = await store.listNamespaces(50, middle);
    expect(after.map(({ ns }) => hex(ns))).toEqual(
      [...made.keys()].sort().filter((key) => key > hex(middle)),
    );
  });

  test('a cursor stays valid when its namespace is dropped', async ({ store }) => {
    for (const label of ['one', 'two', 'three']) await makeNamespace(store, label);
    const sorted = labelled('one', 'two', 'three').sort();
    const first = await store.listNamespaces(1);
    await store.dropNamespace(first[0]!.ns);
    const rest = await store.listNamespaces(10, first[0]!.ns);
    expect(rest.map(({ ns }) => hex(ns))).toEqual(sorted.slice(1));
  });
}

function dropCases(test: TestCase): void {
  test('dropping a namespace removes its rows, blob and tombstones and leaves other namespaces unchanged', async ({
    store,
    now,
  }) => {
    const [doomed, kept] = [await makeNamespace(store, 'doomed'), await makeNamespace(store, 'kept')];
    for (const ref of [doomed, kept]) {
      await store.apply(ref, [
        put(rowOf('a')),
        put(rowOf('child', { group: idOf('a') })),
        put(rowOf('old', { expiresMs: 1 })),
      ]);
      await store.apply(ref, [put(rowOf('b')), remove('b')]);
    }
    const keptRows = (await scanAll(store, kept.ns)).map(plain);
    const keptPosition = await store.position(kept.ns);
    expect(await store.dropNamespace(doomed.ns)).toBe(3);
    expect(await store.getNamespace(doomed.ns)).toBeUndefined();
    expect(await store.get(doomed.ns, idOf('a'))).toBeUndefined();
    expect(await scanAll(store, doomed.ns)).toEqual([]);
    expect(await scanAll(store, doomed.ns, { group: idOf('a') })).toEqual([]);
    expect(await store.tombstones(doomed.ns, 0)).toEqual([]);
    expect(await store.position(doomed.ns)).toEqual({ seq: 0, epoch: 0 });
    expect((await store.listNamespaces(10)).map(plainRecord)).toEqual([plainRecord(kept)]);
    expect((await scanAll(store, kept.ns)).map(plain)).toEqual(keptRows);
    expect(await store.position(kept.ns)).toEqual(keptPosition);
    expect(idsOf(await store.tombstones(kept.ns, 0))).toEqual(labelled('b'));
    expect((await store.sweep(now(), 10)).map(({ ns }) => hex(ns))).toEqual([hex(kept.ns)]);
  });

  test('dropping an empty or unknown namespace removes 0 rows', async ({ store }) => {
    expect(await store.dropNamespace(idOf('unknown'))).toBe(0);
    const ref = await makeNamespace(store);
    expect(await store.dropNamespace(ref.ns)).toBe(0);
    expect(await store.dropNamespace(ref.ns)).toBe(0);
    expect(await store.getNamespace(ref.ns)).toBeUndefined();
  });

  test('a namespace that is created again is empty and has a new generation and epoch', async ({ store }) => {
    const generations = new Set<number>();
    const epochs = new Set<number>([0]);
    for (let life = 0; life < 8; life += 1) {
      const ref = await store.createNamespace(idOf('namespace'), bytesOf(`life ${life}`));
      expect(hex(ref.blob)).toBe(hex(bytesOf(`life ${life}`)));
      expect(await scanAll(store, ref.ns)).toEqual([]);
      expect(await store.tombstones(ref.ns, 0)).toEqual([]);
      generations.add(ref.generation);
      epochs.add((await store.position(ref.ns)).epoch);
      await store.apply(ref, [put(rowOf('a'), 0), put(rowOf('b')), remove('b')]);
      await store.dropNamespace(ref.ns);
    }
    expect(generations.size).toBe(8);
    // 0 is the epoch of "no such namespace": an image of nothing must notice the difference, too.
    expect(epochs.size).toBe(9);
  });

  test('a blob cannot be replaced through the reference to a dropped namespace', async ({ store }) => {
    const old = await store.createNamespace(idOf('namespace'), bytesOf('same blob'));
    await store.dropNamespace(old.ns);
    expect(await store.replaceNamespace(old, old.blob, bytesOf('late'))).toBe(false);
    expect(await store.getNamespace(old.ns)).toBeUndefined();
    const successor = await store.createNamespace(idOf('namespace'), bytesOf('same blob'));
    expect(await store.replaceNamespace(old, old.blob, bytesOf('late'))).toBe(false);
    expect(plainRecord(await store.getNamespace(successor.ns))).toEqual(plainRecord(successor));
  });
}
