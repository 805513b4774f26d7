import { expect } from 'vitest';
import { TOMBSTONE_MS } from '../../memory/store.ts';
import { hex, idOf, idsOf, labelled, makeNamespace, put, remove, rowOf, type TestCase } from './harness.ts';

/** Tombstones of deletions, and how long they last. */
export function tombstoneCases(test: TestCase): void {
  deletionTraceCases(test);
  pruningCases(test);
}

function deletionTraceCases(test: TestCase): void {
  test('a deletion leaves a tombstone at its seq', async ({ store }) => {
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

  test('each deletion in a batch leaves a tombstone with its own seq', async ({ store }) => {
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

  test('paging through tombstones misses none', async ({ store }) => {
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

  test('deleting a parent leaves its tombstone, and none of unrelated rows', async ({ store }) => {
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

  test('the tombstone of a row that was written again has a lower seq than the row', async ({ store }) => {
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
  test('a sweep prunes a tombstone after an hour and changes the epoch, so that images reload', async (h) => {
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

  test('a sweep prunes old tombstones even if expired rows use up its limit', async (h) => {
    const ref = await makeNamespace(h.store);
    const expiring = ['a', 'b', 'c'].map((label) => put(rowOf(label, { expiresMs: h.now() })));
    await h.store.apply(ref, [...expiring, put(rowOf('gone')), remove('gone')]);
    h.advance(TOMBSTONE_MS + 1);
    // A limit that is always used up must not let tombstones accumulate.
    for (let i = 0; i < 3; i += 1) await h.store.sweep(h.now(), 1);
    expect(await h.store.tombstones(ref.ns, 0)).toEqual([]);
  });
}
