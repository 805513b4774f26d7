import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { createReceiptSigner, type Receipt, receiptProblem } from './receipts.ts';

const clock = fakeClock();
/** Signs that no digest and no signature can hold by chance. */
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
  it('leaves nothing of the caller, and everything of others', async () => {
    expect(receipt.rows, 'two facts and one older version').toBe(3);
    expect((await server.call(SUBJECT, 'GET', '/api/v1/memory/facts/a')).status).toBe(404);
    expect(await (await server.call(SUBJECT, 'GET', '/api/v1/memory/stats')).json()).toMatchObject({
      counts: {},
      bytes: 0,
    });
    expect((await server.call('bob', 'GET', '/api/v1/memory/facts/a')).status).toBe(200);
  });

  it('destroys the data key: the next life of the namespace has another one', async () => {
    const { parts } = server.memory!;
    const before = (await parts.directory.find({ subject: 'bob' }))!;
    await erase('bob');
    expect(await parts.store.getNamespace(before.ns)).toBeUndefined();
    await store('bob', 'a');
    const after = (await parts.directory.find({ subject: 'bob' }))!;
    expect(after.ns).toEqual(before.ns);
    expect(after.encryption.equals(before.encryption)).toBe(false);
  });

  it('lets the caller start again from nothing', async () => {
    const again = await store(SUBJECT, 'a');
    expect(await again.json()).toMatchObject({ created: true, version: 1 });
  });

  it('of nothing gives a receipt about nothing', async () => {
    const empty = await erase('stranger');
    expect(empty.rows).toBe(0);
    expect(receiptProblem(empty, trusted, { subject: 'stranger' })).toBeUndefined();
  });

  it('is not undone by writers that were on their way', async () => {
    const writes = Array.from({ length: 20 }, (_, index) => store('cyd', `k${index}`));
    const [erased, ...stored] = await Promise.all([erase('cyd'), ...writes]);
    for (const answer of stored) expect(answer.status).toBe(200);
    const list = await server.call('cyd', 'GET', '/api/v1/memory/facts');
    const { facts } = (await list.json()) as { facts: unknown[] };
    expect(facts.length + erased.rows).toBe(20);
  });
});

describe('a receipt', () => {
  it('is genuine offline, for the published keys and its caller', () => {
    expect(receiptProblem(receipt)).toBeUndefined();
    expect(receiptProblem(receipt, trusted)).toBeUndefined();
    expect(
      receiptProblem(JSON.parse(JSON.stringify(receipt)), trusted, { subject: SUBJECT }),
    ).toBeUndefined();
  });

  it('does not depend on the order of its fields', () => {
    const reversed = Object.fromEntries(Object.entries(receipt).reverse());
    expect(receiptProblem(reversed, trusted)).toBeUndefined();
  });

  it('says what it does not cover', () => {
    expect(receipt.not_covered.join(' ')).toMatch(/Backups.*logs/);
  });

  it('names nobody: it holds no subject', () => {
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
  ])('with another %s is refused', (field, value) => {
    expect(receiptProblem({ ...receipt, [field]: value })).toMatch(/\.$/);
  });

  it.each([null, undefined, 1, 'x', [], {}])('that is %j is no receipt', (input) => {
    expect(receiptProblem(input)).toBe('This is not a receipt.');
  });

  it('is refused for another caller, also one of another tenant', () => {
    expect(receiptProblem(receipt, trusted, { subject: 'bob' })).toContain('another caller');
    expect(receiptProblem(receipt, trusted, { subject: SUBJECT, tenant: 't' })).toContain('another caller');
  });

  it('that someone signed with their own key is refused where keys are trusted', () => {
    const signer = createReceiptSigner(randomBytes(32));
    const forged = { ...receipt, public_key: signer.publicKey };
    const { signature: _, ...body } = forged;
    const sorted = Object.fromEntries(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1)));
    const signed = { ...forged, signature: signer.sign(`helmdeck-receipt/1\n${JSON.stringify(sorted)}`) };
    expect(receiptProblem(signed)).toBeUndefined();
    expect(receiptProblem(signed, trusted)).toContain('not one of the trusted ones');
  });
});
