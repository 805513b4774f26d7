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

/** An attacker with the key: seals a changed record so that it can be decrypted. */
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

/** An attacker without the key: changes bytes in the file. */
async function damage(n: number | 'head') {
  const row = (await parts.store.get(SYSTEM_NS, idOf(n)))!;
  const body = Buffer.from(row.body);
  body[20]! ^= 1;
  await parts.store.apply(parts.directory.system, [{ type: 'put', row: { ...row, body } }]);
}

describe('the access audit', () => {
  it('each audit record contains the hash of the one before, and the chain verifies', async () => {
    const records = (await audit.list(undefined, 10)).reverse();
    expect(records.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6]);
    for (const [index, record] of records.entries()) {
      expect(record.prev).toBe(index === 0 ? '0'.repeat(64) : records[index - 1]!.hash);
    }
    expect(await audit.verify()).toEqual({ ok: true, records: 6 });
  });

  it('the chain verifies when a record has undefined fields', async () => {
    await audit.record({ action: 'read', actor: 'admin', tenant: undefined, target: undefined });
    expect(await audit.verify()).toEqual({ ok: true, records: 7 });
  });

  it('an empty audit verifies', async () => {
    const empty = await testServer();
    expect(await createAccessAudit(empty.memory!.parts).verify()).toEqual({ ok: true, records: 0 });
    await empty.close();
  });

  it('the chain verifies when many events are recorded concurrently', async () => {
    await Promise.all(Array.from({ length: 20 }, () => audit.record({ action: 'read', actor: 'many' })));
    expect(await audit.verify()).toEqual({ ok: true, records: 26 });
  });

  it('the audit lists records newest first, page by page', async () => {
    const first = await audit.list(undefined, 4);
    expect(first.map(({ n }) => n)).toEqual([6, 5, 4, 3]);
    expect((await audit.list(undefined, 4, 3)).map(({ n }) => n)).toEqual([2, 1]);
  });

  it.each([
    ['a record whose actor was changed with the key', () => rewrite(3, (r) => ({ ...r, actor: 'eve' }))],
    ['a change to the last record', () => rewrite(6, (r) => ({ ...r, actor: 'eve' }))],
    ['the removal of a record in the middle', () => remove(3)],
    ['the removal of two adjacent records', () => remove(3).then(() => remove(4))],
    ['the removal of the last record', () => remove(6)],
    ['the removal of the last two records', () => remove(6).then(() => remove(5))],
    ['a flipped bit in the first record', () => damage(1)],
    ['a flipped bit in a middle record', () => damage(4)],
    ['a flipped bit in the last record', () => damage(6)],
    ['a chain tip with a lower number', () => rewrite('head', (tip) => ({ ...tip, n: 5 }))],
    ['a chain tip with another hash', () => rewrite('head', (tip) => ({ ...tip, hash: 'f'.repeat(64) }))],
    ['the removal of the chain tip', () => remove('head')],
    [
      'the removal of all records',
      async () => {
        for (let n = 1; n <= 6; n++) await remove(n);
      },
    ],
  ])('verify detects %s', async (_name, tamper) => {
    expect((await audit.verify()).ok).toBe(true);
    await tamper();
    const verdict = await audit.verify();
    expect(verdict.ok).toBe(false);
    expect(verdict.problem).toMatch(/\.$/);
  });

  it('the chain verifies after some or all of its records have expired', async () => {
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
