import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eraseMemory } from '../../packages/helmdeck/src/memory/erase/erase-memory.ts';
import { createMemory } from '../../packages/helmdeck/src/memory/memory.ts';
import { corpusPage } from '../../packages/helmdeck/src/recall/corpus.ts';
import { hitView } from '../../packages/helmdeck/src/recall/hit-view.ts';
import { isOverviewQuestion } from '../../packages/helmdeck/src/recall/text/overview-question.ts';
import {
  fakeClock,
  runPack,
  type TestServer,
  testServer,
} from '../../packages/helmdeck/src/testing/index.ts';

const RUNS = 20_000;
const CALLER = { subject: 'ada' };
const clock = fakeClock(Date.UTC(2026, 0, 1));

const WORDS = [
  'deploy',
  'billing',
  'helmdeck',
  'recall',
  'persona',
  'technical',
  'ok',
  'konflux',
  'tuesday',
  'pack',
];
const word = (number: number) => WORDS[number % WORDS.length]!;
const QUERIES = [
  'deploy billing',
  'helmdeck memory recall',
  'technical persona',
  'ok',
  'which pack for konflux on tuesday',
  'a thing that nobody ever stored',
  'konflx',
  '',
];

async function start(env: Record<string, string> = {}): Promise<TestServer> {
  return testServer({ now: clock.now, env: { HELMDECK_RATE_LIMIT: 'off', ...env } });
}

async function addFacts(server: TestServer, count = 200): Promise<void> {
  for (let at = 0; at < count; at += 100) {
    const facts = Array.from({ length: Math.min(100, count - at) }, (_, n) => {
      const number = at + n;
      const [a, b, c] = [word(number), word(number * 3 + 1), word(Math.floor(number / 7))];
      return { key: `${a}/${b}/${number}`, value: `${c} ${a} with ${b}, number ${number}`, tags: [b] };
    });
    await server.call('ada', 'POST', '/api/v1/memory/store/batch', { facts });
    clock.advance(1_000);
  }
}

/** Records in the words of the facts, so that a shared index would rank by them. */
async function addRuns(server: TestServer, count: number): Promise<void> {
  const { history, parts } = server.memory!;
  for (let number = 0; number < count; number++) {
    history.addPack(CALLER, {
      pack: 'helmdeck.route',
      version: 'v1',
      outcome: number % 10 === 0 ? 'not_found' : 'ok',
      at_unix: Math.floor(clock.now() / 1000),
      duration_ms: number % 100,
      learn_inputs: { persona: 'technical', title: `deploy ${word(number)} with konflux` },
    });
    if (number % 5_000 === 4_999) await parts.pending.drain();
  }
  await parts.pending.drain();
}

const memoryOf = (server: TestServer) => createMemory(server.memory!.parts, CALLER);

/** Everything a search says but how long it took. */
async function answers(server: TestServer, kinds = 'fact'): Promise<string> {
  const all = [];
  for (const query of QUERIES) {
    const path = `/api/v1/memory/search?explain=1&kinds=${kinds}&q=${encodeURIComponent(query)}`;
    const { took_ms: _, ...answer } = (await (await server.call('ada', 'GET', path)).json()) as {
      took_ms: number;
    };
    all.push(answer);
    // An overview is ordered by what was recalled before, too.
    if (query !== '' && !isOverviewQuestion(query))
      all.push((await runPack(server, 'ada', 'helmdeck.memory_recall', { query })).output);
  }
  return JSON.stringify(all);
}

async function positionOf(server: TestServer) {
  const { directory, store } = server.memory!.parts;
  return store.position(directory.idOf(CALLER));
}

describe(`${RUNS.toLocaleString('en')} run records`, () => {
  let server: TestServer;
  let before: { answers: string; position: object; stats: Stats };
  interface Stats {
    counts: Record<string, number>;
    bytes: number;
    quota: { facts: { used: number }; bytes: { used: number } };
  }
  const statsOf = async () =>
    (await (await server.call('ada', 'GET', '/api/v1/memory/stats')).json()) as Stats;

  beforeAll(async () => {
    server = await start();
    await addFacts(server);
    const [position, stats] = [await positionOf(server), await statsOf()];
    before = { answers: await answers(server), position, stats };
    await addRuns(server, RUNS);
  });
  afterAll(() => server.close());

  it('run records do not change a search for facts: hits, scores, reasons, abstained', async () => {
    expect(await answers(server)).toBe(before.answers);
  });

  it('run records do not move the position of the facts', async () => {
    expect(await positionOf(server)).toEqual(before.position);
    await runPack(server, 'ada', 'helmdeck.route', { user_intent: 'deploy' });
    await server.memory!.parts.pending.drain();
    expect(await positionOf(server)).toEqual(before.position);
  });

  it('run records are found by their kind, and merged with facts without changing the order of either', async () => {
    const memory = memoryOf(server);
    const { recall } = server.memory!;
    const search = async (...kinds: ('fact' | 'audit.pack')[]) => {
      const request = { text: 'deploy konflux', limit: 100, kinds };
      const { hits } = await recall.search(memory, request, (answer) => answer);
      return hits.map((hit) => hitView(memory, hit));
    };
    const [facts, runs] = [await search('fact'), await search('audit.pack')];
    const both = await search('fact', 'audit.pack');
    expect([facts.length, runs.length, both.length]).toEqual([100, 100, 100]);
    const [factsIn, runsIn] = ['fact', 'audit.pack'].map((wanted) =>
      both.filter(({ kind }) => kind === wanted),
    ) as [typeof both, typeof both];
    expect(factsIn).toEqual(facts.slice(0, factsIn.length));
    expect(runsIn).toEqual(runs.slice(0, runsIn.length));
    expect(Math.min(factsIn.length, runsIn.length)).toBeGreaterThan(0);
    expect(both.map(({ score }) => score)).toEqual(both.map(({ score }) => score).sort((a, b) => b - a));
  });

  it('run records are counted in the stats, but not against the quota of facts and bytes', async () => {
    const stats = await statsOf();
    expect(stats.counts['audit.pack']).toBeGreaterThan(RUNS - 1_000);
    expect(stats.bytes).toBeGreaterThan(before.stats.bytes + RUNS * 100);
    expect(stats.quota).toEqual(before.stats.quota);
    expect(stats).toMatchObject({ unreadable_rows: 0 });
  });

  it('run records are counted in the list of callers, in which each caller appears once', async () => {
    const headers = { authorization: `Bearer ${await server.token('root', { scopes: ['admin'] })}` };
    const list = await server.call(undefined, 'GET', '/api/v1/memory/callers', undefined, headers);
    const { counts } = await statsOf();
    expect(await list.json()).toMatchObject({
      callers: [{ namespace: 'ada', count: counts.fact! + counts['audit.pack']! }],
    });
    const own = await server.call('ada', 'GET', '/api/v1/memory/callers');
    expect(await own.json()).toEqual({
      callers: [{ namespace: 'ada', count: counts.fact! + counts['audit.pack']! }],
    });
  });

  it('run records are counted in the receipt of an erase, which destroys both namespaces', async () => {
    const { parts, signer } = server.memory!;
    await parts.pending.drain();
    const { counts } = await statsOf();
    const main = parts.directory.idOf(CALLER);
    const namespaces = [main, parts.directory.runs.idOf(main)];
    for (const ns of namespaces) expect(await parts.store.getNamespace(ns)).toBeDefined();
    const { rows } = await eraseMemory(memoryOf(server), signer);
    expect(rows).toBe(Object.values(counts).reduce((sum, count) => sum + count, 0));
    for (const ns of namespaces) expect(await parts.store.getNamespace(ns)).toBeUndefined();
    expect(await statsOf()).toMatchObject({ counts: {}, bytes: 0 });
  });
});

it('the corpus pages through facts and run records, each once and newest first', async () => {
  const server = await start();
  onTestFinished(() => server.close());
  for (let round = 0; round < 5; round++) {
    await addFacts(server, 7 + round);
    await addRuns(server, 5);
    clock.advance(1_000);
  }
  const seen: { kind: string; key: string; updated_at: string }[] = [];
  let cursor: string | undefined;
  do {
    const page = await corpusPage(memoryOf(server), { limit: 4, cursor });
    seen.push(...page.chunks.map(({ metadata }) => metadata));
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  expect(seen.filter(({ kind }) => kind === 'fact')).toHaveLength(11);
  expect(seen.filter(({ kind }) => kind === 'audit.pack')).toHaveLength(25);
  expect(new Set(seen.map(({ key }) => key)).size).toBe(36);
  const times = seen.map(({ updated_at }) => updated_at);
  expect(times).toEqual(times.toSorted().reverse());
  await expect(corpusPage(memoryOf(server), { limit: 4, cursor: '17' })).rejects.toMatchObject({
    reason: 'bad_cursor',
  });
});

it('runs do not count against the rate limit of writes, and have a separate one', async () => {
  const server = await start({ HELMDECK_RATE_LIMIT: '1' });
  onTestFinished(() => server.close());
  const route = () => runPack(server, 'ada', 'helmdeck.route', { user_intent: 'a' });
  const store = () => server.call('ada', 'POST', '/api/v1/memory/store', { key: 'a', value: 'b' });
  await route();
  await route();
  await expect(route()).rejects.toMatchObject({
    code: 'rate_limited',
    message: 'More than 1 runs a second.',
    retryAfterSeconds: 1,
  });
  expect([(await store()).status, (await store()).status, (await store()).status]).toEqual([200, 200, 429]);
});

it('run records do not fill the quota of bytes', async () => {
  const server = await start({ HELMDECK_QUOTA_BYTES: '20000' });
  onTestFinished(() => server.close());
  await addRuns(server, 500);
  const stored = await server.call('ada', 'POST', '/api/v1/memory/store', { key: 'a', value: 'b' });
  expect(stored.status).toBe(200);
});

it('expired run records are swept from their namespace', async () => {
  const server = await start();
  onTestFinished(() => server.close());
  await addFacts(server, 3);
  await addRuns(server, 10);
  clock.advance(31 * 86_400_000);
  const { parts } = server.memory!;
  expect(await server.janitor!.sweep()).toBe(10);
  expect(await parts.store.usage(0, parts.directory.runs.idOf(parts.directory.idOf(CALLER)))).toEqual([]);
});
