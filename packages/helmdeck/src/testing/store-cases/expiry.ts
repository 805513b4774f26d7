import { expect } from 'vitest';
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
  usageByKind,
} from './harness.ts';

/** Sweeping expired rows, and usage counters. */
export function expiryCases(test: TestCase): void {
  sweepCases(test);
  usageCases(test);
}

function sweepCases(test: TestCase): void {
  test('a sweep removes a row at the exact millisecond of its expiry and not earlier', async ({
    store,
    now,
  }) => {
    const ref = await makeNamespace(store);
    const row = rowOf('a', { expiresMs: now() + 1_000 });
    await store.apply(ref, [
      put(row),
      put(rowOf('later', { expiresMs: now() + 1_001 })),
      put(rowOf('never')),
    ]);
    expect(await store.sweep(now() + 999, 10)).toEqual([]);
    expect(await store.get(ref.ns, row.id)).toBeDefined();
    const swept = await store.sweep(now() + 1_000, 10);
    expect(swept.map((one) => ({ ...plain(one), ns: hex(one.ns) }))).toEqual([
      { ...plain(row), ns: hex(ref.ns) },
    ]);
    expect(await store.get(ref.ns, row.id)).toBeUndefined();
    expect(idsOf(await scanAll(store, ref.ns))).toEqual(labelled('later', 'never'));
    expect(await store.sweep(now() + 1_000, 10)).toEqual([]);
  });

  test('a renewed row is not swept at its old expiry', async ({ store, now }) => {
    const ref = await makeNamespace(store);
    await store.apply(ref, [
      put(rowOf('a', { expiresMs: now() + 1 })),
      put(rowOf('b', { expiresMs: now() + 1 })),
    ]);
    await store.apply(ref, [put(rowOf('a', { rev: 2, expiresMs: now() + 5 })), put(rowOf('b', { rev: 2 }))]);
    expect(await store.sweep(now() + 4, 10)).toEqual([]);
    expect(idsOf(await store.sweep(now() + 5, 10))).toEqual(labelled('a'));
    expect(idsOf(await scanAll(store, ref.ns))).toEqual(labelled('b'));
  });

  test('sweeps with a limit return every expired row exactly once, and nothing once none is left', async (h) => {
    const { store, now } = h;
    const refs = [await makeNamespace(store, 'one'), await makeNamespace(store, 'two')];
    for (const [n, ref] of refs.entries()) {
      const rows = Array.from({ length: 5 }, (_, i) => rowOf(`row ${n} ${i}`, { expiresMs: now() - i }));
      await store.apply(
        ref,
        [...rows, rowOf(`live ${n}`)].map((row) => put(row)),
      );
    }
    const returned: string[] = [];
    for (const expected of [4, 4, 2, 0]) {
      const swept = await store.sweep(now(), 4);
      expect(swept).toHaveLength(expected);
      for (const row of swept) returned.push(`${hex(row.ns)} ${hex(row.id)}`);
    }
    expect(new Set(returned).size).toBe(10);
    for (const [n, ref] of refs.entries()) {
      expect(returned.filter((one) => one.startsWith(hex(ref.ns)))).toHaveLength(5);
      expect(idsOf(await scanAll(store, ref.ns))).toEqual(labelled(`live ${n}`));
    }
  });

  test('a sweep removes the children of an expired fact without returning them or counting them against its limit', async ({
    store,
    now,
  }) => {
    const ref = await makeNamespace(store);
    const child = (label: string, parent: string) =>
      put(rowOf(label, { kind: 'version', group: idOf(parent) }));
    await store.apply(ref, [
      put(rowOf('expired', { expiresMs: now() })),
      ...['v1', 'v2', 'v3'].map((label) => child(label, 'expired')),
      put(rowOf('live', { expiresMs: now() + 1 })),
      child('live v1', 'live'),
    ]);
    // Children have no expiry of their own: returning them would make a page look full.
    expect(idsOf(await store.sweep(now(), 1))).toEqual(labelled('expired'));
    expect(idsOf(await scanAll(store, ref.ns))).toEqual(labelled('live', 'live v1'));
  });

  test('a sweep removes an expired child and not its parent', async ({ store, now }) => {
    const ref = await makeNamespace(store);
    await store.apply(ref, [
      put(rowOf('parent')),
      put(rowOf('child', { group: idOf('parent'), expiresMs: now() })),
    ]);
    expect(idsOf(await store.sweep(now(), 10))).toEqual(labelled('child'));
    expect(idsOf(await scanAll(store, ref.ns))).toEqual(labelled('parent'));
  });

  test('a sweep changes neither seq nor epoch and leaves no tombstone, because images check expiry themselves', async (h) => {
    const ref = await makeNamespace(h.store);
    await h.store.apply(ref, [put(rowOf('a', { expiresMs: h.now() })), put(rowOf('b'))]);
    const before = await h.store.position(ref.ns);
    expect(await h.store.sweep(h.now(), 10)).toHaveLength(1);
    expect(await h.store.position(ref.ns)).toEqual(before);
    expect(await h.store.tombstones(ref.ns, 0)).toEqual([]);
  });

  test('a swept row that had been rewritten leaves a tombstone, because an image may know a later expiry', async (h) => {
    const ref = await makeNamespace(h.store);
    await h.store.apply(ref, [put(rowOf('a', { expiresMs: h.now() + 60_000 }))]);
    const imageSeq = (await h.store.position(ref.ns)).seq;
    await h.store.apply(ref, [put(rowOf('a', { rev: 2, expiresMs: h.now() }))]);
    const before = await h.store.position(ref.ns);
    await h.store.sweep(h.now(), 10);
    expect(await h.store.position(ref.ns)).toEqual(before);
    expect((await h.store.tombstones(ref.ns, imageSeq)).map(({ id }) => hex(id))).toEqual([hex(idOf('a'))]);
  });

  test('a swept row can be created again', async ({ store, now }) => {
    const ref = await makeNamespace(store);
    await store.apply(ref, [put(rowOf('a', { rev: 4, expiresMs: now() }))]);
    await store.sweep(now(), 10);
    await store.apply(ref, [put(rowOf('a'), 0)]);
    expect((await store.get(ref.ns, idOf('a')))!.rev).toBe(1);
  });
}

function usageCases(test: TestCase): void {
  test('totals are the sums over all namespaces, with expired rows until they are swept', async ({
    store,
    now,
  }, skip) => {
    if (!store.totals) skip('this back-end has no totals');
    expect(await store.totals!()).toEqual({ namespaces: 0, kinds: [] });
    const [one, two] = [await makeNamespace(store, 'one'), await makeNamespace(store, 'two')];
    await store.apply(one, [put(rowOf('a')), put(rowOf('b', { kind: 'note', expiresMs: now() + 1 }))]);
    await store.apply(two, [put(rowOf('c')), put(rowOf('d'))]);
    await store.apply(two, [remove('d')]);
    const counted = async () => {
      const { namespaces, kinds } = await store.totals!();
      return {
        namespaces,
        ...Object.fromEntries(kinds.map(({ kind, rows, bytes }) => [kind, [rows, bytes]])),
      };
    };
    const bytes = rowOf('a').body.length;
    expect(await counted()).toEqual({ namespaces: 2, fact: [2, 2 * bytes], note: [1, bytes] });
    await store.sweep(now() + 1, 10);
    await store.dropNamespace(two.ns);
    expect(await counted()).toEqual({ namespaces: 1, fact: [1, bytes] });
  });

  const sized = (label: string, size: number, over = {}) =>
    put(rowOf(label, { body: new Uint8Array(size), ...over }));

  test('usage counts live rows and body bytes by kind', async ({ store, now }) => {
    const ref = await makeNamespace(store);
    const note = { kind: 'note' } as const;
    await store.apply(ref, [sized('a', 10), sized('b', 0), sized('c', 7, note), sized('d', 8, note)]);
    expect(await usageByKind(store, now(), ref.ns)).toEqual({ fact: [2, 10], note: [2, 15] });
  });

  test('usage excludes a row from the exact millisecond of its expiry, before and after a sweep', async (h) => {
    const ref = await makeNamespace(h.store);
    const at = h.now() + 10;
    await h.store.apply(ref, [
      sized('a', 10, { expiresMs: at }),
      sized('b', 1, { expiresMs: at + 1 }),
      sized('c', 2),
    ]);
    expect(await usageByKind(h.store, at - 1, ref.ns)).toEqual({ fact: [3, 13] });
    expect(await usageByKind(h.store, at, ref.ns)).toEqual({ fact: [2, 3] });
    expect(await usageByKind(h.store, at + 1, ref.ns)).toEqual({ fact: [1, 2] });
    await h.store.sweep(at, 10);
    expect(await usageByKind(h.store, at, ref.ns)).toEqual({ fact: [2, 3] });
    expect(await usageByKind(h.store, at + 1, ref.ns)).toEqual({ fact: [1, 2] });
    await h.store.sweep(at + 1, 10);
    expect(await usageByKind(h.store, at + 1, ref.ns)).toEqual({ fact: [1, 2] });
  });

  test('usage stays exact through update, delete, bulk delete and sweep', async (h) => {
    const { store, now } = h;
    const ref = await makeNamespace(store);
    const usage = () => usageByKind(store, now(), ref.ns);
    await store.apply(ref, [sized('a', 10), sized('b', 20), sized('c', 30, { kind: 'note' })]);
    await store.apply(ref, [sized('a', 15, { rev: 2 }), sized('b', 20, { rev: 2, kind: 'note' })]);
    expect(await usage()).toEqual({ fact: [1, 15], note: [2, 50] });
    await store.apply(ref, [sized('v', 5, { kind: 'version', group: idOf('a') })]);
    await store.apply(ref, [remove('a'), remove('missing')]);
    expect(await usage()).toEqual({ note: [2, 50] });
    await store.apply(ref, [sized('v', 5, { kind: 'version', group: idOf('c') })]);
    await store.apply(ref, [remove('b'), { type: 'deleteWhere', kinds: ['note'] }]);
    expect(await usage()).toEqual({});
    await store.apply(ref, [sized('d', 4, { expiresMs: now() }), sized('e', 6, { expiresMs: now() + 5 })]);
    await store.apply(ref, [sized('v', 5, { kind: 'version', group: idOf('d') })]);
    await store.sweep(now(), 10);
    expect(await usage()).toEqual({ fact: [1, 6] });
    await expect(store.apply(ref, [sized('f', 99), remove('e', 7)])).rejects.toThrow();
    expect(await usage()).toEqual({ fact: [1, 6] });
    await store.apply(ref, [sized('e', 7, { rev: 2, expiresMs: now() + 50 })]);
    h.advance(10);
    expect(await usage()).toEqual({ fact: [1, 7] });
  });

  test('usage of all namespaces lists each of them, and a dropped one no longer', async ({ store, now }) => {
    const [one, two, empty] = [
      await makeNamespace(store, 'one'),
      await makeNamespace(store, 'two'),
      await makeNamespace(store, 'empty'),
    ];
    await store.apply(one, [
      sized('a', 10),
      sized('b', 5, { kind: 'note' }),
      sized('c', 1, { expiresMs: now() }),
    ]);
    await store.apply(two, [put(rowOf('a', { body: bytesOf('four') }))]);
    const all = async () =>
      (await store.usage(now()))
        .filter((usage) => usage.rows > 0)
        .map((usage) => [hex(usage.ns), usage.kind, usage.rows, usage.bytes].join(' '))
        .sort();
    const twos = `${hex(two.ns)} fact 1 4`;
    expect(await all()).toEqual([`${hex(one.ns)} fact 1 10`, `${hex(one.ns)} note 1 5`, twos].sort());
    expect(await usageByKind(store, now(), empty.ns)).toEqual({});
    await store.dropNamespace(one.ns);
    expect(await all()).toEqual([twos]);
    expect(await usageByKind(store, now(), one.ns)).toEqual({});
    const again = await makeNamespace(store, 'one');
    expect(await usageByKind(store, now(), again.ns)).toEqual({});
  });
}
