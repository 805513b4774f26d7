import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeClock, type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';

// Clients and scripts depend on every name here: a change must be deliberate and have a line in the changelog.

const clock = fakeClock(Date.UTC(2026, 0, 1, 12, 0, 0, 250));
let server: TestServer;
const call = (method: string, path: string, body?: unknown) =>
  server.call('ada', method, `/api/v1/memory${path}`, body);
const json = async (method: string, path: string, body?: unknown) => (await call(method, path, body)).json();
const store = (key: string, value: string, more: object = {}) =>
  json('POST', '/store', { key, value, ttl_seconds: 3600, ...more });

beforeAll(async () => {
  server = await testServer({ now: clock.now });
  await store('billing/deploy', 'We deploy billing with Konflux on Tuesdays.', {
    category: 'infra',
    tags: ['ci'],
  });
  await store('cat', 'The cat is called Miso.');
});
afterAll(() => server.close());

const SCORE = expect.any(Number);
const HIT = {
  key: 'billing/deploy',
  kind: 'fact',
  category: 'infra',
  tags: ['ci'],
  score: SCORE,
  snippet: 'We deploy billing with Konflux on Tuesdays.',
  highlights: [[23, 30]],
  created_at: '2026-01-01T12:00:00.250Z',
  updated_at: '2026-01-01T12:00:00.250Z',
  expires_at: '2026-01-01T13:00:00Z',
  source: { surface: 'rest', token_id: expect.any(String) },
  confirmed_at: '2026-01-01T12:00:00.250Z',
  review_by: '2026-01-31T12:00:00.250Z',
  confident: true,
};
const ANSWER = { took_ms: expect.any(Number), abstained: false };

describe('JSON of recall', () => {
  it('GET /search returns the pinned JSON', async () => {
    expect(await json('GET', '/search?q=konflux')).toEqual({ results: [HIT], ...ANSWER });
    expect(await json('GET', '/search?q=zeppelin')).toEqual({ results: [], ...ANSWER, abstained: true });
  });

  it('GET /search with prefix and source returns the pinned JSON', async () => {
    expect(await json('GET', '/search?q=konflux&prefix=billing/&source=rest')).toEqual({
      results: [HIT],
      ...ANSWER,
    });
    for (const filter of ['prefix=deploy', 'source=cli'])
      expect(await json('GET', `/search?q=konflux&${filter}`)).toMatchObject({ results: [] });
  });

  it('GET /search with explain=1 returns the pinned explanation of the score', async () => {
    const answer = (await json('GET', '/search?q=konflux+deplyo+zeppelin&explain=1')) as {
      results: object[];
    };
    expect(answer).toEqual({
      results: [
        {
          ...HIT,
          confident: false,
          highlights: [
            [3, 9],
            [23, 30],
          ],
          why: {
            terms: [
              { word: 'konflux', matched: 'konflux', via: 'word', fields: ['value'], weight: 1, idf: SCORE },
              {
                word: 'deplyo',
                matched: 'deploy',
                via: 'spelling',
                fields: ['value', 'key'],
                weight: 0.8,
                idf: SCORE,
              },
            ],
            missing: ['zeppelin'],
            boosts: { pairs: [], subjects: [] },
            sentence: expect.stringContaining('“deploy” for “deplyo” (another spelling)'),
            lexical: SCORE,
            meaning: SCORE,
          },
        },
      ],
      ...ANSWER,
      abstained: expect.any(Boolean),
    });
  });

  it('GET /search with explain=1 names the boosts for adjacent words and for subjects', async () => {
    const { results } = (await json('GET', '/search?q=deploy+billing&explain=1')) as {
      results: { why: object }[];
    };
    expect(results[0]!.why).toMatchObject({
      missing: [],
      boosts: { pairs: [['deploy', 'billing']], subjects: ['deploy', 'billing'] },
    });
  });

  it('POST /store returns similar facts, echoes and conflicts as pinned', async () => {
    expect(await store('deploy-day', 'We deploy billing with Konflux on Tuesdays.')).toMatchObject({
      key: 'deploy-day',
      created: true,
      similar: [{ key: 'billing/deploy', score: SCORE }],
      echo: true,
    });
    expect(await store('ports', 'Postgres on staging listens on port 5432')).not.toHaveProperty('conflicts');
    expect(await store('db', 'Postgres on staging listens on port 5433')).toMatchObject({
      conflicts: [{ key: 'ports', kind: 'number', mine: '5433', theirs: '5432' }],
    });
    expect(Object.keys((await store('tea', 'green, no sugar')) as object)).toEqual([
      'status',
      'key',
      'category',
      'expires_at',
      'created',
      'version',
      'updated_at',
    ]);
  });
});
