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
  call<{ changed: number; failed: { index: number; error: string }[] }>(subject, 'POST', '/facts/bulk', body);
const facts = async (subject: string) =>
  (await call<{ facts: FactView[] }>(subject, 'GET', '/facts?sort=key&limit=200')).body.facts;
const store = (subject: string, key: string, more: object = {}) =>
  call(subject, 'POST', '/store', { key, value: key, ...more });

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
      { keys: Array.from({ length: 501 }, (_, at) => `k${at}`), add_tags: ['x'] },
    ])
      expect((await bulk('eva', body)).status, JSON.stringify(body).slice(0, 60)).toBe(400);
    expect(await facts('eva')).toMatchObject([{ key: 'a', tags: [], category: 'user_facts' }]);
  });
});
