import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../testing/fake-clock.ts';
import { type TestServer, testServer } from '../testing/test-server.ts';
import { type AccessAudit, createAccessAudit } from './access-audit.ts';
import { SYSTEM_NS } from './crypto/namespace-record.ts';
import { open, rowId } from './crypto/sealed.ts';
import { type MemoryParts, putOp } from './memory.ts';

const clock = fakeClock();
const DAY_MS = 86_400_000;
let server: TestServer;
let parts: MemoryParts;
let audit: AccessAudit;

beforeEach(async () => {
  server = await testServer({ now: clock.now });
  parts = server.memory!.parts;
  audit = createAccessAudit(parts);
  for (let index = 1; index <= 6; index++) {
    await audit.record({ action: 'read', actor: 'admin', target: `caller ${index}`, detail: '/x' });
  }
});
afterEach(() => server.close());

const idOf = (n: number | 'head') => {
  const key = n === 'head' ? 'head' : `record/${String(n).padStart(12, '0')}`;
  return rowId(parts.directory.system, 'access', key);
};
const remove = (n: number | 'head') =>
  parts.store.apply(parts.directory.system, [{ type: 'delete', id: idOf(n) }]);

/** What somebody who holds the key can do: seal a changed record so that it opens. */
async function rewrite(n: number | 'head', change: (record: Record<string, unknown>) => object) {
  const { system } = parts.directory;
  const row = (await parts.store.get(SYSTEM_NS, idOf(n)))!;
  const entry = open(system, row)!;
  const content = { key: entry.key, value: JSON.stringify(change(JSON.parse(entry.value))) };
  const { createdMs, updatedMs, expiresMs } = row;
  const next = {
    id: idOf(n),
    kind: 'access',
    group: null,
    content,
    createdMs,
    updatedMs,
    expiresMs,
  } as const;
  await parts.store.apply(system, [putOp(system, next, row)]);
}

/** What somebody without the key can do: change bytes in the file. */
async function damage(n: number | 'head') {
  const row = (await parts.store.get(SYSTEM_NS, idOf(n)))!;
  const body = Buffer.from(row.body);
  body[20]! ^= 1;
  await parts.store.apply(parts.directory.system, [{ type: 'put', row: { ...row, body } }]);
}

describe('the access audit', () => {
  it('is a chain: each record holds the hash of the one before', async () => {
    const records = (await audit.list(undefined, 10)).reverse();
    expect(records.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6]);
    for (const [index, record] of records.entries()) {
      expect(record.prev).toBe(index === 0 ? '0'.repeat(64) : records[index - 1]!.hash);
    }
    expect(await audit.verify()).toEqual({ ok: true, records: 6 });
  });

  it('takes a field without a value for one that is not there', async () => {
    await audit.record({ action: 'read', actor: 'admin', tenant: undefined, target: undefined });
    expect(await audit.verify()).toEqual({ ok: true, records: 7 });
  });

  it('of nothing verifies', async () => {
    const empty = await testServer();
    expect(await createAccessAudit(empty.memory!.parts).verify()).toEqual({ ok: true, records: 0 });
    await empty.close();
  });

  it('keeps its order when many things are recorded at once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => audit.record({ action: 'read', actor: 'many' })));
    expect(await audit.verify()).toEqual({ ok: true, records: 26 });
  });

  it('is listed newest first, page by page', async () => {
    const first = await audit.list(undefined, 4);
    expect(first.map(({ n }) => n)).toEqual([6, 5, 4, 3]);
    expect((await audit.list(undefined, 4, 3)).map(({ n }) => n)).toEqual([2, 1]);
  });

  it.each([
    [
      'a record whose actor was changed by someone with the key',
      () => rewrite(3, (r) => ({ ...r, actor: 'eve' })),
    ],
    ['the last record changed', () => rewrite(6, (r) => ({ ...r, actor: 'eve' }))],
    ['a record removed in the middle', () => remove(3)],
    ['two neighbours removed', () => remove(3).then(() => remove(4))],
    ['the tail cut off', () => remove(6)],
    ['more of the tail cut off', () => remove(6).then(() => remove(5))],
    ['bytes flipped in the first record', () => damage(1)],
    ['bytes flipped in a middle record', () => damage(4)],
    ['bytes flipped in the last record', () => damage(6)],
    ['a head that was set back', () => rewrite('head', (head) => ({ ...head, n: 5 }))],
    ['a head with another hash', () => rewrite('head', (head) => ({ ...head, hash: 'f'.repeat(64) }))],
    ['a head that was removed', () => remove('head')],
    [
      'all records removed',
      async () => {
        for (let n = 1; n <= 6; n++) await remove(n);
      },
    ],
  ])('tells of %s', async (_name, tamper) => {
    expect((await audit.verify()).ok).toBe(true);
    await tamper();
    const verdict = await audit.verify();
    expect(verdict.ok).toBe(false);
    expect(verdict.problem).toMatch(/\.$/);
  });

  it('stays whole when old records expire, one by one and altogether', async () => {
    clock.advance(399 * DAY_MS);
    await audit.record({ action: 'login', actor: 'admin' });
    clock.advance(DAY_MS);
    await server.janitor!.sweep();
    expect(await audit.verify()).toEqual({ ok: true, records: 1 });
    clock.advance(400 * DAY_MS);
    await server.janitor!.sweep();
    expect(await audit.verify()).toEqual({ ok: true, records: 0 });
    await audit.record({ action: 'login', actor: 'admin' });
    expect(await audit.verify()).toEqual({ ok: true, records: 1 });
  });
});
