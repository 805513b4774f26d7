import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeClock } from '../../packages/helmdeck/src/testing/fake-clock.ts';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/test-server.ts';
import { startPostgres } from '../support/services/postgres.ts';
import { startRedis } from '../support/services/redis.ts';
import { callTool, connectClient, readJson } from './mcp/clients.ts';

const DAY_MS = 86_400_000;
/** A day of the running year, or the year would be part of the caution. */
const STORED_MS = Date.UTC(2026, 2, 3, 10, 20, 30, 456);
const CAUTION = 'unconfirmed since 3 March; check before relying on it';
const STALE = 'deploy/target';
const FRESH = 'preferences/editor';
const FACTS = [
  { key: STALE, value: 'Releases are deployed to the Hetzner cluster.', category: 'ops' },
  { key: FRESH, value: 'Prefers vim for releases.', category: 'preferences' },
  { key: 'deploy/hourly', value: 'The release train is red.', category: 'ops', review_after_seconds: 3_600 },
];
const EXPIRES_MS = STORED_MS - 456 + 90 * DAY_MS;

const postgres = await startPostgres();
const redis = await startRedis({ appendfsync: 'everysec' });
const folder = mkdtempSync(join(tmpdir(), 'helmdeck-freshness-'));
afterAll(async () => {
  if (typeof postgres !== 'string') await postgres.stop();
  if (typeof redis !== 'string') await redis.stop();
  rmSync(folder, { recursive: true, force: true });
});

const DATABASES: [name: string, db: string | undefined][] = [
  ['memory', 'memory:'],
  ['SQLite', join(folder, 'helmdeck.db')],
  ['PostgreSQL', typeof postgres === 'string' ? undefined : postgres.url()],
  ['Redis', typeof redis === 'string' ? undefined : redis.url()],
];

type Views = Record<string, unknown>[];

describe.each(DATABASES)('freshness on %s', (_name, db) => {
  if (db === undefined) return it.skip('the database server is not installed');
  const clock = fakeClock(STORED_MS);
  let server: TestServer;

  beforeAll(async () => {
    const env = {
      HELMDECK_DB: db,
      HELMDECK_DATA_DIR: folder,
      HELMDECK_MEMORY_KEY: 'ab'.repeat(32),
      HELMDECK_REVIEW_AFTER: 'preferences=90d,*=30d',
    };
    server = await testServer({ env, now: clock.now, socket: true });
    await server.call('ada', 'POST', '/api/v1/memory/store/batch', { facts: FACTS });
  });
  afterAll(() => server.close());

  async function rest<T = Record<string, Views>>(path: string, method = 'GET', body?: object): Promise<T> {
    const answer = await server.call('ada', method, `/api/v1/memory${path}`, body);
    expect(answer.status, path).toBe(200);
    return (await answer.json()) as T;
  }

  const pack = async (name: string, body: object) =>
    (
      (await (await server.call('ada', 'POST', `/api/v1/packs/${name}`, body)).json()) as {
        output: Record<string, Views>;
      }
    ).output;

  /** A fact as every read path shows it. */
  async function views(key: string): Promise<Record<string, Record<string, unknown>>> {
    const of = (list: Views | undefined) => list!.find((view) => view.key === key)!;
    const [mcp, qmd] = [
      await connectClient(server, '2026-07-28', 'ada'),
      await connectClient(server, '2026-07-28', 'ada', { path: '/api/v1/mcp/qmd' }),
    ];
    const encoded = encodeURIComponent(key);
    const recalled = await callTool(mcp, 'memory_recall', { query: 'releases' });
    const file = `facts/${key}`;
    const queried = (await callTool(qmd, 'query', { query: 'releases' })).structured
      .results as unknown as Views;
    const { chunks } = (await pack('helmdeck.memory_corpus', {})) as unknown as {
      chunks: { metadata: Record<string, unknown> }[];
    };
    const context = await rest<{ entries: Record<string, Views> }>('/context');
    const notes = await rest<{ text: string }>('/start-notes');
    const seen = {
      get: await rest<Record<string, unknown>>(`/facts/${encoded}`),
      'get by version': await rest<Record<string, unknown>>(`/facts/${encoded}?version=1`),
      'newest facts': of((await rest('/facts')).facts),
      'sorted facts': of((await rest('/facts?sort=key')).facts),
      'matching facts': of((await rest('/facts?q=releases')).facts),
      search: of((await rest('/search?q=releases')).results),
      'newest first': of((await rest('/search')).results),
      context: of(Object.values(context.entries).flat()),
      'start notes': { text: notes.text.split('\n').find((line) => line.startsWith(`- ${key}:`)) },
      'recall pack': of((await pack('helmdeck.memory_recall', { query: 'releases' })).results),
      'recall pack by key': of((await pack('helmdeck.memory_recall', { key })).results),
      'recall tool': of(recalled.structured.results),
      'recall tool as text': { text: recalled.text.split('\n').find((line) => line.startsWith(`- ${key}:`)) },
      resource: await readJson(mcp, `helmdeck://facts/${key}`),
      corpus: chunks.find(({ metadata }) => metadata.key === key)!.metadata,
      'QMD query': queried.find((hit) => hit.file === file)!,
      'QMD get': (await callTool(qmd, 'get', { file })).structured,
      'QMD multi_get': (await callTool(qmd, 'multi_get', { pattern: 'facts/*' })).structured.documents!,
    };
    const documents = seen['QMD multi_get'] as unknown as Views;
    await Promise.all([mcp.close(), qmd.close()]);
    return { ...seen, 'QMD multi_get': documents.find((document) => document.file === file)! };
  }

  const IN_WORDS = ['start notes', 'recall tool as text'];
  const CAUTIOUS = [
    ...IN_WORDS,
    'recall pack',
    'recall pack by key',
    'recall tool',
    'resource',
    'QMD query',
    'QMD get',
    'QMD multi_get',
  ];

  async function expectStale(key: string, isStale: boolean): Promise<void> {
    for (const [path, view] of Object.entries(await views(key))) {
      expect(view, path).toBeDefined();
      if (!IN_WORDS.includes(path)) expect(view.stale, path).toBe(isStale ? true : undefined);
      const shown = JSON.stringify(view);
      expect(shown.includes(CAUTION), path).toBe(isStale && CAUTIOUS.includes(path));
    }
  }

  /** The search, without what says how fresh a hit is. */
  async function ranking(): Promise<string> {
    const { results, abstained } = await rest('/search?q=where+do+releases+go&explain=1');
    const without = results!.map(
      ({ stale: _, confirmed_at: __, review_by: ___, expires_at: ____, ...hit }) => hit,
    );
    return JSON.stringify({ results: without, abstained });
  }

  it('one millisecond before its review a fact is not stale on any read path', async () => {
    clock.set(STORED_MS + 30 * DAY_MS - 1);
    await expectStale(STALE, false);
    expect((await rest('/facts?due=1')).facts!.map(({ key }) => key)).toEqual(['deploy/hourly']);
  });

  it('at its review a fact is stale on every read path, and the search is as it was', async () => {
    clock.set(STORED_MS + 30 * DAY_MS - 1);
    const before = await ranking();
    clock.advance(1);
    await expectStale(STALE, true);
    await expectStale(STALE, true); // reading does not clear it
    await expectStale(FRESH, false); // its category has a longer period
    expect(await ranking()).toBe(before);
    const due = async (query: string) => (await rest(`/facts?due=1${query}`)).facts!.map(({ key }) => key);
    expect(await due('&sort=due')).toEqual(['deploy/hourly', STALE]);
    expect(await due(''), 'the one that was recalled most comes first').toEqual([STALE, 'deploy/hourly']);
    expect((await rest('/facets?due=1')).total).toBe(2);
  });

  it('a confirmation clears the mark, renews the lifetime, and makes no version', async () => {
    clock.set(STORED_MS + 40 * DAY_MS);
    const before = await ranking();
    const { updated_at } = await rest<{ updated_at: string }>(`/facts/${encodeURIComponent(STALE)}`);
    expect(await rest(`/facts/${encodeURIComponent(STALE)}/confirm`, 'POST')).toEqual({
      key: STALE,
      version: 1,
      confirmed_at: new Date(clock.now()).toISOString(),
      review_by: new Date(clock.now() + 30 * DAY_MS).toISOString(),
      expires_at: new Date(EXPIRES_MS + 40 * DAY_MS).toISOString().replace('.000', ''),
    });
    await expectStale(STALE, false);
    expect(await ranking()).toBe(before);
    expect(await rest(`/facts/${encodeURIComponent(STALE)}`)).toMatchObject({ version: 1, updated_at });
    expect((await rest('/facts?due=1')).facts!.map(({ key }) => key)).toEqual(['deploy/hourly']);
  });

  it('a fact is due from one week before its expiry on', async () => {
    const due = async () => (await rest('/facts?due=1')).facts!.map(({ key }) => key);
    clock.set(EXPIRES_MS - 7 * DAY_MS - 1);
    expect(await due()).not.toContain(FRESH);
    clock.advance(1);
    expect(await due()).toContain(FRESH);
    expect(await rest(`/facts/${encodeURIComponent(FRESH)}`)).not.toHaveProperty('stale');
  });
});
