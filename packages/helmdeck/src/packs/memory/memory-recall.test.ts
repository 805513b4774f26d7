import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';

const clock = fakeClock();
let server: TestServer;
beforeAll(async () => {
  server = await testServer({ now: clock.now });
  await store('ada', { key: 'deploy/tool', value: 'I always deploy via Konflux', tags: ['ci'] });
  await store('ada', { key: 'food/diet', value: 'no peanuts, please', category: 'health' });
  await store('bob', { key: 'deploy/bob', value: 'Bob deploys by hand' });
  clock.advance(3 * 86_400_000);
});
afterAll(() => server.close());

const store = (subject: string, fact: object) => run(subject, 'helmdeck.memory_store', fact);
interface Output {
  results: { key: string }[];
  abstained?: boolean;
  chunks: { path: string; content: string }[];
  next_cursor?: string;
  conflicts?: object[];
  near_keys?: string[];
}

async function run(subject: string, pack: string, input: object) {
  const response = await server.call(subject, 'POST', `/api/v1/packs/${pack}`, input);
  const body = (await response.json()) as { output: Output; error?: string; reason?: string };
  return { status: response.status, ...body };
}

describe('helmdeck.memory_recall', () => {
  it('memory_recall finds the caller’s facts from vague words, with value, source and age', async () => {
    const { output } = await run('ada', 'helmdeck.memory_recall', {
      query: 'what was that about konflux deploys',
    });
    expect(output.abstained).toBe(false);
    expect(output.results[0]).toMatchObject({
      key: 'deploy/tool',
      kind: 'fact',
      value: 'I always deploy via Konflux',
      age: '3 days ago',
      source: { surface: 'rest' },
    });
    expect(JSON.stringify(output)).not.toContain('Bob');
  });

  it('memory_recall returns nothing rather than weak hits', async () => {
    const { output } = await run('ada', 'helmdeck.memory_recall', { query: 'quarterly tax forms' });
    expect(output).toMatchObject({ results: [], abstained: true });
  });

  it('memory_recall reads by key and filters by category and tag', async () => {
    const byKey = await run('ada', 'helmdeck.memory_recall', { key: 'food/diet' });
    expect(byKey.output.results).toMatchObject([{ key: 'food/diet', score: 1 }]);
    expect((await run('ada', 'helmdeck.memory_recall', { key: 'deploy/bob' })).output.results).toEqual([]);
    const inHealth = await run('ada', 'helmdeck.memory_recall', { query: 'konflux', category: 'health' });
    expect(inHealth.output.results).toEqual([]);
    const tagged = await run('ada', 'helmdeck.memory_recall', { query: 'deploy', tag: 'ci' });
    expect(tagged.output.results).toMatchObject([{ key: 'deploy/tool' }]);
  });
});

describe('memory_recall without words to search for', () => {
  beforeAll(async () => {
    await store('fay', { key: 'preferences/editor', value: 'Fay uses vim', category: 'preferences' });
    await store('fay', {
      key: 'preferences/theme',
      value: 'dark, please',
      category: 'preferences',
      tags: ['ui'],
    });
    clock.advance(86_400_000);
    for (let number = 0; number < 25; number++)
      await store('fay', { key: `log/${number}`, value: `wrote page ${number}` });
  });
  const keysFor = async (input: object) =>
    (await run('fay', 'helmdeck.memory_recall', input)).output.results.map(({ key }) => key);

  it.each([
    {},
    { query: '' },
    { query: 'What do you remember about me?' },
    { query: 'everything' },
    { query: 'user' },
    { query: 'all facts' },
    { query: 'current project' },
  ])('%j is an overview of the newest facts that says how many there are', async (input) => {
    const { output } = await run('fay', 'helmdeck.memory_recall', input);
    expect(output).toMatchObject({
      abstained: false,
      total: 27,
      categories: [
        { name: 'user_facts', count: 25 },
        { name: 'preferences', count: 2 },
      ],
    });
    expect(output.results).toHaveLength(20);
    expect(output.results[0]).toMatchObject({ key: 'log/24', value: 'wrote page 24' });
  });

  it('a fact that is recalled often comes before newer ones', async () => {
    for (let times = 0; times < 3; times++)
      await run('fay', 'helmdeck.memory_recall', { key: 'preferences/editor' });
    expect((await keysFor({}))[0]).toBe('preferences/editor');
  });

  it('category, prefix and tag narrow an overview and a search', async () => {
    expect((await keysFor({ category: 'preferences' })).sort()).toEqual([
      'preferences/editor',
      'preferences/theme',
    ]);
    expect(await keysFor({ tag: 'ui' })).toEqual(['preferences/theme']);
    expect(await keysFor({ prefix: 'log/2', limit: 3 })).toEqual(['log/24', 'log/23', 'log/22']);
    expect(await keysFor({ query: 'what do you know', prefix: 'preferences/t' })).toEqual([
      'preferences/theme',
    ]);
    expect(await keysFor({ query: 'vim', prefix: 'preferences/' })).toEqual(['preferences/editor']);
    expect(await keysFor({ query: 'vim', prefix: 'log/' })).toEqual([]);
  });

  it('a key that ends in a slash lists what is below it', async () => {
    expect((await keysFor({ key: 'preferences/' })).sort()).toEqual([
      'preferences/editor',
      'preferences/theme',
    ]);
  });

  it('a key that no fact has is answered with near ones, or with what the query finds', async () => {
    for (const key of ['preferences/editr', 'preferneces/editor', 'editor', 'user/editor']) {
      const { output } = await run('fay', 'helmdeck.memory_recall', { key });
      expect(output, key).toMatchObject({ results: [], abstained: true });
      expect(output.near_keys?.[0], key).toBe('preferences/editor');
    }
    const unlike = await run('fay', 'helmdeck.memory_recall', { key: 'zeppelin/colour' });
    expect(unlike.output).toEqual({ results: [], abstained: true, near_keys: [] });
    expect(await keysFor({ key: 'editing', query: 'vim' })).toEqual(['preferences/editor']);
  });

  it('an overview of an empty memory says that nothing is known', async () => {
    const { output } = await run('nobody', 'helmdeck.memory_recall', {});
    expect(output).toEqual({ results: [], abstained: true, total: 0 });
  });
});

/** The person lets a text in that the screen held back. */
async function accept(subject: string, id: string): Promise<void> {
  const authorization = `Bearer ${await server.token(subject, { scopes: ['memory:review'] })}`;
  const path = `/api/v1/memory/inbox/${id}/accept`;
  expect((await server.call(undefined, 'POST', path, undefined, { authorization })).status).toBe(200);
}

it('memory_recall and memory_history show hidden characters instead of passing them to a model', async () => {
  const value = 'drinks tea\u{e0069}\u{e0067}\u202e';
  const { output: quarantined } = await store('dan', { key: 'drink', value });
  await accept('dan', (quarantined as unknown as { proposal_id: string }).proposal_id);
  const recalled = await run('dan', 'helmdeck.memory_recall', { query: 'tea' });
  expect(recalled.output.results[0]).toMatchObject({
    value: 'drinks tea⟨3 hidden⟩',
    snippet: 'drinks tea⟨3 hidden⟩',
    highlights: [],
  });
  const { output } = await run('dan', 'helmdeck.memory_history', { key: 'drink' });
  expect(output).toMatchObject({ versions: [{ value: 'drinks tea⟨3 hidden⟩' }] });
});

it('memory_recall returns excerpts once its values have half a million characters, and by key the whole value', async () => {
  const value = `zeppelin ${'x '.repeat(30_000)}`.trim();
  for (let number = 0; number < 12; number++) await store('eve', { key: `long/${number}`, value });
  const { output } = await run('eve', 'helmdeck.memory_recall', { query: 'zeppelin', limit: 100 });
  const results = output.results as { key: string; value: string; truncated?: boolean }[];
  expect(results.map(({ truncated = false }) => truncated)).toEqual([
    ...Array<boolean>(8).fill(false),
    ...Array<boolean>(4).fill(true),
  ]);
  expect(results[11]!.value.length).toBeLessThan(300);
  const byKey = await run('eve', 'helmdeck.memory_recall', { key: results[11]!.key });
  expect(byKey.output.results[0]).toMatchObject({ value });
});

/** Run records are written after the response; reading the learned defaults waits for them. */
const runsWritten = () => server.call('ada', 'GET', '/api/v1/memory/defaults');

describe('helmdeck.memory_corpus', () => {
  it('memory_corpus pages contain every chunk of the caller exactly once: facts and runs, but no reads of memory', async () => {
    await run('ada', 'helmdeck.memory_recall', { query: 'konflux' });
    await run('ada', 'helmdeck.memory_history', { key: 'deploy/tool' });
    await run('ada', 'helmdeck.route', { user_intent: 'deploy' });
    await runsWritten();
    const chunks: { path: string; content: string }[] = [];
    let cursor: string | undefined;
    do {
      const { output } = await run('ada', 'helmdeck.memory_corpus', { limit: 2, cursor });
      chunks.push(...output.chunks);
      cursor = output.next_cursor;
    } while (cursor !== undefined && chunks.length < 100);
    const facts = chunks.filter(({ path }) => path.startsWith('facts/'));
    expect(facts.map(({ path }) => path).sort()).toEqual(['facts/deploy/tool', 'facts/food/diet']);
    expect(facts.find(({ path }) => path === 'facts/food/diet')!.content).toBe(
      '## food/diet\n\nno peanuts, please\n\n(category: health)',
    );
    expect(chunks.filter(({ path }) => path.startsWith('audit/'))).toMatchObject([
      { path: 'audit/pack/helmdeck.route' },
    ]);
    expect(JSON.stringify(chunks)).not.toContain('Bob');
  });

  it('memory_corpus refuses an unknown cursor', async () => {
    expect(await run('ada', 'helmdeck.memory_corpus', { cursor: 'x' })).toMatchObject({
      status: 400,
      reason: 'bad_cursor',
    });
  });
});

it('memory_store reports conflicting facts', async () => {
  const { output } = await store('ada', { key: 'deploy/other', value: 'I never deploy via Konflux' });
  expect(output.conflicts).toMatchObject([{ key: 'deploy/tool', kind: 'polarity' }]);
});

it('recall finds run records when they are requested by kind', async () => {
  await runsWritten();
  const response = await server.call('ada', 'GET', '/api/v1/memory/search?q=route&kinds=pack');
  const { results } = (await response.json()) as { results: { kind: string; snippet: string }[] };
  expect(results[0]).toMatchObject({ kind: 'audit.pack', snippet: expect.stringContaining('## Pack call:') });
});
