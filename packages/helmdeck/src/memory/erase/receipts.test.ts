import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { createReceiptSigner, type Receipt, receiptProblem } from './receipts.ts';

const clock = fakeClock();
/** Contains characters that cannot occur in a digest or a signature by chance. */
const SUBJECT = 'ada@example.org';
let server: TestServer;
let receipt: Receipt;
let trusted: string[];

beforeEach(async () => {
  server = await testServer({ now: clock.now });
  for (const key of ['a', 'a', 'b']) await store(SUBJECT, key);
  await store('bob', 'a');
  receipt = await erase(SUBJECT);
  const published = await server.call(undefined, 'GET', '/.well-known/helmdeck-receipts.json');
  trusted = ((await published.json()) as { keys: { public_key: string }[] }).keys.map(
    (key) => key.public_key,
  );
});
afterEach(() => server.close());

const store = (subject: string, key: string) =>
  server.call(subject, 'POST', '/api/v1/memory/store', { key, value: `${key} of ${subject}` });
async function erase(subject: string): Promise<Receipt> {
  const answer = await server.call(subject, 'POST', '/api/v1/memory/forget', { scope: 'erase' });
  return ((await answer.json()) as { receipt: Receipt }).receipt;
}

describe('erase', () => {
  it('an erase removes everything of the caller and nothing of others', async () => {
    expect(receipt.rows, 'two facts and one older version').toBe(3);
    expect((await server.call(SUBJECT, 'GET', '/api/v1/memory/facts/a')).status).toBe(404);
    expect(await (await server.call(SUBJECT, 'GET', '/api/v1/memory/stats')).json()).toMatchObject({
      counts: {},
      bytes: 0,
    });
    expect((await server.call('bob', 'GET', '/api/v1/memory/facts/a')).status).toBe(200);
  });

  it('an erase destroys the data key, and the next store creates a new one', async () => {
    const { parts } = server.memory!;
    const before = (await parts.directory.find({ subject: 'bob' }))!;
    await erase('bob');
    expect(await parts.store.getNamespace(before.ns)).toBeUndefined();
    await store('bob', 'a');
    const after = (await parts.directory.find({ subject: 'bob' }))!;
    expect(after.ns).toEqual(before.ns);
    expect(after.encryption.equals(before.encryption)).toBe(false);
  });

  it('a caller can store again after an erase, from version 1', async () => {
    const again = await store(SUBJECT, 'a');
    expect(await again.json()).toMatchObject({ created: true, version: 1 });
  });

  it('an erase of an empty memory returns a genuine receipt with zero rows', async () => {
    const empty = await erase('stranger');
    expect(empty.rows).toBe(0);
    expect(receiptProblem(empty, trusted, { subject: 'stranger' })).toBeUndefined();
  });

  it('concurrent writes are either erased or stored afterwards, never lost', async () => {
    const writes = Array.from({ length: 20 }, (_, index) => store('cyd', `k${index}`));
    const [erased, ...stored] = await Promise.all([erase('cyd'), ...writes]);
    for (const answer of stored) expect(answer.status).toBe(200);
    const list = await server.call('cyd', 'GET', '/api/v1/memory/facts');
    const { facts } = (await list.json()) as { facts: unknown[] };
    expect(facts.length + erased.rows).toBe(20);
  });
});

describe('a receipt', () => {
  it('a receipt verifies offline, against the published keys and for its caller', () => {
    expect(receiptProblem(receipt)).toBeUndefined();
    expect(receiptProblem(receipt, trusted)).toBeUndefined();
    expect(
      receiptProblem(JSON.parse(JSON.stringify(receipt)), trusted, { subject: SUBJECT }),
    ).toBeUndefined();
  });

  it('a receipt verifies whatever the order of its fields', () => {
    const reversed = Object.fromEntries(Object.entries(receipt).reverse());
    expect(receiptProblem(reversed, trusted)).toBeUndefined();
  });

  it('a receipt lists what it does not cover', () => {
    expect(receipt.not_covered.join(' ')).toMatch(/Backups.*logs/);
  });

  it('a receipt does not contain the subject', () => {
    expect(JSON.stringify(receipt)).not.toContain(SUBJECT);
  });

  it.each([
    ['rows', 4],
    ['erased_at', '2026-01-02T00:00:00.000Z'],
    ['receipt_id', '00000000-0000-4000-8000-000000000000'],
    ['namespace_digest', 'f'.repeat(64)],
    ['not_covered', []],
    ['signature', Buffer.alloc(64).toString('base64')],
    ['signature', ''],
    ['public_key', 'AAAA'],
    ['public_key', undefined],
    ['more', 'text'],
  ])('a receipt with a changed %s is refused', (field, value) => {
    expect(receiptProblem({ ...receipt, [field]: value })).toMatch(/\.$/);
  });

  it.each([null, undefined, 1, 'x', [], {}])('%j is not accepted as a receipt', (input) => {
    expect(receiptProblem(input)).toBe('This is not a receipt.');
  });

  it('a receipt is refused for another caller and for another tenant', () => {
    expect(receiptProblem(receipt, trusted, { subject: 'bob' })).toContain('another caller');
    expect(receiptProblem(receipt, trusted, { subject: SUBJECT, tenant: 't' })).toContain('another caller');
  });

  it('a receipt signed with an unknown key is refused when trusted keys are given', () => {
    const signer = createReceiptSigner(randomBytes(32));
    const forged = { ...receipt, public_key: signer.publicKey };
    const { signature: _, ...body } = forged;
    const sorted = Object.fromEntries(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1)));
    const signed = { ...forged, signature: signer.sign(`helmdeck-receipt/1\n${JSON.stringify(sorted)}`) };
    expect(receiptProblem(signed)).toBeUndefined();
    expect(receiptProblem(signed, trusted)).toContain('not one of the trusted ones');
  });
});
