import { expect } from 'vitest';
import { TOMBSTONE_MS } from '../../memory/store.ts';
import { hex, idOf, idsOf, labelled, makeNamespace, put, remove, rowOf, type TestCase } from './harness.ts';

export function tombstoneCases(test: TestCase): void {
  deletionTraceCases(test);
  pruningCases(test);
}

function deletionTraceCases(test: TestCase): void {
  test('a deletion leaves a tombstone that followers of the namespace find', async ({ store }) => {
    const ref = await makeNamespace(store);
    await store.apply(
      ref,
      ['a', 'b', 'c'].map((label) => put(rowOf(label))),
    );
    const before = await store.position(ref.ns);
    const first = await store.apply(ref, [remove('b')]);
    const second = await store.apply(ref, [remove('a')]);
    const stones = await store.tombstones(ref.ns, before.seq);
    expect(stones.map(({ id, seq }) => [hex(id), seq])).toEqual([
      [hex(idOf('b')), first.seq],
      [hex(idOf('a')), second.seq],
    ]);
    expect(idsOf(await store.tombstones(ref.ns, first.seq))).toEqual(labelled('a'));
    expect(await store.tombstones(ref.ns, second.seq)).toEqual([]);
    expect((await store.position(ref.ns)).epoch).toBe(before.epoch);
  });

  test('each deletion of a batch has a tombstone at a position of its own', async ({ store }) => {
    const ref = await makeNamespace(store);
    await store.apply(
      ref,
      ['a', 'b', 'c'].map((label) => put(rowOf(label))),
    );
    const before = await store.position(ref.ns);
    await store.apply(ref, [remove('c'), put(rowOf('d')), remove('a'), remove('b')]);
    const stones = await store.tombstones(ref.ns, before.seq);
    expect(idsOf(stones)).toEqual(labelled('c', 'a', 'b'));
    const seqs = [...stones, (await store.get(ref.ns, idOf('d')))!].map(({ seq }) => seq);
    expect(new Set(seqs).size).toBe(4);
  });

  test('tombstones are read page by page as well, and none is missed between two pages', async ({
    store,
  }) => {
    const ref = await makeNamespace(store);
    const labels = ['a', 'b', 'c', 'd', 'e'];
    await store.apply(
      ref,
      labels.map((label) => put(rowOf(label))),
    );
    await store.apply(
      ref,
      labels.map((label) => remove(label)),
    );
    const read: string[] = [];
    for (let [afterSeq, pages] = [0, 0]; pages < labels.length; pages++) {
      const page = await store.tombstones(ref.ns, afterSeq, 2);
      expect(page.length).toBeLessThanOrEqual(2);
      if (page.length === 0) break;
      read.push(...idsOf(page));
      afterSeq = page.at(-1)!.seq;
    }
    expect(read).toEqual(labelled(...labels));
  });

  test('an update leaves no tombstone', async ({ store }) => {
    const ref = await makeNamespace(store);
    await store.apply(ref, [put(rowOf('a'))]);
    await store.apply(ref, [put(rowOf('a', { rev: 2 }), 1)]);
    expect(await store.tombstones(ref.ns, 0)).toEqual([]);
  });

  test('a deleted parent’s tombstone is there whatever its children leave', async ({ store }) => {
    const ref = await makeNamespace(store);
    await store.apply(ref, [
      put(rowOf('parent')),
      put(rowOf('child', { kind: 'version', group: idOf('parent') })),
    ]);
    await store.apply(ref, [remove('parent')]);
    const ids = idsOf(await store.tombstones(ref.ns, 0));
    expect(ids).toContain(hex(idOf('parent')));
    expect(labelled('parent', 'child')).toEqual(expect.arrayContaining(ids));
  });

  test('a key that was deleted and written again is not hidden by its old tombstone', async ({ store }) => {
    const ref = await makeNamespace(store);
    await store.apply(ref, [put(rowOf('a'))]);
    await store.apply(ref, [remove('a')]);
    await store.apply(ref, [put(rowOf('a'))]);
    await store.apply(ref, [remove('a'), put(rowOf('a'))]);
    const { seq } = (await store.get(ref.ns, idOf('a')))!;
    for (const stone of await store.tombstones(ref.ns, 0)) expect(stone.seq).toBeLessThan(seq);
    const last = await store.apply(ref, [remove('a')]);
    expect((await store.tombstones(ref.ns, 0)).at(-1)).toMatchObject({ seq: last.seq });
    expect(idsOf(await store.tombstones(ref.ns, seq))).toEqual(labelled('a'));
  });
}

function pruningCases(test: TestCase): void {
  test('a tombstone lasts an hour; then a sweep prunes it and tells images to load anew', async (h) => {
    const { store } = h;
    const ref = await makeNamespace(store);
    const other = await makeNamespace(store, 'other');
    await store.apply(ref, [put(rowOf('a')), put(rowOf('b'))]);
    await store.apply(ref, [remove('a')]);
    const before = await store.position(ref.ns);
    const otherBefore = await store.position(other.ns);
    h.advance(TOMBSTONE_MS - 1);
    await store.apply(ref, [remove('b')]);
    await store.sweep(h.now(), 10);
    expect(idsOf(await store.tombstones(ref.ns, 0))).toEqual(labelled('a', 'b'));
    expect((await store.position(ref.ns)).epoch).toBe(before.epoch);
    h.advance(2);
    await store.sweep(h.now(), 10);
    expect(idsOf(await store.tombstones(ref.ns, 0))).toEqual(labelled('b'));
    const after = await store.position(ref.ns);
    expect(after.epoch).not.toBe(before.epoch);
    expect(await store.position(other.ns)).toEqual(otherBefore);
    await store.sweep(h.now(), 10);
    expect(await store.position(ref.ns)).toEqual(after);
  });

  test('old tombstones are pruned although the sweep’s limit was used up by expired rows', async (h) => {
    const ref = await makeNamespace(h.store);
    const expiring = ['a', 'b', 'c'].map((label) => put(rowOf(label, { expiresMs: h.now() })));
    await h.store.apply(ref, [...expiring, put(rowOf('gone')), remove('gone')]);
    h.advance(TOMBSTONE_MS + 1);
    // A limit that never leaves room must not let tombstones pile up for ever.
    for (let i = 0; i < 3; i += 1) await h.store.sweep(h.now(), 1);
    expect(await h.store.tombstones(ref.ns, 0)).toEqual([]);
  });
}
