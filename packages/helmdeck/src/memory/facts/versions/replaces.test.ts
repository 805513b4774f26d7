import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeClock } from '../../../testing/fake-clock.ts';
import { type TestServer, testServer } from '../../../testing/test-server.ts';

const clock = fakeClock();
let server: TestServer;
beforeAll(async () => {
  server = await testServer({ now: clock.now });
});
afterAll(() => server.close());

const MEMORY = '/api/v1/memory';
const call = async <T = Record<string, unknown>>(
  who: { subject: string; client?: string; scopes?: string[] },
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
) => {
  const authorization = `Bearer ${await server.token(who.subject, who)}`;
  const response = await server.call(undefined, method, `${MEMORY}${path}`, body, {
    authorization,
    ...headers,
  });
  return { status: response.status, body: (await response.json()) as T };
};
const person = (subject: string) => ({ subject });
const agent = (subject: string) => ({ subject, client: 'claude-code' });
const reviewer = (subject: string) => ({ subject, scopes: ['memory:review', 'memory:read'] });
const exists = async (subject: string, key: string) =>
  (await call(person(subject), 'GET', `/facts/${encodeURIComponent(key)}`)).status === 200;

describe('a write with replaces', () => {
  it('renames a fact: category, tags, lifetime and the time of creation stay, and the history goes with it', async () => {
    const old = { key: 'editor', value: 'vim', category: 'preferences', tags: ['ui'], ttl_seconds: 7_200 };
    await call(person('ada'), 'POST', '/store', old);
    const { body: before } = await call(person('ada'), 'GET', '/facts/editor');
    clock.advance(60_000);
    const renamed = { key: 'preferences/editor', value: 'vim, with tabs', replaces: ['editor'] };
    const { body } = await call(person('ada'), 'POST', '/store', renamed);
    expect(body).toMatchObject({ created: false, version: 2, replaced: ['editor'] });
    expect((await call(person('ada'), 'GET', '/facts/preferences%2Feditor')).body).toMatchObject({
      category: 'preferences',
      tags: ['ui'],
      created_at: before.created_at,
      expires_at: new Date(Math.floor(clock.now() / 1000) * 1000 + 7_200_000)
        .toISOString()
        .replace('.000Z', 'Z'),
    });
    expect(await exists('ada', 'editor')).toBe(false);
    const asOf = new Date(clock.now() - 1_000).toISOString();
    expect(
      (await call(person('ada'), 'GET', `/facts/preferences%2Feditor?as_of=${asOf}`)).body,
    ).toMatchObject({ value: 'vim', version: 1 });
  });

  it('a repeated request replays its answer, and without an idempotency key replaces nothing more', async () => {
    await call(person('bea'), 'POST', '/store', { key: 'a', value: 'one' });
    const write = { key: 'b', value: 'two', replaces: ['a', 'b', 'a'] };
    const header = { 'idempotency-key': 'k1' };
    const first = await call(person('bea'), 'POST', '/store', write, header);
    expect(first.body).toMatchObject({ version: 2, replaced: ['a'] });
    expect((await call(person('bea'), 'POST', '/store', write, header)).body).toEqual(first.body);
    const again = (await call(person('bea'), 'POST', '/store', write)).body;
    expect(again).toMatchObject({ version: 3 });
    expect(again).not.toHaveProperty('replaced');
  });

  it('gives no advice about the facts that it replaces', async () => {
    await call(person('cleo'), 'POST', '/store', { key: 'deploy/day', value: 'We deploy on Tuesdays' });
    const write = { key: 'release/day', value: 'We deploy on Wednesdays' };
    expect((await call(person('cleo'), 'POST', '/store', write)).body).toHaveProperty('conflicts');
    const merged = { key: 'release', value: 'We deploy on Mondays', replaces: ['deploy/day', 'release/day'] };
    expect((await call(person('cleo'), 'POST', '/store', merged)).body).not.toHaveProperty('conflicts');
  });

  it.each([
    ['x', 'bad_type'],
    [[5], 'bad_type'],
    [[''], 'missing_key'],
    [Array.from({ length: 21 }, (_, n) => `k${n}`), 'too_many_replaced'],
  ])('replaces: %j is refused as %s', async (replaces, reason) => {
    const { status, body } = await call(person('dan'), 'POST', '/store', { key: 'a', value: 'b', replaces });
    expect([status, body.reason]).toEqual([400, reason]);
    expect(await exists('dan', 'a')).toBe(false);
  });
});

describe('the gate and replaces', () => {
  it('an agent cannot replace away what a person said: it waits, and nothing is deleted', async () => {
    await call(person('eve'), 'POST', '/store', { key: 'deploy/prod', value: 'use the blue cluster' });
    await call(agent('eve'), 'POST', '/store', { key: 'mine', value: 'an agent wrote this' });
    // Neither with another value nor with the same one under another key, nor hidden among facts of its own.
    for (const [at, write] of [
      { key: 'deploy/red', value: 'use the red cluster', replaces: ['deploy/prod'] },
      { key: 'deploy/staging', value: 'use the blue cluster', replaces: ['deploy/prod'] },
      { key: 'mine', value: 'an agent wrote that', replaces: ['other', 'deploy/prod'] },
    ].entries()) {
      const { status, body } = await call(agent('eve'), 'POST', '/store', write);
      expect([status, body.status, body.reason], String(at)).toEqual([202, 'proposed', 'lower_trust']);
    }
    expect(await exists('eve', 'deploy/prod')).toBe(true);
    expect((await call(person('eve'), 'GET', '/facts/mine')).body).toMatchObject({ version: 1 });
  });

  it('an agent may merge what agents stored, and a person anything', async () => {
    await call(agent('fay'), 'POST', '/store', { key: 'a', value: 'tea' });
    const merge = { key: 'b', value: 'The user drinks tea.', replaces: ['a'] };
    expect((await call(agent('fay'), 'POST', '/store', merge)).body).toMatchObject({ replaced: ['a'] });
    const back = { key: 'a', value: 'The user drinks tea.', replaces: ['b'] };
    expect((await call(person('fay'), 'POST', '/store', back)).body).toMatchObject({ replaced: ['b'] });
  });

  it('a proposal shows what it would replace, and replaces it only when a person accepts', async () => {
    await call(person('gus'), 'POST', '/store', { key: 'old', value: 'the first text' });
    const write = { key: 'new', value: 'another text', replaces: ['old', 'never'] };
    await call(agent('gus'), 'POST', '/store', write);
    type Inbox = { proposals: { id: string; replaces?: string[] }[] };
    const inbox = await call<Inbox>(reviewer('gus'), 'GET', '/inbox');
    const [proposal] = inbox.body.proposals;
    expect(proposal).toMatchObject({ key: 'new', replaces: ['old'] });
    expect(await exists('gus', 'old')).toBe(true);
    const accepted = await call(reviewer('gus'), 'POST', `/inbox/${proposal!.id}/accept`);
    expect(accepted.body).toMatchObject({ status: 'active', key: 'new', version: 2, replaced: ['old'] });
    expect(await exists('gus', 'old')).toBe(false);
    expect((await call(person('gus'), 'GET', '/facts/new/history')).body).toMatchObject({
      versions: [{ value: 'another text' }, { value: 'the first text' }],
    });
  });

  it('a rejected proposal replaces nothing', async () => {
    await call(person('hal'), 'POST', '/store', { key: 'old', value: 'the first text' });
    await call(agent('hal'), 'POST', '/store', { key: 'new', value: 'another text', replaces: ['old'] });
    type Inbox = { proposals: { id: string }[] };
    const { body } = await call<Inbox>(reviewer('hal'), 'GET', '/inbox');
    await call(reviewer('hal'), 'POST', `/inbox/${body.proposals[0]!.id}/reject`);
    expect([await exists('hal', 'old'), await exists('hal', 'new')]).toEqual([true, false]);
  });
});
