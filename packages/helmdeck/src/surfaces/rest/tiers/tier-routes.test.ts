import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeClock, type TestServer, testServer } from '../../../testing/index.ts';
import { ROUTES } from '../routes.ts';

const DAY_MS = 86_400_000;
const clock = fakeClock();
let server: TestServer;
let token: string;
interface Answer {
  error: string;
  reason: string;
  status: string;
  deleted: number;
  expires_at: string;
  next_cursor: string;
  session_id: string;
  results: object[];
  entries: { tier: string; key: string; value: string; version?: number }[];
}
const withToken = async (bearer: string, method: string, path: string, body?: object) => {
  const answer = await server.call(undefined, method, `/api/v1${path}`, body, {
    authorization: `Bearer ${bearer}`,
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answer };
};
const request = (method: string, path: string, body?: object) => withToken(token, method, path, body);
const read = async (path: string) =>
  (await request('GET', `/memory/${path}`)).body.entries.map(({ key, value }) => [key, value]);
const agoMs = (time: string) => Date.parse(time) - clock.now();

describe('memory by agent and tier', () => {
  beforeAll(async () => {
    server = await testServer({ now: clock.now });
    const scopes = ['memory:read', 'memory:write', 'packs:run', 'pipelines:run', 'spaces:write', 'admin'];
    token = await server.token('ada', { scopes, ttlSeconds: 90 * 86_400 });
  });
  afterAll(() => server.close());

  it('the working tier keeps notes of an agent for at most a day, and those of a session until it ends', async () => {
    const note = { tier: 'working', key: 'goal', value: 'Ship it' };
    expect(agoMs((await request('POST', '/memory/coder', note)).body.expires_at)).toBe(DAY_MS);
    await request('POST', '/memory/writer', { ...note, value: 'Write it' });
    const { session_id } = (await request('POST', '/sessions', {})).body;
    await request('POST', '/memory/coder', { ...note, value: 'Only here', session_id });
    // In the query it would be ignored, and the note would outlive the session.
    expect((await request('POST', `/memory/coder?session_id=${session_id}`, note)).body.reason).toBe(
      'unknown_field',
    );
    expect(await read('coder?tier=working')).toEqual([['goal', 'Ship it']]);
    expect(await read(`coder?tier=working&session_id=${session_id}`)).toEqual([['goal', 'Only here']]);
    await request('DELETE', `/sessions/${session_id}`);
    expect((await request('GET', `/memory/coder?tier=working&session_id=${session_id}`)).body.error).toBe(
      'session_unavailable',
    );
    expect((await request('POST', '/memory/coder', { ...note, ttl_seconds: 86_401 })).body.reason).toBe(
      'ttl_too_long',
    );
    expect((await request('DELETE', '/memory/coder/goal?tier=working')).body).toEqual({ deleted: 1 });
    expect(await read('coder?tier=working')).toEqual([]);
    expect(await read('writer?tier=working')).toEqual([['goal', 'Write it']]);
    clock.advance(DAY_MS);
    expect(await read('writer?tier=working')).toEqual([]);
  });

  it('the episodic tier keeps facts of an agent for 30 days, finds them by words, and pages', async () => {
    for (const [key, value] of [
      ['runs/1', 'The deploy failed: no quota'],
      ['runs/2', 'Tests were green'],
    ]) {
      const stored = await request('POST', '/memory/coder', { tier: 'episodic', key, value });
      expect([stored.status, stored.body.status, agoMs(stored.body.expires_at)]).toEqual([
        200,
        'active',
        30 * DAY_MS,
      ]);
    }
    await request('POST', '/memory/writer', {
      tier: 'episodic',
      key: 'runs/1',
      value: 'A deploy of another agent',
    });
    expect(await read('coder?tier=episodic&query=deploy')).toEqual([
      ['runs/1', 'The deploy failed: no quota'],
    ]);
    const first = (await request('GET', '/memory/coder?tier=episodic&limit=1')).body;
    expect(first.entries.map(({ key }) => key)).toEqual(['runs/2']);
    expect(await read(`coder?tier=episodic&limit=1&cursor=${first.next_cursor}`)).toEqual([
      ['runs/1', 'The deploy failed: no quota'],
    ]);
    // It is an ordinary fact: what searches facts finds it as well.
    expect((await request('GET', '/memory/search?q=quota')).body.results).toMatchObject([
      { key: 'agents/coder/runs/1' },
    ]);
    expect((await request('DELETE', '/memory/coder/runs%2F1?tier=episodic')).body).toEqual({ deleted: 1 });
    expect(await read('coder?tier=episodic&query=deploy')).toEqual([]);
    expect(await read('writer?tier=episodic')).toHaveLength(1);
  });

  it('the semantic tier is the space of that name, for those who were granted it only', async () => {
    const fact = { tier: 'semantic', key: 'deploy/konflux', value: 'Deploys go through Konflux' };
    expect((await request('POST', '/memory/coder', fact)).body.error).toBe('unknown_space');
    expect((await request('GET', '/memory/coder?tier=semantic')).status).toBe(404);
    await request('POST', '/spaces', { slug: 'semantic' });
    expect((await request('POST', '/memory/coder', fact)).body.status).toBe('active');
    expect(await read('another-agent?tier=semantic')).toEqual([[fact.key, fact.value]]);
    expect(await read('coder?tier=semantic&query=konflux')).toEqual([[fact.key, fact.value]]);
    const bob = await server.token('bob', { ttlSeconds: 90 * 86_400 });
    const asBob = (path: string) => withToken(bob, 'GET', path);
    expect((await asBob('/memory/coder?tier=semantic')).body.error).toBe('unknown_space');
    expect((await asBob('/memory/coder')).body.entries.map(({ tier }) => tier)).not.toContain('semantic');
    await request('PUT', '/spaces/semantic/grants/bob', { role: 'reader' });
    expect((await asBob('/memory/coder?tier=semantic')).body.entries).toMatchObject([{ key: fact.key }]);
    expect((await withToken(bob, 'DELETE', '/memory/coder/deploy%2Fkonflux?tier=semantic')).status).toBe(403);
    expect((await request('DELETE', '/memory/coder/deploy%2Fkonflux?tier=semantic')).body).toEqual({
      deleted: 1,
    });
  });

  it('the procedural tier lists pipelines and cannot be written', async () => {
    const { entries } = (await request('GET', '/memory/coder?tier=procedural&query=digest')).body;
    expect(entries.map(({ key }) => key)).toEqual(['builtin.issues-digest']);
    expect(entries[0]).toMatchObject({ version: 1 });
    expect(JSON.parse(entries[0]!.value)).toMatchObject({ name: 'Issues digest', builtin: true });
    for (const [method, path] of [
      ['POST', '/memory/coder'],
      ['DELETE', '/memory/coder/x?tier=procedural'],
    ] as const) {
      const body = method === 'POST' ? { tier: 'procedural', key: 'x', value: 'y' } : undefined;
      expect((await request(method, path, body)).body.error, method).toBe('method_not_allowed');
    }
  });

  it('without a tier the newest of all come together, and a caller sees no agent of another', async () => {
    await request('POST', '/memory/coder', { tier: 'working', key: 'now', value: 'Reading' });
    const all = (await request('GET', '/memory/coder')).body.entries.map(({ tier, key }) => `${tier} ${key}`);
    expect(all).toEqual(
      expect.arrayContaining(['working now', 'episodic runs/2', 'procedural builtin.issues-digest']),
    );
    const bob = await server.token('bob', { ttlSeconds: 90 * 86_400 });
    const theirs = (await withToken(bob, 'GET', '/memory/coder')).body.entries.map(({ tier }) => tier);
    expect(new Set(theirs)).toEqual(new Set(['procedural']));
  });

  it('every word of another memory route is reserved, on every method', async () => {
    const words = new Set(
      ROUTES.map(({ path }) => /^\/api\/v1\/memory\/([a-z-]+)/.exec(path)?.[1]).filter(
        (word) => word !== undefined,
      ),
    );
    expect(words.size).toBeGreaterThan(20);
    for (const word of words) {
      const served = ROUTES.filter(({ path }) => path === `/api/v1/memory/${word}`).map(
        ({ method }) => method,
      );
      for (const method of ['GET', 'POST'] as const) {
        if (served.includes(method)) continue;
        const body = method === 'POST' ? { tier: 'working', key: 'k', value: 'v' } : undefined;
        expect((await request(method, `/memory/${word}`, body)).body.reason, `${method} ${word}`).toBe(
          'reserved_agent',
        );
      }
    }
    expect((await request('DELETE', '/memory/store/k?tier=working')).body.reason).toBe('reserved_agent');
    for (const agent of ['a b', 'ü', 'a'.repeat(65)])
      expect((await request('GET', `/memory/${encodeURIComponent(agent)}`)).body.reason, agent).toBe(
        'bad_agent',
      );
  });
});
