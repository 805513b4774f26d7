import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock, type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';

const clock = fakeClock();
const ADMIN = ['admin'];
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-expiry-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Every read path: each must show the fact 1 ms before it expires, and not at its expiry. */
const READS: [string, (firstAt: string) => string][] = [
  ['get', () => '/facts/gone'],
  ['get an older version', () => '/facts/gone?version=1'],
  ['get the current version by number', () => '/facts/gone?version=2'],
  ['get as it was', (firstAt) => `/facts/gone?as_of=${firstAt}`],
  ['get as it is', () => '/facts/gone?as_of=2030-01-01T00:00:00Z'],
  ['history', () => '/facts/gone/history'],
  ['list', () => '/facts'],
  ['list by update', () => '/facts?sort=updated'],
  ['list by creation', () => '/facts?sort=created'],
  ['list by key', () => '/facts?sort=key'],
  ['list by expiry', () => '/facts?sort=expires'],
  ['list by prefix', () => '/facts?prefix=go'],
  ['list by category', () => '/facts?category=going'],
  ['list by tag', () => '/facts?tag=going-tag'],
  ['list by words', () => '/facts?q=second+value'],
  ['list by words in another order', () => '/facts?q=second+value&sort=key'],
  ['search', () => '/search?q=second+value'],
  ['search by the key, with reasons', () => '/search?q=gone&explain=1'],
  ['search by a misspelled word', () => '/search?q=secnd'],
  ['search in a category and a tag', () => '/search?q=value&category=going&tag=going-tag'],
  ['search without a word', () => '/search'],
  ['list by source', () => '/facts?source=rest&prefix=gone'],
  ['list what expires soon', () => '/facts?expiring_within=3600'],
  ['facets', () => '/facets'],
  ['facets below a prefix', () => '/facets?prefix=g'],
  ['mine', () => '/mine'],
  ['context', () => '/context'],
  ['export', () => '/export'],
];
const SIGNS = /gone|going|(first|second) value/;

describe.each(['memory', 'sqlite'])('expiry in the %s store', (kind) => {
  let server: TestServer;
  let firstAt: string;
  let expiresMs: number;
  let files = 0;

  beforeEach(async () => {
    const db = kind === 'memory' ? 'memory:' : join(folder, `${files++}.db`);
    server = await testServer({ now: clock.now, env: { HELMDECK_DB: db } });
    clock.set(Date.UTC(2026, 5, 1, 12, 0, 0, 700));
    firstAt = new Date(clock.now()).toISOString();
    await store('gone', 'first value');
    clock.advance(1500);
    const answer = await store('gone', 'second value');
    expiresMs = Date.parse(((await answer.json()) as { expires_at: string }).expires_at);
    await server.call('ada', 'POST', '/api/v1/memory/store', { key: 'x1', value: 'y2' });
  });
  afterEach(() => server.close());

  const store = (key: string, value: string, more: object = {}) =>
    server.call('ada', 'POST', '/api/v1/memory/store', {
      key,
      value,
      category: 'going',
      tags: ['going-tag'],
      ttl_seconds: 3600,
      ...more,
    });
  const get = (path: string) => server.call('ada', 'GET', `/api/v1/memory${path}`);
  const json = async (path: string) => (await (await get(path)).json()) as Record<string, unknown>;
  const callers = async () => {
    const authorization = `Bearer ${await server.token('root', { scopes: ADMIN })}`;
    const answer = await server.call(undefined, 'GET', '/api/v1/memory/callers', undefined, {
      authorization,
    });
    return ((await answer.json()) as { callers: { namespace: string; count: number }[] }).callers;
  };
  /** Moves the clock to the expiry, with or without a sweep. */
  async function expire(sweep: boolean) {
    clock.set(expiresMs);
    if (sweep) expect(await server.janitor!.sweep()).toBeGreaterThanOrEqual(1);
  }

  it('a fact expires on a whole second: the second it was stored in plus its TTL', () => {
    expect(expiresMs).toBe(Date.UTC(2026, 5, 1, 13, 0, 2));
  });

  it.each(READS)(
    '%s: a fact is visible 1 ms before its expiry and gone at its expiry, swept or not',
    async (_name, path) => {
      clock.set(expiresMs - 1);
      expect(await server.janitor!.sweep()).toBe(0);
      const before = await get(path(firstAt));
      expect(before.status).toBe(200);
      expect(await before.text()).toMatch(SIGNS);
      for (const sweep of [false, true]) {
        await expire(sweep);
        const after = await get(path(firstAt));
        const text = await after.text();
        if (path(firstAt).startsWith('/facts/')) expect(after.status).toBe(404);
        else expect(after.status).toBe(200);
        expect(text).not.toMatch(SIGNS);
      }
    },
  );

  it('stats and callers count a fact until 1 ms before its expiry', async () => {
    clock.set(expiresMs - 1);
    expect(await json('/stats')).toMatchObject({
      counts: { fact: 2, version: 1 },
      next_expiry: new Date(expiresMs).toISOString().replace('.000', ''),
    });
    expect(await callers()).toMatchObject([{ namespace: 'ada', count: 2 }]);
    const sizes: unknown[] = [];
    for (const sweep of [false, true]) {
      await expire(sweep);
      const stats = await json('/stats');
      expect(stats).toMatchObject({ counts: { fact: 1 }, quota: { facts: { used: 1 } }, unreadable_rows: 0 });
      expect((stats.counts as Record<string, number>).version ?? 0, 'its history expires with it').toBe(0);
      expect(await callers()).toMatchObject([{ namespace: 'ada', count: 1 }]);
      sizes.push(stats.bytes);
    }
    expect(sizes[0], 'a sweep changes nothing visible').toBe(sizes[1]);
  });

  it.each([false, true])(
    'an expired fact that is stored again (swept: %s) is created as version 1 without the old history',
    async (sweep) => {
      await expire(sweep);
      const answer = await store('gone', 'third', { category: 'again', tags: [], if_version: 0 });
      expect(await answer.json()).toMatchObject({ created: true, version: 1 });
      const now = new Date(clock.now()).toISOString();
      expect(await json('/facts/gone')).toMatchObject({
        value: 'third',
        created_at: now,
        updated_at: now,
        tags: [],
      });
      expect((await json('/facts/gone/history')).versions).toHaveLength(1);
      expect((await get('/facts/gone?version=2')).status).toBe(404);
      expect((await get(`/facts/gone?as_of=${firstAt}`)).status).toBe(404);
      await store('gone', 'fourth');
      const { versions } = (await json('/facts/gone/history')) as { versions: { value: string }[] };
      expect(versions.map(({ value }) => value)).toEqual(['fourth', 'third']);
    },
  );

  it.each([false, true])('an expired fact cannot be changed or forgotten (swept: %s)', async (sweep) => {
    await expire(sweep);
    const patch = await server.call('ada', 'PATCH', '/api/v1/memory/facts/gone', { ttl_seconds: 7200 });
    expect(patch.status).toBe(404);
    const forget = (scope: string) => server.call('ada', 'POST', '/api/v1/memory/forget', { scope });
    for (const scope of ['key:gone', 'prefix:gone', 'tag:going-tag', 'category:going']) {
      expect(await (await forget(scope)).json(), scope).toMatchObject({ deleted: 0 });
    }
    expect(await (await server.call('ada', 'DELETE', '/api/v1/memory/facts/gone')).json()).toEqual({
      deleted: 0,
    });
    expect(await (await forget('facts')).json()).toMatchObject({ deleted: 1 });
  });

  it('a fact stays if its TTL is renewed 1 ms before its expiry', async () => {
    clock.set(expiresMs - 1);
    await server.call('ada', 'PATCH', '/api/v1/memory/facts/gone', { ttl_seconds: 3600 });
    clock.set(expiresMs);
    await server.janitor!.sweep();
    expect(await json('/facts/gone')).toMatchObject({ value: 'second value', version: 2 });
    expect((await json('/facts/gone/history')).versions).toHaveLength(2);
  });

  it('an expired fact is swept once with its history, and the event for its owner has no value', async () => {
    // The token must outlive the fact: an expired one is told nothing.
    const authorization = `Bearer ${await server.token('ada', { ttlSeconds: 86_400 })}`;
    const events = '/api/v1/memory/events';
    const stream = await server.call(undefined, 'GET', events, undefined, { authorization });
    await expire(false);
    await server.janitor!.sweep();
    expect(await server.janitor!.sweep()).toBe(0);
    const reader = stream.body!.getReader();
    let received = '';
    while (!received.includes('event: expire'))
      received += Buffer.from((await reader.read()).value!).toString('utf8');
    await reader.cancel();
    expect(received).toContain('"key":"gone"');
    expect(received).not.toContain('value"');
    const { store: rows, directory } = server.memory!.parts;
    const { ns } = (await directory.find({ subject: 'ada' }))!;
    expect((await rows.scan(ns, { limit: 10 })).map(({ kind: each }) => each)).toEqual(['fact']);
  });

  it('an imported fact keeps its expiry, even one shorter than the minimum TTL, and an expired one is skipped', async () => {
    const soonMs = Math.ceil(clock.now() / 1000) * 1000 + 5000;
    const lines = [5000, -60_000].map((more, index) =>
      JSON.stringify({
        key: `imported${index}`,
        value: 'x',
        expires_at: new Date(more > 0 ? soonMs : clock.now() + more).toISOString(),
      }),
    );
    const headers = { 'content-type': 'application/x-ndjson' };
    const answer = await server.call(
      'ada',
      'POST',
      '/api/v1/memory/import',
      `${lines.join('\n')}\n`,
      headers,
    );
    expect(await answer.json()).toMatchObject({ stored: 1, skipped: 1, lines: [{}, { reason: 'expired' }] });
    clock.set(soonMs - 1);
    expect((await get('/facts/imported0')).status).toBe(200);
    clock.set(soonMs);
    expect((await get('/facts/imported0')).status).toBe(404);
    expect((await get('/facts/imported1')).status).toBe(404);
  });
});
