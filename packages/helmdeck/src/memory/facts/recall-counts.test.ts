import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { runPack } from '../../testing/run-pack.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { open } from '../crypto/sealed.ts';
import { createRecallCounts, RECALL_COUNT_POLICY } from './recall-counts.ts';

const PASSWORD = 'correct horse';
const ADA = { subject: 'ada' };
const DAY_MS = 86_400_000;
const clock = fakeClock();
let server: TestServer;

const start = (env: Record<string, string> = {}) =>
  testServer({
    now: clock.now,
    env: { HELMDECK_RATE_LIMIT: 'off', HELMDECK_ADMIN_PASSWORD: PASSWORD, ...env },
  });

beforeEach(async () => {
  server = await start();
  await storeSome();
});
afterEach(() => server.close());

interface Fact {
  key: string;
  recalled_count: number;
  last_recalled_at?: string;
}

async function call<T>(method: string, path: string, body?: unknown, subject = 'ada'): Promise<T> {
  const response = await server.call(subject, method, `/api/v1/memory${path}`, body);
  expect(response.status, path).toBe(200);
  return (await response.json()) as T;
}
const store = (key: string, value: string, more: object = {}) =>
  call('POST', '/store', { key, value, ...more });
async function storeSome() {
  await store('deploy/tool', 'We deploy with Konflux', { category: 'deploys', tags: ['ci'] });
  await store('drink', 'Ada drinks tea');
}
const recall = (input: object) => runPack(server, 'ada', 'helmdeck.memory_recall', input);
const fact = (key: string) => call<Fact>('GET', `/facts/${encodeURIComponent(key)}`);
const countOf = async (key: string) => (await fact(key)).recalled_count;
const listed = async (query = '') => (await call<{ facts: Fact[] }>('GET', `/facts${query}`)).facts;
const keysOf = (facts: Fact[]) => facts.map(({ key }) => key);
const iso = (ms: number) => new Date(ms).toISOString();

async function counterRows() {
  const { directory, store: db } = server.memory!.parts;
  const runs = await directory.runs.find(ADA);
  const rows = runs ? await db.scan(runs.ns, { kinds: ['recall-count'], limit: 100 }) : [];
  return rows.map((row) => open(runs!, row)!);
}
/** Three numbers a fact: the start of its id, count, time. */
const storedCounters = async () =>
  (await counterRows()).flatMap(({ value }) => JSON.parse(value) as number[]);
const flush = () => server.memory!.parts.recallCounts.flush(ADA);

describe('recall counts', () => {
  it('a fact that was never recalled has 0 and no time; each recall adds one and moves the time', async () => {
    expect(await fact('drink')).toMatchObject({ recalled_count: 0 });
    expect(await fact('drink')).not.toHaveProperty('last_recalled_at');
    await recall({ query: 'tea' });
    const firstMs = clock.now();
    expect(await fact('drink')).toMatchObject({ recalled_count: 1, last_recalled_at: iso(firstMs) });
    clock.advance(5_000);
    await recall({ key: 'drink' });
    expect(await fact('drink')).toMatchObject({ recalled_count: 2, last_recalled_at: iso(firstMs + 5_000) });
    expect(await countOf('deploy/tool')).toBe(0);
  });

  it('lists, versions, patched facts and contradicting facts show the same counters as the fact', async () => {
    await store('port', 'The API listens on port 8080');
    await store('port', 'The API listens on port 8081');
    await store('api/port', 'The API listens on port 9090');
    await recall({ key: 'port' });
    const shown = { recalled_count: 1, last_recalled_at: iso(clock.now()) };
    expect((await listed()).find(({ key }) => key === 'port')).toMatchObject(shown);
    expect((await listed('?sort=key')).find(({ key }) => key === 'port')).toMatchObject(shown);
    expect((await listed('?q=port')).find(({ key }) => key === 'port')).toMatchObject(shown);
    expect(await call('GET', '/facts/port?version=1')).toMatchObject({ version: 1, ...shown });
    expect(await call('PATCH', '/facts/port', { ttl_seconds: 7_200 })).toMatchObject(shown);
    const { disagreements } = await call<{ disagreements: { facts: Fact[] }[] }>('GET', '/disagreements');
    expect(disagreements.flatMap(({ facts }) => facts)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key: 'port', ...shown }),
        expect.objectContaining({ key: 'api/port', recalled_count: 0 }),
      ]),
    );
  });

  it('reading, listing, a page of the web UI and an admin in the memory of another count nothing', async () => {
    await fact('drink');
    await listed();
    await listed('?q=tea');
    const login = { username: 'admin', password: PASSWORD };
    const signedIn = await server.call(undefined, 'POST', '/api/v1/auth/session', login);
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    const headers = { host: '127.0.0.1:3000', cookie, 'sec-fetch-site': 'same-origin' };
    const inPage = async (path: string) => {
      const response = await server.call(undefined, 'GET', `/api/v1/memory/${path}`, undefined, headers);
      expect(response.status).toBe(200);
    };
    await inPage('search?q=tea&caller=ada');
    await inPage('start-notes?caller=ada');
    const { facts } = await call<{ facts: Fact[] }>('GET', '/facts');
    expect(facts.map(({ recalled_count }) => recalled_count)).toEqual([0, 0]);
    const ownFact = { key: 'own', value: 'The admin drinks coffee' };
    const post = await server.call(undefined, 'POST', '/api/v1/memory/store', ownFact, headers);
    expect(post.status).toBe(200);
    await inPage('search?q=coffee');
    await inPage('start-notes');
    const own = await server.call(undefined, 'GET', '/api/v1/memory/facts/own', undefined, headers);
    expect(await own.json()).toMatchObject({ recalled_count: 0 });
  });

  it('while auth is off, a program counts and a page does not', async () => {
    await server.close();
    server = await start({ HELMDECK_DISABLE_AUTH: '1' });
    const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
      server.call(undefined, method, `/api/v1/memory${path}`, body, { host: '127.0.0.1:3000', ...headers });
    await send('POST', '/store', { key: 'drink', value: 'Ada drinks tea' });
    await send('GET', '/search?q=tea', undefined, { 'sec-fetch-site': 'same-origin' });
    await send('GET', '/search?q=tea');
    expect(await (await send('GET', '/facts/drink')).json()).toMatchObject({ recalled_count: 1 });
  });

  it('a recall moves neither the position of the facts nor their image, and its write is not part of the answer', async () => {
    const { parts, recall: search } = server.memory!;
    const position = () => parts.store.position(parts.directory.idOf(ADA));
    await recall({ query: 'tea' });
    const [before, { loads }] = [await position(), search.status()];
    let writes = 0;
    const { apply } = parts.store;
    parts.store.apply = (...args) => {
      writes++;
      return apply(...args);
    };
    const answer = await recall({ query: 'tea' });
    expect(writes).toBe(0);
    await flush();
    expect(writes).toBe(1);
    expect(await position()).toEqual(before);
    expect(await recall({ query: 'tea' })).toMatchObject({ output: answer.output });
    expect(search.status().loads).toBe(loads);
  });

  it('counters are sealed: no key of a fact is in them', async () => {
    await recall({ query: 'tea' });
    await flush();
    const { directory, store: db } = server.memory!.parts;
    const runs = (await directory.runs.find(ADA))!;
    const [row] = await db.scan(runs.ns, { kinds: ['recall-count'], limit: 10 });
    expect(Buffer.from(row!.body).toString('latin1')).not.toContain('recall');
    expect(JSON.stringify(open(runs, row!))).not.toContain('drink');
  });
});

describe('forgetting', () => {
  it.each([
    ['key:drink', []],
    ['tag:drinks', []],
    ['prefix:drin', []],
    ['category:drinks', []],
    ['facts', undefined],
    ['all', undefined],
  ])(
    'forget %s removes the counter, stored or in RAM, and the same key begins at 0 again',
    async (scope, kept) => {
      await store('drink', 'Ada drinks tea', { category: 'drinks', tags: ['drinks'] });
      await recall({ key: 'drink' });
      await recall({ key: 'deploy/tool' });
      await flush();
      await recall({ key: 'drink' });
      await call('POST', '/forget', { scope, confirm: true });
      const counters = await storedCounters();
      if (kept) expect(counters).toEqual([expect.any(Number), 1, clock.now()]);
      else expect(await counterRows(), 'not even empty ones').toEqual([]);
      await storeSome();
      expect(await countOf('drink')).toBe(0);
      expect(await countOf('deploy/tool')).toBe(kept ? 1 : 0);
    },
  );

  it('facts that are forgotten together lose their counters in few writes', async () => {
    const keys = Array.from({ length: 20 }, (_, n) => `many/${n}`);
    for (const key of keys) await store(key, `value of ${key}`);
    for (const key of keys) await recall({ key });
    await flush();
    expect(await storedCounters()).toHaveLength(60);
    await call('POST', '/facts/bulk', { keys, forget: true });
    expect(await storedCounters()).toEqual([]);
  });

  it('an erase takes stored counters and those in RAM along', async () => {
    await recall({ key: 'drink' });
    await flush();
    await recall({ key: 'drink' });
    await call('POST', '/forget', { scope: 'erase' });
    expect(await server.memory!.parts.directory.runs.find(ADA)).toBeUndefined();
    await flush();
    expect(await server.memory!.parts.directory.find(ADA), 'a flush creates no namespace').toBeUndefined();
    await storeSome();
    expect(await countOf('drink')).toBe(0);
    await recall({ key: 'drink' });
    await call('POST', '/forget', { scope: 'erase' });
    await storeSome();
    expect(await countOf('drink'), 'without a flush in between').toBe(0);
  });

  it('counters of expired facts are removed within a day of recalls', async () => {
    await store('short', 'A short note about lunch', { ttl_seconds: 3_600 });
    await recall({ key: 'short' });
    await recall({ key: 'drink' });
    await flush();
    expect(await storedCounters()).toHaveLength(6);
    clock.advance(DAY_MS);
    await server.janitor!.sweep();
    await recall({ key: 'drink' });
    await server.memory!.parts.pending.drain();
    expect(await storedCounters()).toEqual([expect.any(Number), 2, clock.now()]);
  });

  it('a forget reads the ids of all facts only if counters may be of facts deleted unseen', async () => {
    const { store: db } = server.memory!.parts;
    const { marks } = db;
    let reads = 0;
    db.marks = (...args) => {
      reads++;
      return marks(...args);
    };
    onTestFinished(() => {
      db.marks = marks;
    });
    await recall({ key: 'drink' });
    await flush();
    await call('DELETE', '/facts/drink');
    expect(await storedCounters()).toEqual([]);
    expect(reads).toBe(0);
    await recall({ key: 'deploy/tool' });
    await flush();
    await call('POST', '/forget', { scope: 'category:deploys' });
    expect(await storedCounters()).toEqual([]);
    expect(reads, 'a bulk delete leaves no list of what it deleted').toBeGreaterThan(0);
  });
});

describe('never_recalled=1', () => {
  it('lists facts that are 7 days old and were never recalled', async () => {
    await recall({ key: 'drink' });
    const list = (query = '') => listed(`?never_recalled=1${query}`).then(keysOf);
    clock.advance(RECALL_COUNT_POLICY.neverRecalledAfterMs - 1);
    await store('young', 'A young fact about tea');
    expect(await list()).toEqual([]);
    clock.advance(1);
    expect(await list()).toEqual(['deploy/tool']);
    expect(await list('&sort=key&category=deploys')).toEqual(['deploy/tool']);
    expect(await list('&q=konflux')).toEqual(['deploy/tool']);
    expect(await list('&q=tea')).toEqual([]);
    await recall({ query: 'konflux' });
    expect(await list()).toEqual([]);
    await flush();
    expect(await list()).toEqual([]);
    expect(await listed('?never_recalled=0')).toHaveLength(3);
    const wrong = await server.call('ada', 'GET', '/api/v1/memory/facts?never_recalled=yes');
    expect(wrong.status).toBe(400);
  });
});

describe('durability', () => {
  async function onFile(): Promise<Record<string, string>> {
    await server.close();
    const folder = await mkdtemp(join(tmpdir(), 'recall-counts-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return { HELMDECK_DB: join(folder, 'memory.db'), HELMDECK_MEMORY_KEY: 'ab'.repeat(32) };
  }

  it('a restart keeps every count', async () => {
    const env = await onFile();
    server = await start(env);
    await storeSome();
    for (let n = 0; n < 3; n++) await recall({ query: 'tea' });
    const before = await fact('drink');
    expect(before.recalled_count).toBe(3);
    await server.close();
    server = await start(env);
    expect(await fact('drink')).toEqual(before);
    await recall({ query: 'tea' });
    expect(await countOf('drink')).toBe(4);
  });

  it('a failed write is put back, shown meanwhile, and written later', async () => {
    const { store: db } = server.memory!.parts;
    const { apply } = db;
    await recall({ query: 'tea' });
    db.apply = async () => {
      throw new Error('not now');
    };
    await expect(flush()).rejects.toThrow('not now');
    await recall({ query: 'tea' });
    expect(await countOf('drink')).toBe(2);
    db.apply = apply;
    await flush();
    expect(await storedCounters()).toEqual([expect.any(Number), 2, clock.now()]);
    expect(await countOf('drink')).toBe(2);
  });

  it('a damaged row of counters counts as empty and is replaced', async () => {
    await recall({ query: 'tea' });
    await flush();
    const { directory, store: db, recallCounts } = server.memory!.parts;
    const runs = (await directory.runs.find(ADA))!;
    const [row] = await db.scan(runs.ns, { kinds: ['recall-count'], limit: 1 });
    await db.apply(runs, [{ type: 'put', row: { ...row!, body: Buffer.alloc(64), rev: 2 } }]);
    await server.memory!.parts.pending.drain();
    await db.apply(runs, [{ type: 'deleteWhere', kinds: ['recall'] }]); // a new epoch: everything is read again
    await recallCounts.flush(ADA);
    expect(await countOf('drink')).toBe(0);
    await recall({ query: 'tea' });
    await flush();
    expect(await storedCounters()).toEqual([expect.any(Number), 1, clock.now()]);
  });

  it('counts are written after half a minute without any further request', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await recall({ query: 'tea' });
    vi.advanceTimersByTime(RECALL_COUNT_POLICY.flushMs - 1);
    expect(await storedCounters()).toEqual([]);
    vi.advanceTimersByTime(1);
    await expect.poll(storedCounters).toEqual([expect.any(Number), 1, clock.now()]);
  });

  it('RAM is bounded: counters of other callers are dropped and read again', async () => {
    const { parts } = server.memory!;
    const { scan } = parts.store;
    let reads = 0;
    const db = Object.create(parts.store, {
      scan: {
        value: (...args: Parameters<typeof scan>) => {
          reads++;
          return scan(...args);
        },
      },
    }) as typeof parts.store;
    const counts = createRecallCounts({ ...parts, store: db }, { ...RECALL_COUNT_POLICY, maxCachedFacts: 3 });
    const callers = ['ada', 'bob', 'cyd'].map((subject) => ({ subject }));
    for (const { subject } of callers) await call('POST', '/store', { key: 'k', value: 'v' }, subject);
    const add = async (caller: { subject: string }) => {
      counts.add(caller, ['k']);
      await counts.flush(caller);
    };
    for (const caller of callers) await add(caller);
    expect(reads).toBe(3);
    for (const caller of callers) await add(caller);
    expect(reads).toBe(6);
    for (const caller of callers) expect((await counts.read(caller))('k')).toMatchObject({ count: 2 });
  });

  it('no more than the limit waits for a store that is unavailable, and known facts count on', async () => {
    const { parts } = server.memory!;
    const counts = createRecallCounts(parts, { ...RECALL_COUNT_POLICY, maxWaitingFacts: 1 });
    counts.add(ADA, ['drink', 'deploy/tool']);
    counts.add(ADA, ['drink', 'deploy/tool']);
    const countOfKey = await counts.read(ADA);
    expect(countOfKey('drink')?.count).toBe(2);
    expect(countOfKey('deploy/tool')).toBeUndefined();
  });
});
