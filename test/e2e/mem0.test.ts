import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mem0Routes } from '../../packages/helmdeck/src/surfaces/mem0/mem0-routes.ts';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/test-server.ts';
import { callAs, everyMem0Route, textOf, type Who } from '../support/every-route.ts';
import { twoCallers } from '../support/two-callers.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ env: { HELMDECK_RATE_LIMIT: 'off' } });
});
afterAll(() => server.close());

async function call(who: Who, method: string, path: string, body?: unknown) {
  const response = await callAs(server, who, { method, path: `/compat/mem0${path}`, body });
  return { status: response.status, body: await response.json() } as {
    status: number;
    body: Record<string, never> & { results: Record<string, unknown>[] };
  };
}

const add = (who: Who, content: string, more = {}) =>
  call(who, 'POST', '/memories', { messages: [{ role: 'user', content }], infer: false, ...more });

describe('the mem0 surface', () => {
  it('memories are added, read, listed, searched, updated with a history, and deleted', async () => {
    const ada = { subject: 'ada' };
    const metadata = { topic: 'food', level: 3, quoted: '7' };
    const added = await add(ada, 'Ada is allergic to peanuts.', {
      user_id: 'ada',
      agent_id: 'chef',
      metadata,
    });
    expect(added).toMatchObject({ status: 200, body: { results: [{ event: 'ADD' }] } });
    const id = added.body.results[0]!.id as string;
    const memory = {
      id,
      memory: 'Ada is allergic to peanuts.',
      user_id: 'ada',
      agent_id: 'chef',
      run_id: null,
      metadata,
    };
    expect((await call(ada, 'GET', `/memories/${id}`)).body).toMatchObject(memory);
    await add(ada, 'Ada sails at the weekend.', { run_id: 'trip' });
    const listed = async (query: string) => (await call(ada, 'GET', `/memories${query}`)).body;
    expect(await listed('?user_id=ada')).toMatchObject({ count: 2 });
    expect(await listed('?agent_id=chef')).toMatchObject({ count: 1, results: [memory] });
    expect((await listed('?page=2&page_size=1')).results).toHaveLength(1);
    const found = await call(ada, 'POST', '/search', {
      query: 'peanut allergy',
      filters: { user_id: 'ada' },
    });
    expect(found.body.results[0]).toMatchObject({ ...memory, score: expect.any(Number) });
    const filters = { AND: [{ user_id: 'ada' }, { agent_id: 'pilot' }] };
    expect((await call(ada, 'POST', '/search', { query: 'peanut', filters })).body.results).toEqual([]);
    const changed = { text: 'Ada is allergic to all nuts.', metadata: { topic: 'health' } };
    expect((await call(ada, 'PUT', `/memories/${id}`, changed)).body).toMatchObject({
      memory: changed.text,
      agent_id: 'chef',
      metadata: { topic: 'health' },
    });
    expect((await call(ada, 'GET', `/memories/${id}/history`)).body).toMatchObject([
      { event: 'ADD', old_memory: null, new_memory: memory.memory, memory_id: id },
      { event: 'UPDATE', old_memory: memory.memory, new_memory: changed.text },
    ]);
    expect((await call(ada, 'DELETE', `/memories/${id}`)).body).toEqual({
      message: 'Memory deleted successfully!',
    });
    expect(await call(ada, 'GET', `/memories/${id}`)).toMatchObject({ status: 404 });
    expect(await call(ada, 'DELETE', '/memories')).toMatchObject({ status: 400 });
    await call(ada, 'DELETE', '/memories?user_id=ada');
    expect(await listed('')).toMatchObject({ count: 0 });
  });

  it('filters are those of the platform, in lists and searches, and none reaches the memory of another user', async () => {
    const emmy = { subject: 'emmy' };
    await add(emmy, 'Tea at nine.', { agent_id: 'chef', metadata: { level: 1, topic: 'Food' } });
    await add(emmy, 'Tea at ten.', { agent_id: 'pilot', metadata: { level: 2 } });
    await add(emmy, 'Tea at noon.');
    const found = async (filters: unknown) => {
      const listed = await call(emmy, 'POST', '/v3/memories/', { filters });
      const searched = await call(emmy, 'POST', '/search', { query: 'tea', filters });
      const [list, search] = [listed, searched].map(({ body }) =>
        body.results
          .map(({ memory }) => (memory as string).slice(7, -1))
          .sort()
          .join(' '),
      );
      expect(search).toBe(list);
      return list;
    };
    expect(await found({})).toBe('nine noon ten');
    expect(await found({ OR: [{ user_id: 'emmy' }] })).toBe('nine noon ten');
    expect(await found({ OR: [{ agent_id: 'chef' }, { metadata: { level: 2 } }] })).toBe('nine ten');
    expect(await found({ AND: [{ agent_id: '*' }, { NOT: [{ agent_id: 'chef' }] }] })).toBe('ten');
    expect(await found({ NOT: { agent_id: '*' } })).toBe('noon');
    expect(await found({ agent_id: { in: ['chef', 'cook'] } })).toBe('nine');
    expect(await found({ agent_id: ['pilot'] })).toBe('ten');
    expect(await found({ agent_id: { ne: 'chef' } })).toBe('noon ten');
    expect(await found({ metadata: { level: { gte: 1, lt: 2 } } })).toBe('nine');
    expect(await found({ metadata: { topic: { icontains: 'foo' } } })).toBe('nine');
    expect(await found({ metadata: { constructor: '*' } })).toBe('');
    expect(await found({ created_at: { gte: '2020-01-01' }, categories: { contains: 'fact' } })).toBe(
      'nine noon ten',
    );
    expect(await found({ created_at: { lt: '2020-01-01' } })).toBe('');
    const statusOf = async (filters: unknown) =>
      (await call(emmy, 'POST', '/search', { query: 'tea', filters })).status;
    for (const user_id of ['ada', { in: ['emmy', 'ada'] }, { ne: 'ada' }])
      expect(await statusOf({ OR: [{ user_id }, { NOT: [{ user_id: 'emmy' }] }] })).toBe(403);
    for (const filters of [
      { constructor: 'x' },
      { agent_id: { regex: 'x' } },
      { AND: ['x'] },
      { OR: [[{}]] },
    ])
      expect(await statusOf(filters), JSON.stringify(filters)).toBe(400);
    let deep: object = {};
    for (let level = 0; level < 20; level++) deep = { AND: [deep] };
    expect(await statusOf(deep)).toBe(400);
    expect(await statusOf({ OR: Array.from({ length: 1_000 }, () => ({ agent_id: 'x' })) })).toBe(400);
  });

  it('a memory is a fact of the caller: REST finds it, and a credential is refused before anything is stored', async () => {
    const grace = { subject: 'grace' };
    await add(grace, 'Grace reads on Sundays.');
    const found = await server.call('grace', 'GET', '/api/v1/memory/facts?prefix=mem0/');
    expect(await found.json()).toMatchObject({
      facts: [{ value: 'Grace reads on Sundays.', tags: ['mem0'], source: { surface: 'mem0' } }],
    });
    const messages = ['Fine.', 'ghp_1234567890abcdefghijklmnopqrstuvwxYZ'].map((content) => ({
      role: 'user',
      content,
    }));
    const refused = await call(grace, 'POST', '/memories', { messages, infer: false });
    expect(refused).toMatchObject({ status: 422, body: { error: 'secret_detected' } });
    expect((await call(grace, 'GET', '/memories')).body).toMatchObject({ count: 1 });
  });

  it('what is to be inferred, and what a token may only propose, waits for a person', async () => {
    const mary = { subject: 'mary' };
    const inferred = await call(mary, 'POST', '/memories', {
      messages: [{ role: 'user', content: 'I prefer tabs over spaces in all my code.' }],
    });
    expect(inferred.body.results).toMatchObject([{ event: 'PROPOSED' }]);
    const proposer = { ...mary, scopes: ['memory:read', 'memory:propose'] };
    expect((await add(proposer, 'Mary drives a van.')).body.results).toEqual([
      { memory: 'Mary drives a van.', event: 'PROPOSED' },
    ]);
    expect((await call(mary, 'GET', '/memories')).body).toMatchObject({ count: 0 });
    expect(await call(proposer, 'DELETE', '/memories?user_id=mary')).toMatchObject({ status: 403 });
  });

  it('the token may come as Token or X-API-Key here, and nowhere else', async () => {
    const token = await server.token('ada');
    const ways: Record<string, string>[] = [{ authorization: `Token ${token}` }, { 'x-api-key': token }];
    for (const headers of ways) {
      const ping = (path: string) => server.call(undefined, 'GET', path, undefined, headers);
      expect(await (await ping('/compat/mem0/v1/ping/')).json()).toEqual({ status: 'ok' });
      expect((await ping('/api/v1/memory/mine')).status).toBe(401);
    }
    expect((await server.call(undefined, 'GET', '/compat/mem0/v1/ping/')).status).toBe(401);
  });

  it('the probes cover every route', () => {
    const routes = mem0Routes({} as never).map(({ method, path }) => `${method} ${path}`);
    const probed = everyMem0Route('{id}', 'x').map(
      ({ method, path }) => `${method} ${decodeURIComponent(path.split('?')[0]!)}`,
    );
    expect(probed.sort()).toEqual(routes.sort());
  });

  it('no caller reads, changes or deletes a memory of another, and a user_id other than its own is refused', async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(twoCallers, async ([owner, other]) => {
        const mark = `needle${++round}needle`;
        const id = (await add(owner, mark)).body.results[0]!.id as string;
        for (const probe of everyMem0Route(id, other.subject))
          expect(await textOf(await callAs(server, other, probe))).not.toContain(mark);
        for (const probe of everyMem0Route(id, `${other.subject}x`)) {
          const names = JSON.stringify([probe.path, probe.body]).includes('user_id');
          const { status } = await callAs(server, other, probe);
          expect([probe.path, status]).toEqual([probe.path, names ? 403 : expect.any(Number)]);
        }
        expect((await call(owner, 'GET', `/memories/${id}`)).body).toMatchObject({ memory: mark });
        await call(owner, 'DELETE', `/memories/${id}`);
      }),
      { numRuns: 25 },
    );
  });

  it('random bodies, ids and queries never cause a 5xx', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 20 });
    const fields = fc.constantFrom(
      'messages',
      'query',
      'filters',
      'text',
      'metadata',
      'user_id',
      'top_k',
      'AND',
    );
    const body = fc.oneof(fc.dictionary(fields, fc.jsonValue({ maxDepth: 3 })), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(fc.nat(), text, body, text, async (at, id, json, query) => {
        const probes = everyMem0Route(id.toWellFormed(), 'ada');
        const probe = probes[at % probes.length]!;
        const search = `page=${encodeURIComponent(query.toWellFormed())}&run_id=${encodeURIComponent(query.toWellFormed())}`;
        const path = `${probe.path}${probe.path.includes('?') ? '&' : '?'}${search}`;
        const sent = probe.body === undefined ? {} : { body: JSON.stringify(json) };
        const { status } = await callAs(server, { subject: 'ada' }, { ...probe, ...sent, path });
        expect([probe.method, probe.path, status < 500]).toEqual([probe.method, probe.path, true]);
      }),
      { numRuns: 200 },
    );
  });
});
