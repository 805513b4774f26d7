import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';

const clock = fakeClock();
let server: TestServer;
const store = (key: string, value: string, more: object = {}) =>
  server.call('ada', 'POST', '/api/v1/memory/store', { key, value, ...more });

beforeAll(async () => {
  server = await testServer({ now: clock.now, env: { HELMDECK_RATE_LIMIT: 'off' } });
  await store('deploy/billing', 'Billing deploys via Konflux', { category: 'infra', tags: ['ci'] });
  await store('deploy/web', 'Web deploys by hand', { category: 'web', ttl_seconds: 3600 });
  await store('cat', 'The cat is called Miso', { tags: ['café'] });
  const facts = Array.from({ length: 130 }, (_, number) => ({
    key: `host/${String(number).padStart(3, '0')}`,
    value: `needle ${number}`,
    ttl_seconds: 3600 + ((number * 37) % 130) * 60,
  }));
  for (const each of facts) {
    clock.advance(1);
    await store(each.key, each.value, { ttl_seconds: each.ttl_seconds });
  }
});
afterAll(() => server.close());

/** The fields of either list or an error. */
interface ResponseBody {
  results: { key: string; snippet: string; highlights: [number, number][] }[];
  facts: { key: string }[];
  next_cursor?: string;
  abstained: boolean;
  error: string;
  reason: string;
  message: string;
}
async function get(path: string, subject = 'ada', headers: Record<string, string> = {}) {
  const response = await server.call(subject, 'GET', `/api/v1/memory${path}`, undefined, headers);
  return { status: response.status, json: (await response.json()) as ResponseBody };
}
const keysOf = async (path: string) => {
  const { status, json } = await get(path);
  expect(status).toBe(200);
  return (json.results ?? json.facts).map(({ key }) => key);
};

describe('GET /search', () => {
  it('search finds a fact from vague words and highlights the matches', async () => {
    const { json } = await get(
      `/search?q=${encodeURIComponent('what was that thing about Konflux deploys?')}`,
    );
    const [first] = json.results;
    expect(first!.key).toBe('deploy/billing');
    const marked = first!.highlights.map(([start, end]) => first!.snippet.slice(start, end));
    expect(marked).toEqual(['deploys', 'Konflux']);
    expect(json.abstained).toBe(false);
  });

  it('search returns 20 results by default and at most 100', async () => {
    expect(await keysOf('/search?q=needle')).toHaveLength(20);
    expect(await keysOf('/search?q=needle&limit=100')).toHaveLength(100);
    expect(await keysOf('/search?q=needle&limit=1')).toHaveLength(1);
  });

  it('search is deterministic and puts the newest first among equal scores', async () => {
    const once = await keysOf('/search?q=needle&limit=100');
    expect(await keysOf('/search?q=needle&limit=100')).toEqual(once);
    expect(once).toEqual([...once].sort().reverse());
  });

  it('search filters by category, tag (in any Unicode form) and kinds', async () => {
    expect(await keysOf('/search?q=deploys&category=web')).toEqual(['deploy/web']);
    expect(await keysOf('/search?q=deploys&tag=ci')).toEqual(['deploy/billing']);
    expect(await keysOf('/search?q=cat&tag=cafe%CC%81')).toEqual(['cat']);
    expect(await keysOf('/search?q=deploys&kinds=pack,%20pipeline')).toEqual([]);
    for (const kinds of ['fact', 'facts', 'fact,pack', 'pack,fact,fact'])
      expect(await keysOf(`/search?q=konflux&kinds=${kinds}`)).toEqual(['deploy/billing']);
  });

  it.each([
    'limit=0', 'limit=101', 'limit=-1', 'limit=1.5', 'limit=all', 'limit=', 'kinds=', 'kinds=secret', 'kinds=fact,', 'kinds=version',
    'kinds=vector', 'kinds=toString', 'kinds=__proto__',
    'explain=yes',
    'explain=',
  ])('search rejects %s and names the problem', async (query) => {
    const { status, json } = await get(`/search?q=needle&${query}`);
    expect([status, json.error, json.reason]).toEqual([400, 'invalid_input', 'bad_type']);
    expect(json.message).toContain(query.split('=')[0]);
  }); // biome-ignore format: a list

  it('search rejects an overlong tag', async () => {
    const { status, json } = await get(`/search?tag=${'x'.repeat(5_000)}`);
    expect([status, json.reason]).toEqual([400, 'key_too_long']);
  });

  it.each(['', '%20', '%00', '%FF', '%F0%9F', '.*', '(((((', '%5C', '%27%3B--', '%25', 'the', '%EF%BB%BF'])(
    'search accepts q=%s',
    async (q) => expect((await get(`/search?q=${q}`)).status).toBe(200),
  );

  it('search in an empty memory returns nothing', async () => {
    expect((await get('/search?q=needle', 'stranger')).json).toMatchObject({ results: [], abstained: true });
    expect((await get('/search', 'stranger')).json).toMatchObject({ results: [], abstained: false });
  });

  it("only admins can search another caller's memory", async () => {
    const { status, json } = await get('/search?q=konflux&caller=ada', 'eve');
    expect([status, json.error]).toEqual([403, 'insufficient_scope']);
    const authorization = `Bearer ${await server.token('root', { scopes: ['admin'] })}`;
    const seen = await server.call(
      undefined,
      'GET',
      '/api/v1/memory/search?q=konflux&caller=ada',
      undefined,
      {
        authorization,
      },
    );
    expect(await seen.json()).toMatchObject({ results: [{ key: 'deploy/billing' }] });
    const [record] = await server.memory!.audit.list(undefined, 1);
    expect(record).toMatchObject({ action: 'read', actor: 'root', target: 'ada' });
    expect(JSON.stringify(record)).not.toContain('konflux');
  });

  it('search needs a token with the scope memory:read', async () => {
    expect((await server.call(undefined, 'GET', '/api/v1/memory/search?q=x')).status).toBe(401);
    const authorization = `Bearer ${await server.token('ada', { scopes: ['memory:write'] })}`;
    const refused = await server.call(undefined, 'GET', '/api/v1/memory/search', undefined, {
      authorization,
    });
    expect(refused.status).toBe(403);
  });
});

describe('GET /facts?q=', () => {
  async function pages(query: string): Promise<string[]> {
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { json } = await get(`/facts?${query}${cursor && `&cursor=${cursor}`}`);
      seen.push(...json.facts.map(({ key }) => key));
      if (!json.next_cursor) return seen;
      expect(json.facts.length).toBeGreaterThan(0);
      cursor = json.next_cursor;
    }
  }

  it('a list with q has only matching facts, in full, best first', async () => {
    const { json } = await get('/facts?q=konflux');
    expect(json).toMatchObject({
      facts: [{ key: 'deploy/billing', value: 'Billing deploys via Konflux', version: 1 }],
    });
    expect(json).not.toHaveProperty('next_cursor');
    expect((await get('/facts?q=zeppelin')).json).toEqual({ facts: [] });
  });

  it('pages of a list with q contain every fact once, in the same order for any page size', async () => {
    const all = await pages('q=needle&limit=200');
    expect(new Set(all).size).toBe(130);
    for (const limit of [1, 7, 65, 130]) expect(await pages(`q=needle&limit=${limit}`)).toEqual(all);
  });

  it('a list with q and sort keeps its order across pages', async () => {
    const byKey = await pages('q=needle&sort=key&limit=9');
    expect(byKey).toEqual([...byKey].sort());
    expect(await pages('q=needle&sort=updated&limit=9')).toEqual([...byKey].reverse());
    expect(await pages('q=needle&sort=created&limit=9')).toEqual([...byKey].reverse());
    const byExpiry = await pages('q=needle&sort=expires&limit=9');
    const ttl = (key: string) => (Number(key.slice(5)) * 37) % 130;
    expect(byExpiry.map(ttl)).toEqual(byExpiry.map(ttl).sort((a, b) => a - b));
  });

  it('a list with q applies the other filters too', async () => {
    expect(await keysOf('/facts?q=needle&prefix=host/00&limit=200')).toHaveLength(10);
    expect(await keysOf('/facts?q=deploys&category=web')).toEqual(['deploy/web']);
    expect(await keysOf('/facts?q=deploys&tag=ci')).toEqual(['deploy/billing']);
    expect(await keysOf('/facts?q=deploys&expiring_within=3600')).toEqual(['deploy/web']);
    expect(await keysOf('/facts?q=deploys&source=nobody')).toEqual([]);
  });

  it.each([
    ['limit=0', 'bad_type'],
    ['limit=201', 'bad_type'],
    ['sort=best', 'bad_type'],
    ['cursor=nonsense', 'bad_cursor'],
    ['cursor=WyJmb3VuZCIsLTFd', 'bad_cursor'],
    ['cursor=WyJrZXkiLDEsMCwiYSJd', 'bad_cursor'],
  ])('a list with q rejects %s', async (query, reason) => {
    const { status, json } = await get(`/facts?q=needle&${query}`);
    expect([status, json.reason]).toEqual([400, reason]);
  });

  it('a cursor beyond the end gives an empty page', async () => {
    const cursor = Buffer.from(JSON.stringify(['found', 9_999])).toString('base64url');
    expect((await get(`/facts?q=needle&cursor=${cursor}`)).json).toEqual({ facts: [] });
  });

  it('a blank q gives the plain list', async () => {
    expect((await get('/facts?q=%20&limit=3')).json.facts).toEqual((await get('/facts?limit=3')).json.facts);
  });

  it("only admins can list another caller's facts with q", async () => {
    expect((await get('/facts?q=konflux&caller=ada', 'eve')).status).toBe(403);
  });
});

it('search and list return 503 with a hint while memory is off', async () => {
  const off = await testServer({ env: { HELMDECK_MEMORY_KEY: 'nonsense' } });
  for (const path of ['/search?q=x', '/facts?q=x']) {
    const response = await off.call('ada', 'GET', `/api/v1/memory${path}`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: 'memory_unavailable', hint: expect.any(String) });
  }
  await off.close();
});
