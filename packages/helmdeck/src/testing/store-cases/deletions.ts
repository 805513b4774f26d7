import { expect } from 'vitest';
import type { NamespaceRef, Op, Store } from '../../memory/store.ts';
import {
  idOf,
  idsOf,
  labelled,
  makeNamespace,
  put,
  remove,
  rowOf,
  scanAll,
  type TestCase,
} from './harness.ts';

/** Single deletes, bulk deletes, and children that are deleted with their parent. */
export function deletionCases(test: TestCase): void {
  deleteCases(test);
  deleteWhereCases(test);
  childCases(test);
}

const child = (label: string, parent: string, over = {}) =>
  put(rowOf(label, { kind: 'version', group: idOf(parent), ...over }));

async function remaining(store: Store, ref: NamespaceRef): Promise<string[]> {
  return idsOf(await scanAll(store, ref.ns)).sort();
}

function deleteCases(test: TestCase): void {
  test('a deleted row disappears from every read and its neighbours stay', async ({ store }) => {
    const ref = await makeNamespace(store);
    const group = idOf('group');
    await store.apply(
      ref,
      ['a', 'b', 'c'].map((label) => put(rowOf(label, { group }))),
    );
    expect((await store.apply(ref, [remove('b')])).deleted).toBe(1);
    expect(await store.get(ref.ns, idOf('b'))).toBeUndefined();
    expect(await remaining(store, ref)).toEqual(labelled('a', 'c').sort());
    expect(idsOf(await scanAll(store, ref.ns, { group }))).toEqual(labelled('a', 'c'));
    expect(idsOf(await scanAll(store, ref.ns, { kinds: ['fact'], newestFirst: true }))).toEqual(
      labelled('c', 'a'),
    );
  });

  test('deleting a row that does not exist succeeds, counts 0 and leaves no tombstone', async ({ store }) => {
    const ref = await makeNamespace(store);
    await store.apply(ref, [put(rowOf('a'))]);
    const before = await store.position(ref.ns);
    const applied = await store.apply(ref, [remove('missing'), remove('missing')]);
    expect(applied.deleted).toBe(0);
    const after = await store.position(ref.ns);
    expect(after).toEqual({ seq: applied.seq, epoch: before.epoch });
    expect(after.seq).toBeGreaterThanOrEqual(before.seq);
    expect(await store.tombstones(ref.ns, 0)).toEqual([]);
    expect(await remaining(store, ref)).toEqual(labelled('a'));
  });
}

function deleteWhereCases(test: TestCase): void {
  const group = idOf('group');
  const fill = async (store: Store) => {
    const ref = await makeNamespace(store);
    await store.apply(ref, [
      put(rowOf('fact')),
      put(rowOf('fact in group', { group })),
      put(rowOf('note', { kind: 'note' })),
      put(rowOf('note in group', { kind: 'note', group })),
      put(rowOf('cache elsewhere', { kind: 'cache', group: idOf('elsewhere') })),
    ]);
    return ref;
  };
  const everything = ['fact', 'fact in group', 'note', 'note in group', 'cache elsewhere'];
  const cases: [string, Omit<Extract<Op, { type: 'deleteWhere' }>, 'type'>, string[]][] = [
    ['by kind', { kinds: ['note'] }, ['note', 'note in group']],
    ['by several kinds', { kinds: ['note', 'cache'] }, ['note', 'note in group', 'cache elsewhere']],
    ['by group', { group }, ['fact in group', 'note in group']],
    ['by kind and group at once', { kinds: ['note', 'cache'], group }, ['note in group']],
    ['of everything', {}, everything],
    ['of no kind at all', { kinds: [] }, []],
    ['of a kind that has no rows', { kinds: ['job'] }, []],
    ['of a group that has no rows', { group: idOf('unused') }, []],
  ];
  for (const [title, where, victims] of cases) {
    test(`a bulk delete ${title} deletes exactly the matching rows`, async ({ store }) => {
      const ref = await fill(store);
      const before = await store.position(ref.ns);
      const applied = await store.apply(ref, [{ type: 'deleteWhere', ...where }]);
      expect(applied.deleted).toBe(victims.length);
      expect(await remaining(store, ref)).toEqual(
        labelled(...everything.filter((label) => !victims.includes(label))).sort(),
      );
      for (const label of victims) expect(await store.get(ref.ns, idOf(label))).toBeUndefined();
      const after = await store.position(ref.ns);
      expect(after.seq).toBe(applied.seq);
      expect(after.seq).toBeGreaterThanOrEqual(before.seq);
      // Images must reload exactly when rows were removed without tombstones.
      if (victims.length > 0) expect(after.epoch).not.toBe(before.epoch);
      else expect(after.epoch).toBe(before.epoch);
      expect(await store.tombstones(ref.ns, 0)).toEqual([]);
    });
  }

  test('a bulk delete with a limit deletes at most that many rows and 0 once none is left', async ({
    store,
  }) => {
    for (const [where, victims] of [
      [{}, everything.length],
      [{ kinds: ['fact', 'note'] as const }, 4],
      [{ group }, 2],
    ] as const) {
      const ref = await fill(store);
      for (let left: number = victims; left > 0; left -= 2) {
        const before = await store.position(ref.ns);
        const applied = await store.apply(ref, [{ type: 'deleteWhere', ...where, limit: 2 }]);
        expect(applied.deleted).toBe(Math.min(2, left));
        expect((await store.position(ref.ns)).epoch).not.toBe(before.epoch);
      }
      expect((await store.apply(ref, [{ type: 'deleteWhere', ...where, limit: 2 }])).deleted).toBe(0);
      expect(await scanAll(store, ref.ns)).toHaveLength(everything.length - victims);
      expect(await store.dropNamespace(ref.ns)).toBe(everything.length - victims);
    }
  });

  test('a bulk delete with a limit counts parents and their children so that a caller does not stop early', async ({
    store,
  }) => {
    const ref = await makeNamespace(store);
    for (let i = 0; i < 6; i += 1) {
      await store.apply(ref, [put(rowOf(`p${i}`)), child(`c${i}`, `p${i}`), child(`d${i}`, `p${i}`)]);
    }
    // Forget repeats while a chunk is full; not counting a matched child would end it too early.
    for (let deleted = 3; deleted === 3; ) {
      ({ deleted } = await store.apply(ref, [{ type: 'deleteWhere', kinds: ['fact', 'version'], limit: 3 }]));
      expect(deleted).toBeLessThanOrEqual(3);
    }
    expect(await remaining(store, ref)).toEqual([]);
  });

  test('a second bulk delete of everything counts 0 and leaves the epoch unchanged', async ({ store }) => {
    const ref = await fill(store);
    const applied = await store.apply(ref, [{ type: 'deleteWhere' }, { type: 'deleteWhere' }]);
    expect(applied.deleted).toBe(everything.length);
    const before = await store.position(ref.ns);
    expect((await store.apply(ref, [{ type: 'deleteWhere' }])).deleted).toBe(0);
    expect((await store.position(ref.ns)).epoch).toBe(before.epoch);
  });
}

function childCases(test: TestCase): void {
  const family = async (store: Store) => {
    const ref = await makeNamespace(store);
    await store.apply(ref, [
      put(rowOf('parent', { group: idOf('category') })),
      child('child 1', 'parent'),
      child('child 2', 'parent', { kind: 'vector' }),
      put(rowOf('other', { kind: 'note' })),
      child('other’s child', 'other'),
    ]);
    return ref;
  };
  const survivors = labelled('other', 'other’s child').sort();

  test('deleting a fact deletes its own children and no others', async ({ store }) => {
    const ref = await family(store);
    const { epoch } = await store.position(ref.ns);
    expect((await store.apply(ref, [remove('parent', 1)])).deleted).toBe(1);
    expect(await remaining(store, ref)).toEqual(survivors);
    expect(await store.get(ref.ns, idOf('child 1'))).toBeUndefined();
    expect((await store.position(ref.ns)).epoch).toBe(epoch);
  });

  for (const [title, where] of [
    ['kind', { kinds: ['fact'] as const }],
    ['group', { group: idOf('category') }],
    ['kind and group', { kinds: ['fact', 'note'] as const, group: idOf('category') }],
  ] as const) {
    test(`a bulk delete by ${title} deletes the children of the facts it matches`, async ({ store }) => {
      const ref = await family(store);
      expect((await store.apply(ref, [{ type: 'deleteWhere', ...where }])).deleted).toBe(1);
      expect(await remaining(store, ref)).toEqual(survivors);
    });
  }

  test('a bulk delete by the id of a parent as group deletes its children and not the parent', async ({
    store,
  }) => {
    const ref = await family(store);
    expect((await store.apply(ref, [{ type: 'deleteWhere', group: idOf('parent') }])).deleted).toBe(2);
    expect(await remaining(store, ref)).toEqual([...labelled('parent'), ...survivors].sort());
  });

  test('deleting a row deletes its grandchildren, which have no expiry that would remove them', async ({
    store,
  }) => {
    const ref = await makeNamespace(store);
    await store.apply(ref, [put(rowOf('parent')), child('middle', 'parent'), child('leaf', 'middle')]);
    await store.apply(ref, [remove('parent')]);
    expect(await remaining(store, ref)).toEqual([]);
  });

  test('deleting a child deletes neither its parent nor its siblings', async ({ store }) => {
    const ref = await family(store);
    await store.apply(ref, [remove('child 1')]);
    expect(await remaining(store, ref)).toEqual([...labelled('parent', 'child 2'), ...survivors].sort());
  });

  test('an updated parent keeps its children, and a child moved to another parent is deleted with that one', async ({
    store,
  }) => {
    const ref = await family(store);
    await store.apply(ref, [put(rowOf('parent', { rev: 2 })), child('child 1', 'other', { rev: 2 })]);
    await store.apply(ref, [remove('parent')]);
    expect(await remaining(store, ref)).toEqual([...labelled('child 1'), ...survivors].sort());
    await store.apply(ref, [remove('other')]);
    expect(await remaining(store, ref)).toEqual([]);
  });

  test('a child written in the batch that deletes its parent survives only if it is written after the deletion', async ({
    store,
  }) => {
    const ref = await makeNamespace(store);
    await store.apply(ref, [
      put(rowOf('parent')),
      child('early', 'parent'),
      remove('parent'),
      child('late', 'parent'),
    ]);
    expect(await remaining(store, ref)).toEqual(labelled('late'));
  });
}
