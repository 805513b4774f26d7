import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import type { FactView } from './read-facts.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());

const MEMORY = '/api/v1/memory';
const call = async <T>(subject: string, method: string, path: string, body?: unknown) => {
  const answer = await server.call(subject, method, `${MEMORY}${path}`, body);
  return { status: answer.status, body: (await answer.json()) as T };
};
const bulk = (subject: string, body: object) =>
  call<{ changed: number; before?: object[]; failed: { index: number; error: string }[] }>(
    subject,
    'POST',
    '/facts/bulk',
    body,
  );
const facts = async (subject: string) =>
  (await call<{ facts: FactView[] }>(subject, 'GET', '/facts?sort=key&limit=200')).body.facts;
const store = (subject: string, key: string, more: object = {}) =>
  call(subject, 'POST', '/store', { key, value: key, ...more });

const AT = '2026-01-01T00:00:00Z';
const FILED = {
  key: 'a',
  category: 'x',
  tags: [],
  expires_at: AT,
  after: { updated_at: AT, expires_at: AT },
};

describe('POST /facts/bulk', () => {
  it('one call adds and removes tags, sets the category and renews, without a new version', async () => {
    await store('ann', 'a', { tags: ['old', 'kept'], ttl_seconds: 3_600 });
    await store('ann', 'b', { category: 'two' });
    const answer = await bulk('ann', {
      keys: ['a', 'b', 'missing'],
      add_tags: ['new'],
      remove_tags: ['old'],
      category: 'filed',
      ttl_seconds: 7_200,
    });
    expect(answer.body).toMatchObject({ changed: 2, failed: [{ index: 2, error: 'not_found' }] });
    const [a, b] = await facts('ann');
    expect(a).toMatchObject({ tags: ['kept', 'new'], category: 'filed', version: 1 });
    expect(b).toMatchObject({ tags: ['new'], category: 'filed', version: 1 });
    expect(Date.parse(a!.expires_at) - Date.parse(a!.updated_at)).toBeGreaterThan(7_100_000);
  });

  it('the facts as they were are answered, and sent back they restore category, tags and expiry exactly', async () => {
    await store('fay', 'a', { tags: ['one', 'two'], category: 'first', ttl_seconds: 3_600 });
    await store('fay', 'b', { ttl_seconds: 86_400 });
    const was = await facts('fay');
    const filing = ({ key, category, tags, expires_at }: FactView) => ({ key, category, tags, expires_at });
    const change = { category: 'second', add_tags: ['new'], remove_tags: ['one'], ttl_seconds: 7_776_000 };
    const { body } = await bulk('fay', { keys: ['a', 'b', 'missing'], ...change });
    const left = await facts('fay');
    const expected = was.map((fact, at) => ({
      ...filing(fact),
      after: { updated_at: left[at]!.updated_at, expires_at: left[at]!.expires_at },
    }));
    expect(body.before).toHaveLength(2);
    expect(body.before).toEqual(expect.arrayContaining(expected));
    expect((await facts('fay')).map(filing)).not.toEqual(was.map(filing));
    const restored = await bulk('fay', { restore: body.before });
    expect(restored.body).toMatchObject({ changed: 2, failed: [] });
    const now = await facts('fay');
    expect(now.map(filing)).toEqual(was.map(filing));
    expect(now.map(({ version }) => version)).toEqual([1, 1]);
    // A value that is stored later counts the lifetime that the fact had, not the one that was undone.
    await store('fay', 'b', { value: 'later' });
    const [, b] = await facts('fay');
    expect(Date.parse(b!.expires_at) - Date.parse(b!.updated_at)).toBeLessThanOrEqual(86_400_000);
  });

  it('a fact whose earlier expiry has passed or is too far away is not restored; the others are', async () => {
    await store('gus', 'a', { tags: ['now'] });
    await store('gus', 'b', { tags: ['now'] });
    const fact = async (key: string, expires_at: string) => {
      const after = (await facts('gus')).find((each) => each.key === key)!;
      const { updated_at, expires_at: ends } = after;
      return { key, category: 'x', tags: [], expires_at, after: { updated_at, expires_at: ends } };
    };
    const inAnHour = `${new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)}Z`;
    for (const [expires_at, reason] of [
      ['2020-01-01T00:00:00Z', 'ttl_too_short'],
      ['2999-01-01T00:00:00Z', 'ttl_too_long'],
    ] as const) {
      const restore = [await fact('a', expires_at), await fact('b', inAnHour)];
      const { body } = await bulk('gus', { restore });
      expect(body).toMatchObject({ changed: 1, failed: [{ index: 0, error: 'invalid_input', reason }] });
    }
    expect(await facts('gus')).toMatchObject([{ tags: ['now'] }, { tags: [], expires_at: inAnHour }]);
  });

  it('a fact that was re-filed, rewritten, confirmed or forgotten since the change is not restored; the others are', async () => {
    const keys = ['a', 'confirmed', 'forgotten', 'refiled', 'rewritten'];
    for (const key of keys) await store('ida', key, { category: 'first', ttl_seconds: 7_200 });
    const { body } = await bulk('ida', { keys, category: 'second' });
    await call('ida', 'PATCH', '/facts/refiled', { tags: ['theirs'] });
    await store('ida', 'rewritten', { value: 'another text' });
    await call('ida', 'POST', '/facts/confirmed/confirm', { ttl_seconds: 86_400 });
    await call('ida', 'DELETE', '/facts/forgotten');
    const others = (all: FactView[]) => all.filter(({ key }) => key !== 'a');
    const theirs = others(await facts('ida'));
    const answer = await bulk('ida', { restore: body.before });
    expect(answer.body.changed).toBe(1);
    const errors = answer.body.failed.map(({ index, error }) => [
      (body.before![index] as { key: string }).key,
      error,
    ]);
    expect(Object.fromEntries(errors)).toEqual({
      confirmed: 'precondition_failed',
      forgotten: 'not_found',
      refiled: 'precondition_failed',
      rewritten: 'precondition_failed',
    });
    const now = await facts('ida');
    expect(now.find(({ key }) => key === 'a')).toMatchObject({ category: 'first' });
    expect(others(now)).toEqual(theirs);
  });

  it('a fact that would have too many tags fails alone', async () => {
    const tags = Array.from({ length: 32 }, (_, at) => `t${at}`);
    await store('ben', 'full', { tags });
    await store('ben', 'free');
    const { body } = await bulk('ben', { keys: ['full', 'free'], add_tags: ['one-more'] });
    expect(body).toMatchObject({ changed: 1, failed: [{ index: 0, reason: 'too_many_tags' }] });
    expect((await facts('ben')).find(({ key }) => key === 'full')?.tags).toEqual(tags);
  });

  it('more than 20 facts are forgotten only with confirm, and facts of others never', async () => {
    const keys = Array.from({ length: 21 }, (_, at) => `k${at}`);
    for (const key of keys) await store('cem', key);
    await store('dan', 'k0');
    expect(await bulk('cem', { keys, forget: true })).toMatchObject({
      status: 400,
      body: { error: 'invalid_input', reason: 'confirmation_required' },
    });
    expect(await facts('cem')).toHaveLength(21);
    expect((await bulk('cem', { keys: keys.slice(0, 2), forget: true })).body).toEqual({
      changed: 2,
      failed: [],
    });
    expect((await bulk('cem', { keys, forget: true, confirm: true })).body).toMatchObject({ changed: 19 });
    expect(await facts('cem')).toEqual([]);
    expect(await facts('dan')).toHaveLength(1);
  });

  it('a call that cannot be meant is refused as a whole', async () => {
    await store('eva', 'a');
    for (const body of [
      {},
      { keys: [] },
      { keys: ['a'] },
      { keys: ['a'], forget: true, category: 'x' },
      { keys: ['a'], forget: 'yes' },
      { keys: [1], add_tags: ['x'] },
      { keys: ['a'], tags: ['x'] },
      { keys: ['a'], restore: [FILED] },
      { restore: [{ ...FILED, after: undefined }] },
      { restore: [{ ...FILED, after: { updated_at: FILED.expires_at } }] },
      { restore: [] },
      { restore: [{ ...FILED, expires_at: undefined }] },
      { restore: [{ ...FILED, value: 'x' }] },
      { keys: Array.from({ length: 501 }, (_, at) => `k${at}`), add_tags: ['x'] },
    ])
      expect((await bulk('eva', body)).status, JSON.stringify(body).slice(0, 60)).toBe(400);
    expect(await facts('eva')).toMatchObject([{ key: 'a', tags: [], category: 'user_facts' }]);
  });
});
