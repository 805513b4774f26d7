import { expect } from 'vitest';
import type { NamespaceRef, Op, Store } from '../../memory/store.ts';
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
  REV_CONFLICT,
  remove,
  rowOf,
  scanAll,
  type TestCase,
} from './harness.ts';

/** Atomic batches: seq, preconditions, atomicity, namespaces that are gone. */
export function batchCases(test: TestCase): void {
  seqCases(test);
  preconditionCases(test);
  atomicityCases(test);
  goneCases(test);
}

function seqCases(test: TestCase): void {
  test('every put and delete increases the seq of the namespace', async ({ store }) => {
    const ref = await makeNamespace(store);
    let { seq } = await store.position(ref.ns);
    const steps: Op[] = [
      put(rowOf('a')),
      put(rowOf('a', { rev: 2 })),
      put(rowOf('b')),
      remove('a'),
      put(rowOf('a')),
    ];
    for (const op of steps) {
      const applied = await store.apply(ref, [op]);
      expect(applied.seq).toBeGreaterThan(seq);
      seq = applied.seq;
      expect((await store.position(ref.ns)).seq).toBe(seq);
      if (op.type === 'put') expect((await store.get(ref.ns, op.row.id))!.seq).toBe(seq);
    }
  });

  test('each row of a batch gets its own seq, in the order of the batch', async ({ store }) => {
    const ref = await makeNamespace(store);
    const labels = ['z', 'm', 'a', 'q'];
    const applied = await store.apply(
      ref,
      labels.map((label) => put(rowOf(label))),
    );
    const rows = await store.scan(ref.ns, { limit: 10 });
    expect(idsOf(rows)).toEqual(labelled(...labels));
    expect(new Set(rows.map((row) => row.seq)).size).toBe(labels.length);
    expect(applied).toEqual({ seq: rows.at(-1)!.seq, deleted: 0 });
  });

  test('a seq is never reused, even after the newest row is deleted', async ({ store }) => {
    const ref = await makeNamespace(store);
    const seen = new Set<number>();
    for (let round = 0; round < 5; round += 1) {
      await store.apply(ref, [put(rowOf('a'))]);
      const { seq } = (await store.get(ref.ns, idOf('a')))!;
      expect(Math.max(0, ...seen)).toBeLessThan(seq);
      seen.add(seq);
      // Both ways of deleting, so that neither resets the seq.
      await store.apply(ref, [round % 2 ? { type: 'deleteWhere' } : remove('a')]);
      seen.add((await store.position(ref.ns)).seq);
    }
  });

  test('an empty batch changes nothing', async ({ store }) => {
    const ref = await makeNamespace(store);
    await store.apply(ref, [put(rowOf('a'))]);
    const before = await store.position(ref.ns);
    expect(await store.apply(ref, [])).toEqual({ seq: before.seq, deleted: 0 });
    expect(await store.position(ref.ns)).toEqual(before);
  });
}

/** Expects a revision conflict that leaves the namespace unchanged. */
async function expectRevConflict(store: Store, ref: NamespaceRef, ops: readonly Op[]): Promise<void> {
  const before = { rows: (await scanAll(store, ref.ns)).map(plain), position: await store.position(ref.ns) };
  await expect(store.apply(ref, ops)).rejects.toMatchObject(REV_CONFLICT);
  expect({ rows: (await scanAll(store, ref.ns)).map(plain), position: await store.position(ref.ns) }).toEqual(
    before,
  );
}

function preconditionCases(test: TestCase): void {
  test('a put that expects revision 0 succeeds only while the row does not exist', async ({ store }) => {
    const ref = await makeNamespace(store);
    await store.apply(ref, [put(rowOf('a'), 0)]);
    await expectRevConflict(store, ref, [put(rowOf('a', { body: bytesOf('second') }), 0)]);
    await store.apply(ref, [remove('a')]);
    await store.apply(ref, [put(rowOf('a', { body: bytesOf('third') }), 0)]);
    expect(hex((await store.get(ref.ns, idOf('a')))!.body)).toBe(hex(bytesOf('third')));
  });

  test('a put that expects an outdated revision fails and overwrites nothing', async ({ store }) => {
    const ref = await makeNamespace(store);
    await expectRevConflict(store, ref, [put(rowOf('a'), 1)]);
    await store.apply(ref, [put(rowOf('a', { rev: 3 }))]);
    for (const wrong of [0, 1, 2, 4])
      await expectRevConflict(store, ref, [put(rowOf('a', { rev: 9 }), wrong)]);
    await store.apply(ref, [put(rowOf('a', { rev: 4 }), 3)]);
    expect((await store.get(ref.ns, idOf('a')))!.rev).toBe(4);
  });

  test('a delete that expects an outdated revision fails and deletes nothing', async ({ store }) => {
    const ref = await makeNamespace(store);
    await expectRevConflict(store, ref, [remove('a', 1)]);
    expect((await store.apply(ref, [remove('a', 0)])).deleted).toBe(0);
    await store.apply(ref, [put(rowOf('a', { rev: 3 }))]);
    for (const wrong of [0, 1, 2, 4]) await expectRevConflict(store, ref, [remove('a', wrong)]);
    expect(await store.tombstones(ref.ns, 0)).toEqual([]);
    expect((await store.apply(ref, [remove('a', 3)])).deleted).toBe(1);
    expect(await store.get(ref.ns, idOf('a'))).toBeUndefined();
  });

  test('an expired row retains its revision until a sweep removes it', async (h) => {
    const ref = await makeNamespace(h.store);
    await h.store.apply(ref, [put(rowOf('a', { rev: 2, expiresMs: h.now() }))]);
    h.advance(1_000);
    await expectRevConflict(h.store, ref, [put(rowOf('a', { rev: 3 }), 0)]);
    await h.store.apply(ref, [put(rowOf('a', { rev: 3 }), 2)]);
    expect((await h.store.get(ref.ns, idOf('a')))!.rev).toBe(3);
  });

  test('preconditions are checked against the state before the batch, whatever its earlier ops do', async ({
    store,
  }) => {
    const ref = await makeNamespace(store);
    // Both expect no row before the batch, which is true although the first op creates it.
    await store.apply(ref, [put(rowOf('a'), 0), put(rowOf('a', { rev: 2 }), 0)]);
    expect((await store.get(ref.ns, idOf('a')))!.rev).toBe(2);
    await expectRevConflict(store, ref, [remove('a', 2), put(rowOf('a'), 0)]);
    await expectRevConflict(store, ref, [{ type: 'deleteWhere' }, put(rowOf('a'), 0)]);
    await store.apply(ref, [{ type: 'deleteWhere' }, put(rowOf('a', { rev: 3 }), 2)]);
    expect((await store.get(ref.ns, idOf('a')))!.rev).toBe(3);
  });
}

function atomicityCases(test: TestCase): void {
  test('a batch with one failed precondition writes nothing, wherever in the batch the failed op is', async ({
    store,
  }) => {
    const ref = await makeNamespace(store);
    await store.apply(ref, [put(rowOf('a')), put(rowOf('b')), put(rowOf('child', { group: idOf('b') }))]);
    const good: Op[] = [
      put(rowOf('new')),
      put(rowOf('a', { rev: 2 }), 1),
      remove('b'),
      { type: 'deleteWhere', kinds: ['fact'] },
    ];
    for (let at = 0; at <= good.length; at += 1) {
      await expectRevConflict(store, ref, good.toSpliced(at, 0, put(rowOf('a', { rev: 2 }), 7)));
      await expectRevConflict(store, ref, good.toSpliced(at, 0, remove('missing', 7)));
    }
    expect(await store.tombstones(ref.ns, 0)).toEqual([]);
    expect((await store.apply(ref, good)).deleted).toBeGreaterThan(0);
  });

  test('a batch writes a fact, its version row and its receipt together', async ({ store }) => {
    const ref = await makeNamespace(store);
    await store.apply(ref, [put(rowOf('fact'))]);
    const fact = rowOf('fact', { rev: 2, body: bytesOf('new value') });
    const version = rowOf('version', { kind: 'version', group: fact.id });
    const receipt = rowOf('receipt', { kind: 'idempotency' });
    await store.apply(ref, [put(version, 0), put(fact, 1), put(receipt, 0), remove('missing')]);
    expect((await scanAll(store, ref.ns)).map(plain)).toEqual([version, fact, receipt].map(plain));
  });

  test('the ops of a batch take effect in order', async ({ store }) => {
    const ref = await makeNamespace(store);
    const ids = async () => idsOf(await scanAll(store, ref.ns));
    await store.apply(ref, [put(rowOf('a')), put(rowOf('b'))]);
    await store.apply(ref, [{ type: 'deleteWhere' }, put(rowOf('c'))]);
    expect(await ids()).toEqual(labelled('c'));
    expect((await store.apply(ref, [put(rowOf('d')), { type: 'deleteWhere' }])).deleted).toBe(2);
    expect(await ids()).toEqual([]);
    expect((await store.apply(ref, [put(rowOf('e')), remove('e')])).deleted).toBe(1);
    expect(await ids()).toEqual([]);
    await store.apply(ref, [put(rowOf('f')), remove('f'), put(rowOf('f', { rev: 2 })), put(rowOf('g'))]);
    expect(await ids()).toEqual(labelled('f', 'g'));
  });

  test('a batch of 2,000 rows is stored completely', async ({ store, now }) => {
    const ref = await makeNamespace(store);
    const rows = Array.from({ length: 2_000 }, (_, i) => rowOf(`row ${i}`));
    await store.apply(
      ref,
      rows.map((row) => put(row, 0)),
    );
    expect((await scanAll(store, ref.ns, {}, 500)).map(plain)).toEqual(rows.map(plain));
    expect((await store.usage(now(), ref.ns))[0]!.rows).toBe(2_000);
    const all = { type: 'deleteWhere' } as const;
    expect((await store.apply(ref, [all])).deleted).toBe(2_000);
  });
}

function goneCases(test: TestCase): void {
  test('a write to a namespace that was never created fails as gone', async ({ store }) => {
    const ref = { ns: idOf('never created'), generation: 1 };
    for (const ops of [[put(rowOf('a'))], [remove('a')], []]) {
      await expect(store.apply(ref, ops)).rejects.toMatchObject(GONE);
    }
    expect(await store.get(ref.ns, idOf('a'))).toBeUndefined();
    expect(await store.getNamespace(ref.ns)).toBeUndefined();
  });

  test('a write that arrives after its namespace was dropped fails and does not recreate it', async ({
    store,
    now,
  }) => {
    const ref = await makeNamespace(store);
    await store.apply(ref, [put(rowOf('a'))]);
    await store.dropNamespace(ref.ns);
    await expect(store.apply(ref, [put(rowOf('b'))])).rejects.toMatchObject(GONE);
    expect(await scanAll(store, ref.ns)).toEqual([]);
    expect(await store.usage(now())).toEqual([]);
  });

  test('a write with the generation of a dropped namespace fails in its successor', async ({ store }) => {
    const old = await makeNamespace(store);
    await store.dropNamespace(old.ns);
    const successor = await makeNamespace(store);
    await store.apply(successor, [put(rowOf('a', { rev: 5 }))]);
    // Gone takes precedence over a revision conflict: a caller must know that its keys are dead before it retries.
    const late = [put(rowOf('b')), put(rowOf('a'), 1), { type: 'deleteWhere' } as const];
    for (const op of late) await expect(store.apply(old, [op])).rejects.toMatchObject(GONE);
    expect(idsOf(await scanAll(store, successor.ns))).toEqual(labelled('a'));
  });
}
