import { expect } from 'vitest';
import type { NamespaceRecord, Store } from '../../memory/store.ts';
import {
  bytesOf,
  GONE,
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
  usageByKind,
} from './harness.ts';

/** Namespaces never affect each other, and ids are opaque bytes. */
export function isolationCases(test: TestCase): void {
  tenantCases(test);
  hostileCases(test);
}

/** Two namespaces with rows of the same ids and groups. */
async function twins(store: Store): Promise<[NamespaceRecord, NamespaceRecord]> {
  const pair: [NamespaceRecord, NamespaceRecord] = [
    await makeNamespace(store, 'mine'),
    await makeNamespace(store, 'yours'),
  ];
  for (const [i, ref] of pair.entries()) {
    await store.apply(ref, [
      put(rowOf('a', { body: bytesOf(`a of ${i}`) })),
      put(rowOf('v', { kind: 'version', group: idOf('a'), body: bytesOf(`v of ${i}`) })),
    ]);
  }
  return pair;
}

function tenantCases(test: TestCase): void {
  test('rows of one namespace never appear in another, even with the same ids', async ({ store, now }) => {
    const pair = await twins(store);
    for (const [i, ref] of pair.entries()) {
      const bodies = [`a of ${i}`, `v of ${i}`].map((text) => hex(bytesOf(text)));
      expect(hex((await store.get(ref.ns, idOf('a')))!.body)).toBe(bodies[0]);
      expect((await scanAll(store, ref.ns)).map((row) => hex(row.body))).toEqual(bodies);
      expect((await scanAll(store, ref.ns, { group: idOf('a') })).map((row) => hex(row.body))).toEqual([
        bodies[1],
      ]);
      expect(await usageByKind(store, now(), ref.ns)).toEqual({ fact: [1, 6], version: [1, 6] });
    }
  });

  for (const [title, op] of [
    ['an update', put(rowOf('a', { rev: 2, body: bytesOf('changed') }), 1)],
    ['a delete with its children', remove('a')],
    ['a bulk delete', { type: 'deleteWhere' }],
    ['a bulk delete by group', { type: 'deleteWhere', group: idOf('a') }],
  ] as const) {
    test(`${title} in one namespace leaves another namespace unchanged`, async ({ store }) => {
      const [mine, yours] = await twins(store);
      const before = {
        rows: (await scanAll(store, yours.ns)).map(plain),
        position: await store.position(yours.ns),
      };
      await store.apply(mine, [op]);
      expect({
        rows: (await scanAll(store, yours.ns)).map(plain),
        position: await store.position(yours.ns),
      }).toEqual(before);
      expect(await store.tombstones(yours.ns, 0)).toEqual([]);
    });
  }

  test('sweeping an expired fact removes no rows of another namespace', async ({ store, now }) => {
    const [mine, yours] = await twins(store);
    await store.apply(mine, [put(rowOf('a', { rev: 2, expiresMs: now() }))]);
    const swept = await store.sweep(now(), 10);
    expect(swept.map(({ ns }) => hex(ns))).toEqual([hex(mine.ns)]);
    expect(await scanAll(store, mine.ns)).toEqual([]);
    expect(idsOf(await scanAll(store, yours.ns))).toEqual(labelled('a', 'v'));
  });

  test('a write with the generation of another namespace fails', async ({ store }) => {
    const [mine, yours] = await twins(store);
    const forged = { ns: yours.ns, generation: mine.generation };
    await expect(store.apply(forged, [{ type: 'deleteWhere' }])).rejects.toMatchObject(GONE);
    expect(idsOf(await scanAll(store, yours.ns))).toEqual(labelled('a', 'v'));
  });
}

const sixteen = (...pattern: number[]) =>
  Uint8Array.from({ length: 16 }, (_, i) => pattern[i % pattern.length]!);
const text = (pattern: string) => sixteen(...bytesOf(pattern));

/** Ids of 16 bytes that a back-end could mistake for a wildcard, quote, terminator, separator or invalid text. */
const HOSTILE: readonly Uint8Array[] = [
  sixteen(0x00),
  sixteen(0xff),
  text('%'),
  text('_'),
  text('*'),
  text('?'),
  text('[a-z]'),
  text("'"),
  text('"'),
  text("'; DROP TABLE --"),
  text('\\'),
  text(':'),
  text('{a}'),
  text('\r\n'),
  text(' '),
  text('$1'),
  // The same letters in another case, and the same prefix up to a NUL.
  text('abcdefgh'),
  text('ABCDEFGH'),
  text('abc\0defg'),
  text('abc\0efgh'),
  // Invalid UTF-8: decoded as text, all of these are equal.
  sixteen(0x80),
  sixteen(0x81),
  sixteen(0xc3, 0x28),
  sixteen(0xed, 0xa0, 0x80),
  // Neighbours in the last byte.
  Uint8Array.from([...sixteen(0x41).subarray(0, 15), 0x00]),
  Uint8Array.from([...sixteen(0x41).subarray(0, 15), 0xff]),
];

function hostileCases(test: TestCase): void {
  const rows: NewRow[] = HOSTILE.map((id, i) => rowOf('', { id, body: bytesOf(`row ${i}`) }));

  test('a row id is compared byte by byte: no wildcard, quote, terminator or letter case matters', async ({
    store,
  }) => {
    const ref = await makeNamespace(store);
    for (const row of rows) await store.apply(ref, [put(row, 0)]);
    for (const row of rows) expect(plain((await store.get(ref.ns, row.id))!)).toEqual(plain(row));
    expect((await scanAll(store, ref.ns)).map(plain)).toEqual(rows.map(plain));
    for (const [i, row] of rows.entries()) {
      expect((await store.apply(ref, [{ type: 'delete', id: row.id, ifRev: 1 }])).deleted).toBe(1);
      expect((await scanAll(store, ref.ns)).map(plain)).toEqual(rows.slice(i + 1).map(plain));
    }
    expect(idsOf(await store.tombstones(ref.ns, 0))).toEqual(HOSTILE.map(hex));
  });

  test('a group is compared byte by byte', async ({ store }) => {
    const ref = await makeNamespace(store);
    const members = HOSTILE.map((group, i) => rowOf(`member ${i}`, { group }));
    await store.apply(ref, [put(rowOf('no group')), ...members.map((row) => put(row))]);
    for (const row of members) {
      expect((await scanAll(store, ref.ns, { group: row.group! })).map(plain)).toEqual([plain(row)]);
      expect((await store.apply(ref, [{ type: 'deleteWhere', group: row.group! }])).deleted).toBe(1);
    }
    expect(idsOf(await scanAll(store, ref.ns))).toEqual(labelled('no group'));
  });

  test('deleting a parent with any id deletes only its own children', async ({ store }) => {
    const ref = await makeNamespace(store);
    const children = HOSTILE.map((group, i) => rowOf(`child ${i}`, { kind: 'version', group }));
    await store.apply(
      ref,
      [...rows, ...children].map((row) => put(row)),
    );
    for (const [i, row] of rows.entries()) {
      expect((await store.apply(ref, [{ type: 'delete', id: row.id }])).deleted).toBe(1);
      const left = [...rows.slice(i + 1), ...children.slice(i + 1)];
      expect((await scanAll(store, ref.ns)).map(plain)).toEqual(left.map(plain));
    }
  });

  test('a namespace id is compared byte by byte', async ({ store, now }) => {
    const refs: NamespaceRecord[] = [];
    for (const [i, ns] of HOSTILE.entries()) {
      const ref = await store.createNamespace(ns, bytesOf(`blob ${i}`));
      expect(hex(ref.blob)).toBe(hex(bytesOf(`blob ${i}`)));
      await store.apply(ref, [put(rows[i]!)]);
      refs.push(ref);
    }
    for (const [i, ref] of refs.entries()) {
      expect((await scanAll(store, ref.ns)).map(plain)).toEqual([plain(rows[i]!)]);
      expect(await usageByKind(store, now(), ref.ns)).toEqual({ fact: [1, rows[i]!.body.length] });
      expect(await store.dropNamespace(ref.ns)).toBe(1);
      const left = HOSTILE.slice(i + 1)
        .map(hex)
        .sort();
      expect((await store.listNamespaces(100)).map(({ ns }) => hex(ns))).toEqual(left);
    }
  });
}
