import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FACT_SORTS, type FactSort } from '../memory/facts/fact-pages.ts';
import type { Facets } from '../memory/facts/overview.ts';
import type { FactView } from '../memory/facts/read-facts.ts';
import type { RecallCountView } from '../memory/facts/recall-counts.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { type TestServer, testServer } from '../testing/test-server.ts';

const clock = fakeClock();
let server: TestServer;
let subjects = 0;
beforeAll(async () => {
  server = await testServer({ now: clock.now });
});
afterAll(() => server.close());

const MEMORY = '/api/v1/memory';
const HOUR = 3_600;
const WEEK_MS = 7 * 24 * HOUR * 1_000;

async function read<T>(subject: string, path: string): Promise<T> {
  const answer = await server.call(subject, 'GET', `${MEMORY}${path}`);
  expect(answer.status, path).toBe(200);
  return (await answer.json()) as T;
}

type CountedFact = FactView & RecallCountView;

/** A list as a client reads it, page by page. */
async function listed(subject: string, query: string, limit: number): Promise<CountedFact[]> {
  const facts: CountedFact[] = [];
  for (let cursor = ''; ; ) {
    const page: { facts: CountedFact[]; next_cursor?: string } = await read(
      subject,
      `/facts?${query}&limit=${limit}${cursor}`,
    );
    facts.push(...page.facts);
    if (page.next_cursor === undefined) return facts;
    cursor = `&cursor=${page.next_cursor}`;
  }
}

const ORDER: Record<FactSort, (a: CountedFact, b: CountedFact) => number> = {
  updated: (a, b) => compare(b.updated_at, a.updated_at),
  created: (a, b) => compare(b.created_at, a.created_at) || compare(a.key, b.key),
  key: (a, b) => compare(a.key, b.key),
  expires: (a, b) => compare(a.expires_at, b.expires_at) || compare(a.key, b.key),
  due: (a, b) => dueMs(a) - dueMs(b) || compare(a.key, b.key),
  recalled: (a, b) => b.recalled_count - a.recalled_count || ORDER.due(a, b),
};
const dueMs = ({ review_by, expires_at }: FactView) =>
  Math.min(Date.parse(review_by!), Date.parse(expires_at) - WEEK_MS);
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const part = fc.constantFrom('a', 'b', 'ab', 'ä', 'c d');
const step = fc.record({
  key: fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
  category: fc.constantFrom('one', 'two', 'tag', 'constructor'),
  tags: fc.uniqueArray(fc.constantFrom('x', 'y', 'category', '__proto__'), { maxLength: 3 }),
  project: fc.constantFrom(undefined, 'github.com/acme/shop', 'tag', 'x'),
  hours: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(10 * 24)),
  review_after_seconds: fc.constantFrom(undefined, HOUR, 3 * HOUR, 4 * HOUR),
  recalls: fc.integer({ min: 0, max: 2 }),
  forget: fc.boolean(),
});

describe('lists and counts', () => {
  it('lists and counts match the stored facts in every order, on pages of any size, for every filter', async () => {
    const script = fc.array(step, { minLength: 1, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(script, fc.integer({ min: 1, max: 7 }), async (steps, limit) => {
        const subject = `caller-${subjects++}`;
        for (const { forget, hours, recalls, ...fact } of steps) {
          clock.advance(1_000);
          await server.call(subject, 'POST', `${MEMORY}/store`, {
            ...fact,
            value: 'v',
            ttl_seconds: hours * HOUR,
          });
          const keys = Array.from({ length: recalls }, () => fact.key);
          server.memory!.parts.recallCounts.add({ subject }, keys);
          const path = `${MEMORY}/facts/${encodeURIComponent(steps[0]!.key)}`;
          if (forget) await server.call(subject, 'DELETE', path);
        }
        clock.advance(3 * HOUR * 1_000);
        const all = await listed(subject, '', 200);
        for (const sort of FACT_SORTS) {
          expect(await listed(subject, `sort=${sort}&prefix=`, limit)).toEqual(all.toSorted(ORDER[sort]));
        }
        const soon = new Date(clock.now() + HOUR * 1_000).toISOString();
        const expectOnly = async (query: string, holds: (fact: CountedFact) => boolean) =>
          expect(await listed(subject, query, limit), query).toEqual(all.filter(holds));
        await expectOnly('prefix=a%2F', ({ key }) => key.startsWith('a/'));
        await expectOnly('tag=category', ({ tags }) => tags.includes('category'));
        await expectOnly(
          'category=tag&tag=x',
          ({ category, tags }) => category === 'tag' && tags.includes('x'),
        );
        await expectOnly('project=x', ({ project }) => project === 'x');
        await expectOnly('project=tag&tag=x', ({ project, tags }) => project === 'tag' && tags.includes('x'));
        await expectOnly('tag=y&tag=x', ({ tags }) => tags.includes('x') && tags.includes('y'));
        const sinceMs = clock.now() - 3 * HOUR * 1_000 - 5_000;
        const since = encodeURIComponent(new Date(sinceMs).toISOString());
        await expectOnly(`updated_since=${since}`, ({ updated_at }) => Date.parse(updated_at) >= sinceMs);
        const due = all.filter((fact) => clock.now() >= dueMs(fact));
        expect(await listed(subject, 'due=1', limit)).toEqual(due.toSorted(ORDER.recalled));
        expect(await read(subject, '/facets?due=1')).toEqual(countedIn(due, ''));
        await expectOnly('due=1&sort=updated', (fact) => due.includes(fact));
        await expectOnly('source=rest', () => true);
        await expectOnly('source=nobody', () => false);
        await expectOnly(
          `expiring_within=${HOUR}`,
          ({ expires_at }) => Date.parse(expires_at) <= Date.parse(soon),
        );
        for (const prefix of ['', 'a/', 'a/b']) {
          const path = `/facets?prefix=${encodeURIComponent(prefix)}`;
          expect(await read(subject, path)).toEqual(countedIn(all, prefix));
          const recent = all.filter(({ updated_at }) => Date.parse(updated_at) >= sinceMs);
          const tagged = recent.filter(({ tags }) => tags.includes('x') && tags.includes('y'));
          const ofCategory = (category: string) => (fact: FactView) => fact.category === category;
          expect(await read(subject, `${path}&tag=x&tag=y&updated_since=${since}&category=two`)).toEqual({
            ...countedIn(tagged.filter(ofCategory('two')), prefix),
            // Counted without its own filter, so that another one can be chosen.
            categories: countedIn(tagged, prefix).categories,
          });
          const inProject = all.filter(({ project }) => project === 'x');
          expect(await read(subject, `${path}&project=x`)).toEqual({
            ...countedIn(inProject, prefix),
            projects: countedIn(all, prefix).projects,
          });
          expect(await read(subject, `${path}&source=cursor`)).toEqual({
            ...countedIn([], prefix),
            sources: countedIn(all, prefix).sources,
          });
        }
        expect(await read(subject, '/mine')).toEqual({
          scope: `caller=${subject}`,
          fetched_at: new Date(clock.now()).toISOString(),
          ...outlinedFrom(all, clock.now() + WEEK_MS),
        });
      }),
      { numRuns: 12 },
    );
  });

  it('lists and counts follow stores, forgets and expiry', async () => {
    const store = (key: string, hours: number) =>
      server.call('eve', 'POST', `${MEMORY}/store`, { key, value: 'v', ttl_seconds: hours * HOUR });
    await store('k/1', 1);
    await store('k/2', 2);
    const first = clock.now();
    const total = async () => ((await read('eve', '/facets')) as Facets).prefixes[0]?.count;
    expect(await total()).toBe(2);
    await store('k/3', 3);
    expect(await total()).toBe(3);
    await server.call('eve', 'DELETE', `${MEMORY}/facts/k%2F2`);
    expect(await total()).toBe(2);
    clock.advance(2 * HOUR * 1_000);
    expect(await total()).toBe(1);
    const stats = await read<{ oldest: string; next_expiry: string }>('eve', '/stats');
    expect(stats).toMatchObject({ counts: { fact: 1 }, unreadable_rows: 0, embeddings: null });
    expect(Date.parse(stats.oldest)).toBe(first);
    expect(Math.round((Date.parse(stats.next_expiry) - first) / 1_000)).toBe(3 * HOUR);
    expect(await read('eve', '/stats?check=0')).toMatchObject({ unreadable_rows: null });
    expect(await read('nobody-yet', '/facets')).toEqual({
      total: 0,
      categories: [],
      projects: [],
      tags: [],
      sources: [],
      prefixes: [],
    });
    expect(await read('nobody-yet', '/stats')).toMatchObject({ oldest: null, next_expiry: null });
    expect(await read('nobody-yet', '/mine')).toMatchObject({
      categories: [],
      note: 'Nothing is stored yet.',
    });
  });
});

describe('counts of a search', () => {
  const store = (key: string, value: string, more: object = {}) =>
    server.call('finn', 'POST', `${MEMORY}/store`, { key, value, ...more });

  it('facets with a query count the facts that match it confidently, within the other filters', async () => {
    await store('ops/deploy', 'Deploys go through Konflux', { category: 'ops', tags: ['deploy'] });
    await store('ops/staging', 'Staging deploys at night', { category: 'ops', tags: ['deploy', 'night'] });
    await store('home/deploys', 'The router is deployed from a script', { category: 'home' });
    await store('home/tea', 'Green tea in the morning', { category: 'home' });
    const { results } = await read<{ results: { key: string; confident: boolean }[] }>(
      'finn',
      '/search?q=deploy',
    );
    expect(results.filter(({ confident }) => confident).map(({ key }) => key)).toHaveLength(3);
    expect(await read('finn', '/facets?q=deploy')).toMatchObject({
      total: 3,
      categories: [
        { name: 'ops', count: 2 },
        { name: 'home', count: 1 },
      ],
      prefixes: [
        { name: 'ops/', count: 2 },
        { name: 'home/', count: 1 },
      ],
    });
    expect(await read('finn', '/facets?q=deploy&category=home&prefix=home/')).toMatchObject({
      total: 1,
      categories: [{ name: 'home', count: 1 }],
    });
    expect(await read('finn', '/facets?q=zeppelin')).toMatchObject({ total: 0, categories: [], tags: [] });
    expect(await read('finn', '/facets?q=%20')).toMatchObject({ total: 4 });
  });

  it('hits without a query do not say whether they are confident', async () => {
    await store('plain', 'text');
    const { results } = await read<{ results: object[] }>('finn', '/search');
    expect(results[0]).not.toHaveProperty('confident');
  });

  it('more tags in one filter than a fact can have are refused', async () => {
    const path = `${MEMORY}/facets?${Array.from({ length: 33 }, (_, at) => `tag=t${at}`).join('&')}`;
    const answer = await server.call('finn', 'GET', path);
    expect(await answer.json()).toMatchObject({ error: 'invalid_input', reason: 'too_many_tags' });
  });
});

/** The same counts by the shortest way that can be read. */
function countedIn(facts: readonly FactView[], prefix: string): Facets {
  const under = facts.filter(({ key }) => key.startsWith(prefix));
  const counted = (names: string[]) =>
    [...new Set(names)]
      .map((name) => ({ name, count: names.filter((one) => one === name).length }))
      .sort((a, b) => b.count - a.count || compare(a.name, b.name));
  return {
    total: under.length,
    categories: counted(under.map(({ category }) => category)),
    tags: counted(under.flatMap(({ tags }) => tags)),
    projects: counted(under.flatMap(({ project = [] }) => project)),
    sources: counted(under.map(({ source }) => source.client ?? source.surface)),
    prefixes: counted(
      under
        .filter(({ key }) => key.includes('/', prefix.length))
        .map(({ key }) => key.slice(0, key.indexOf('/', prefix.length) + 1)),
    ),
  };
}

/** Of facts that are listed newest first. */
function outlinedFrom(facts: readonly FactView[], soonMs: number) {
  const names = [...new Set(facts.map(({ category }) => category))].sort(compare);
  const soon = facts.filter(({ expires_at }) => Date.parse(expires_at) <= soonMs).length;
  const expiring = soon === 1 ? '1 fact expires' : `${soon} facts expire`;
  const note = `${expiring} within a week; store or renew what should stay.`;
  return {
    categories: names.map((name) => {
      const own = facts.filter(({ category }) => category === name);
      return { name, count: own.length, recent_keys: own.slice(0, 5).map(({ key }) => key) };
    }),
    ...(facts.length === 0 ? { note: 'Nothing is stored yet.' } : soon === 0 ? {} : { note }),
  };
}
