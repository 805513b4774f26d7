import { expect } from 'vitest';
import { KINDS } from '../../memory/entry.ts';
import {
  BASE_TIME_MS,
  bytesOf,
  hex,
  idOf,
  idsOf,
  labelled,
  makeNamespace,
  type NewRow,
  plain,
  put,
  remove,
  rowOf,
  scanAll,
  type TestCase,
} from './harness.ts';

/** Reading rows back: get, scan, marks and copies of buffers. */
export function readCases(test: TestCase): void {
  roundTripCases(test);
  scanCases(test);
  copyCases(test);
}

/** Rows with extreme values in every column. */
function edgeRows(): NewRow[] {
  const everyByte = Uint8Array.from({ length: 256 }, (_, i) => i);
  return [
    rowOf('plain'),
    rowOf('grouped', { group: idOf('a group') }),
    rowOf('expiring', { expiresMs: BASE_TIME_MS + 1 }),
    rowOf('empty body', { body: new Uint8Array(0) }),
    rowOf('every byte', { body: everyByte }),
    rowOf('100 kB', { body: Uint8Array.from({ length: 100_000 }, (_, i) => (i * 31) % 251) }),
    rowOf('a view into a larger buffer', { body: everyByte.subarray(100, 110) }),
    rowOf('three times', {
      createdMs: BASE_TIME_MS,
      updatedMs: BASE_TIME_MS + 5,
      expiresMs: BASE_TIME_MS + 9,
    }),
    rowOf('time zero', { createdMs: 0, updatedMs: 0, expiresMs: 0 }),
    rowOf('the last date there is', { createdMs: 8.64e15, updatedMs: 8.64e15, expiresMs: 8.64e15 }),
    rowOf('many writes', { rev: 2 ** 40 }),
    ...KINDS.map((kind) => rowOf(`kind ${kind}`, { kind })),
  ];
}

function roundTripCases(test: TestCase): void {
  test('a row is returned with every column as written', async ({ store }) => {
    const ref = await makeNamespace(store);
    const rows = edgeRows();
    await store.apply(
      ref,
      rows.map((row) => put(row)),
    );
    for (const row of rows) {
      const got = await store.get(ref.ns, row.id);
      expect(plain(got!)).toEqual(plain(row));
      expect(Number.isSafeInteger(got!.seq)).toBe(true);
    }
    expect((await scanAll(store, ref.ns)).map(plain)).toEqual(rows.map(plain));
  });

  test('an update replaces every column of a row', async ({ store }) => {
    const ref = await makeNamespace(store);
    await store.apply(ref, [put(rowOf('a', { group: idOf('old'), expiresMs: BASE_TIME_MS + 1 }))]);
    const next = rowOf('a', { kind: 'note', body: bytesOf('new'), rev: 2, createdMs: 7, updatedMs: 8 });
    await store.apply(ref, [put(next)]);
    expect(plain((await store.get(ref.ns, next.id))!)).toEqual(plain(next));
    expect((await scanAll(store, ref.ns)).map(plain)).toEqual([plain(next)]);
    expect(await scanAll(store, ref.ns, { group: idOf('old') })).toEqual([]);
    expect(await scanAll(store, ref.ns, { kinds: ['fact'] })).toEqual([]);
  });

  test('reading an unknown row or namespace returns nothing instead of failing', async ({ store, now }) => {
    const { ns } = await makeNamespace(store);
    for (const unknown of [ns, idOf('no such namespace')]) {
      expect(await store.get(unknown, idOf('a'))).toBeUndefined();
      expect(await store.scan(unknown, { limit: 10 })).toEqual([]);
      expect(await store.tombstones(unknown, 0)).toEqual([]);
      expect(await store.marks(unknown, 'fact', 0, 10)).toEqual([]);
      expect((await store.usage(now(), unknown)).filter((usage) => usage.rows > 0)).toEqual([]);
    }
    expect(await store.position(idOf('no such namespace'))).toEqual({ seq: 0, epoch: 0 });
  });

  test('expired rows are returned until a sweep removes them, because the reader checks expiry', async (h) => {
    const ref = await makeNamespace(h.store);
    const row = rowOf('a', { expiresMs: h.now() + 10 });
    await h.store.apply(ref, [put(row)]);
    h.advance(1_000);
    expect(plain((await h.store.get(ref.ns, row.id))!)).toEqual(plain(row));
    expect((await h.store.scan(ref.ns, { limit: 10 })).map(plain)).toEqual([plain(row)]);
  });

  test('the write probe of a healthy store succeeds and leaves nothing visible', async ({ store, now }) => {
    const ref = await makeNamespace(store);
    const before = await store.position(ref.ns);
    await store.probe();
    await store.probe();
    expect(await store.position(ref.ns)).toEqual(before);
    expect(idsOf((await store.listNamespaces(10)).map(({ ns }) => ({ id: ns })))).toEqual([hex(ref.ns)]);
    expect((await store.usage(now())).filter((usage) => usage.rows > 0)).toEqual([]);
  });
}

function scanCases(test: TestCase): void {
  test('marks lists seq and id of every row of a kind, page by page, without deleted rows', async ({
    store,
  }) => {
    const ref = await makeNamespace(store);
    const labels = ['a', 'b', 'c', 'd'];
    await store.apply(ref, [...labels.map((label) => put(rowOf(label))), put(rowOf('n', { kind: 'note' }))]);
    await store.apply(ref, [remove('b'), put(rowOf('a', { rev: 2 }))]);
    const rows = await scanAll(store, ref.ns, { kinds: ['fact'] });
    const marks = rows.map(({ seq, id }) => ({ seq, idStart: Buffer.from(id).readUIntBE(0, 6) }));
    expect(idsOf(rows)).toEqual(labelled('c', 'd', 'a'));
    expect(await store.marks(ref.ns, 'fact', 0, 10)).toEqual(marks);
    expect(await store.marks(ref.ns, 'fact', 0, 2)).toEqual(marks.slice(0, 2));
    expect(await store.marks(ref.ns, 'fact', marks[1]!.seq, 10)).toEqual(marks.slice(2));
    expect(await store.marks(ref.ns, 'note', 0, 10)).toHaveLength(1);
  });

  test('scan filters by kind, by group and by both', async ({ store }) => {
    const ref = await makeNamespace(store);
    const group = idOf('group');
    await store.apply(ref, [
      put(rowOf('fact')),
      put(rowOf('fact in group', { group })),
      put(rowOf('note in group', { kind: 'note', group })),
      put(rowOf('cache', { kind: 'cache' })),
      put(rowOf('note in another', { kind: 'note', group: idOf('another') })),
    ]);
    const found = async (options: Parameters<typeof scanAll>[2]) =>
      idsOf(await scanAll(store, ref.ns, options));
    expect(await found({ kinds: ['fact'] })).toEqual(labelled('fact', 'fact in group'));
    expect(await found({ kinds: ['cache', 'note'] })).toEqual(
      labelled('note in group', 'cache', 'note in another'),
    );
    expect(await found({ group })).toEqual(labelled('fact in group', 'note in group'));
    expect(await found({ kinds: ['note', 'cache'], group })).toEqual(labelled('note in group'));
    expect(await found({ kinds: ['job'] })).toEqual([]);
    expect(await found({ group: idOf('unused') })).toEqual([]);
    // An empty list of kinds must not mean every kind.
    expect(await found({ kinds: [] })).toEqual([]);
  });

  test('scan orders rows by last change, so an updated row moves to the end', async ({ store }) => {
    const ref = await makeNamespace(store);
    for (const label of ['c', 'a', 'b']) await store.apply(ref, [put(rowOf(label))]);
    await store.apply(ref, [put(rowOf('c', { rev: 2 }))]);
    expect(idsOf(await store.scan(ref.ns, { limit: 10 }))).toEqual(labelled('a', 'b', 'c'));
    expect(idsOf(await store.scan(ref.ns, { limit: 10, newestFirst: true }))).toEqual(
      labelled('c', 'b', 'a'),
    );
  });

  test('a row that is rewritten 500 times does not hide other rows from a scan', async ({ store }) => {
    const ref = await makeNamespace(store);
    const labels = Array.from({ length: 150 }, (_, i) => `row ${i}`);
    await store.apply(
      ref,
      labels.map((label) => put(rowOf(label))),
    );
    for (let rev = 1; rev <= 500; rev += 25) {
      const writes = Array.from({ length: 25 }, (_, i) => put(rowOf('busy', { rev: rev + i })));
      await store.apply(ref, writes);
      expect(idsOf(await scanAll(store, ref.ns))).toEqual(labelled(...labels, 'busy'));
    }
    expect((await store.get(ref.ns, idOf('busy')))!.rev).toBe(500);
  });

  test('scan returns the rows after a seq, or newest first before a seq', async ({ store }) => {
    const ref = await makeNamespace(store);
    for (const label of ['a', 'b', 'c', 'd']) await store.apply(ref, [put(rowOf(label))]);
    const [a, b, c, d] = await store.scan(ref.ns, { limit: 10 });
    expect(idsOf(await store.scan(ref.ns, { afterSeq: b!.seq, limit: 10 }))).toEqual(labelled('c', 'd'));
    expect(idsOf(await store.scan(ref.ns, { afterSeq: 0, limit: 10 }))).toEqual(labelled('a', 'b', 'c', 'd'));
    expect(await store.scan(ref.ns, { afterSeq: d!.seq, limit: 10 })).toEqual([]);
    const newest = { newestFirst: true, limit: 10 };
    expect(idsOf(await store.scan(ref.ns, { ...newest, beforeSeq: c!.seq }))).toEqual(labelled('b', 'a'));
    expect(await store.scan(ref.ns, { ...newest, beforeSeq: a!.seq })).toEqual([]);
    expect(idsOf(await store.scan(ref.ns, { newestFirst: true, limit: 1 }))).toEqual(labelled('d'));
    await store.apply(ref, [put(rowOf('a', { rev: 2 }))]);
    expect(idsOf(await store.scan(ref.ns, { afterSeq: d!.seq, limit: 10 }))).toEqual(labelled('a'));
  });

  test('paging through a scan visits every row exactly once, in both directions and with filters', async ({
    store,
  }) => {
    const ref = await makeNamespace(store);
    const group = idOf('group');
    const labels = Array.from({ length: 25 }, (_, i) => `row ${i}`);
    await store.apply(
      ref,
      labels.map((label, i) =>
        put(rowOf(label, { kind: i % 2 ? 'note' : 'fact', group: i % 3 ? group : null })),
      ),
    );
    for (const limit of [1, 5, 7, 25, 26]) {
      const all = idsOf(await scanAll(store, ref.ns, {}, limit));
      expect(all).toEqual(labelled(...labels));
      expect(idsOf(await scanAll(store, ref.ns, { newestFirst: true }, limit))).toEqual(all.toReversed());
      const notes = labels.filter((_, i) => i % 2 && i % 3);
      expect(idsOf(await scanAll(store, ref.ns, { kinds: ['note'], group }, limit))).toEqual(
        labelled(...notes),
      );
    }
  });
}

function copyCases(test: TestCase): void {
  test('stored data is unaffected when a caller wipes or reuses its buffers', async (h) => {
    const { store } = h;
    const blob = bytesOf('blob');
    const ns = idOf('namespace');
    const ref = await store.createNamespace(ns, blob);
    const row = rowOf('a', { group: idOf('group'), expiresMs: h.now() });
    const expected = plain(row);
    await store.apply({ ns, generation: ref.generation }, [put(row)]);
    const wipe = (...all: (Uint8Array | null)[]) => {
      for (const bytes of all) bytes?.fill(0xee);
    };
    wipe(row.id, row.group, row.body, blob, ns, ref.ns, ref.blob);
    const home = idOf('namespace');
    const got = (await store.get(home, idOf('a')))!;
    expect(plain(got)).toEqual(expected);
    wipe(got.id, got.group, got.body);
    for (const scanned of await store.scan(home, { limit: 1 })) wipe(scanned.id, scanned.group, scanned.body);
    const record = (await store.getNamespace(home))!;
    expect(hex(record.blob)).toBe(hex(bytesOf('blob')));
    wipe(record.ns, record.blob);
    for (const listed of await store.listNamespaces(1)) wipe(listed.ns, listed.blob);
    for (const usage of await store.usage(0)) wipe(usage.ns);
    expect((await store.scan(home, { group: idOf('group'), limit: 5 })).map(plain)).toEqual([expected]);
    expect((await store.listNamespaces(1)).map(({ ns, blob }) => [hex(ns), hex(blob)])).toEqual([
      [hex(home), hex(bytesOf('blob'))],
    ]);
    const swept = await store.sweep(h.now(), 10);
    expect(swept.map((one) => ({ ...plain(one), ns: hex(one.ns) }))).toEqual([
      { ...expected, ns: hex(home) },
    ]);
  });
}
