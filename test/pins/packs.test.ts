import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { slowRuns, TEST_PACKS } from '../support/test-packs.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ packs: TEST_PACKS, socket: true });
});
afterAll(() => server.close());

const post = (pack: string, body?: unknown, headers = {}) =>
  server.call('ada', 'POST', `/api/v1/packs/${pack}`, body, headers);
const json = async (answer: Promise<Response>) => (await answer).json() as Promise<Record<string, unknown>>;

describe('the catalogue of packs', () => {
  it('the catalogue is an array sorted by name, with schemas and whether the token may run each pack', async () => {
    const answer = await server.call('ada', 'GET', '/api/v1/packs');
    const packs = (await answer.json()) as { name: string }[];
    const names = packs.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(expect.arrayContaining(['helmdeck.memory_forget', 'helmdeck.memory_store']));
    expect(packs.find(({ name }) => name === 'test.cached')).toEqual({
      name: 'test.cached',
      description: 'Says a title twice, and remembers having done so.',
      versions: ['v1'],
      latest: 'v1',
      version: 'v1',
      metadata: {},
      input_schema: {
        type: 'object',
        properties: { title: { type: 'string' } },
        required: ['title'],
        additionalProperties: false,
      },
      output_schema: {
        type: 'object',
        properties: { said: { type: 'string' } },
        required: ['said'],
        additionalProperties: false,
      },
      async: false,
      scopes: [],
      allowed: true,
    });
  });

  it('the catalogue lists every pack and marks those that the token may not run', async () => {
    const authorization = `Bearer ${await server.token('ada', { scopes: ['packs:run'] })}`;
    const answer = await server.call(undefined, 'GET', '/api/v1/packs', undefined, { authorization });
    const packs = (await answer.json()) as { name: string; allowed: boolean }[];
    const allowed = Object.fromEntries(packs.map((pack) => [pack.name, pack.allowed]));
    expect(allowed).toMatchObject({ 'helmdeck.memory_store': false, 'test.cached': true });
    const refused = await server.call(
      undefined,
      'POST',
      '/api/v1/packs/helmdeck.memory_store',
      {},
      { authorization },
    );
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: 'insufficient_scope' });
    const reader = `Bearer ${await server.token('ada', { scopes: ['memory:read'] })}`;
    const none = await server.call(
      undefined,
      'POST',
      '/api/v1/packs/test.cached',
      {},
      { authorization: reader },
    );
    expect(none.status).toBe(403);
  });

  it('the catalogue describes every field of every built-in pack', async () => {
    const packs = (await (await server.call('ada', 'GET', '/api/v1/packs')).json()) as {
      name: string;
      description: string;
      input_schema: { properties?: Record<string, { description?: string }> };
      metadata: Record<string, unknown>;
    }[];
    for (const { name, description, input_schema, metadata } of packs) {
      if (name.startsWith('test.')) continue;
      expect(description.length, name).toBeGreaterThan(30);
      expect(Object.keys(metadata), name).toEqual(
        expect.arrayContaining(['accepts', 'produces', 'intent_keywords', 'typical_use']),
      );
      for (const [field, schema] of Object.entries(input_schema.properties ?? {}))
        expect(schema.description, `${name} ${field}`).toBeTruthy();
    }
  });
});

describe('runs over REST', () => {
  it('a run returns the pack, its output and the cache status', async () => {
    expect(await json(post('test.cached', { title: 'a' }))).toEqual({
      pack: 'test.cached',
      version: 'v1',
      output: { said: 'aa' },
      duration_ms: expect.any(Number),
      cache: { status: 'miss', age_s: 0 },
    });
    expect(await json(post('test.cached/v1', { title: 'a' }))).toMatchObject({ cache: { status: 'hit' } });
    const uncached = post('test.cached', { title: 'a' }, { 'cache-control': 'no-cache' });
    expect(await json(uncached)).toMatchObject({ cache: { status: 'bypass' } });
  });

  it('a run of an unknown pack is 404, and one with an invalid body 400', async () => {
    expect((await post('test.none', {})).status).toBe(404);
    expect((await post('test.cached/v9', {})).status).toBe(404);
    expect(await json(post('test.cached', {}))).toMatchObject({ error: 'invalid_input', reason: 'bad_type' });
    expect(await json(post('test.cached', '['))).toMatchObject({ error: 'invalid_input' });
    expect((await post('test.cached')).status).toBe(400);
  });

  it('a run without a body, as curl -X POST sends it, works if every field is optional', async () => {
    const { hostname, port } = new URL(server.url);
    const authorization = `Bearer ${await server.token('ada')}`;
    const send = (path: string) =>
      new Promise<string>((resolve, reject) => {
        let answer = '';
        const socket = connect(Number(port), hostname, () =>
          socket.write(
            `POST ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`,
          ),
        );
        socket.on('data', (part) => {
          answer += String(part);
        });
        socket.on('close', () => resolve(answer.slice(0, answer.indexOf('\r\n'))));
        socket.on('error', reject);
      });
    expect(await send('/api/v1/sessions')).toBe('HTTP/1.1 201 Created');
    expect(await send('/api/v1/packs/artifact.list')).toBe('HTTP/1.1 200 OK');
    expect(await send('/api/v1/packs/test.cached')).toBe('HTTP/1.1 400 Bad Request');
  });

  it('a run in a session returns the session id, and is 503 after the session ended', async () => {
    const session = await server.call('ada', 'POST', '/api/v1/sessions', {});
    expect(session.status).toBe(201);
    const { session_id } = (await session.json()) as { session_id: string };
    expect(session_id).toMatch(/^sess_[0-9a-f]{32}$/);
    const answer = await json(post('test.note', { key: 'k', value: 'v', _session_id: session_id }));
    expect(answer).toMatchObject({ session_id, output: { found: 'v' } });
    expect(await json(post('test.note', { key: 'k' }))).toMatchObject({ output: { found: null } });
    const ended = await server.call('ada', 'DELETE', `/api/v1/sessions/${session_id}`);
    expect(await ended.json()).toEqual({ deleted: 1 });
    const late = await post('test.note', { key: 'k', _session_id: session_id });
    expect([late.status, ((await late.json()) as { error: string }).error]).toEqual([
      503,
      'session_unavailable',
    ]);
  });

  it('a run stops when the client disconnects, and leaves a run record', async () => {
    const stop = new AbortController();
    const authorization = `Bearer ${await server.token('quitter')}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const body = JSON.stringify({ forMs: 60_000 });
    const url = `${server.url}/api/v1/packs/test.slow`;
    const before = slowRuns.begun;
    const response = fetch(url, { method: 'POST', headers, body, signal: stop.signal });
    await expect.poll(() => slowRuns.begun).toBe(before + 1);
    stop.abort();
    await expect(response).rejects.toThrow();
    await expect
      .poll(async () => json(server.call('quitter', 'GET', '/api/v1/memory/defaults')))
      .toMatchObject({ recent: [{ id: 'test.slow', outcome: 'timeout' }] });
  });
});

describe('the memory packs', () => {
  it('the memory packs store, forget and return the history as the routes do', async () => {
    const fact = { key: 'p/editor', value: 'vim', category: 'preferences', tags: ['t'], ttl_seconds: 3600 };
    const first = (await json(post('helmdeck.memory_store', fact))).output;
    expect(first).toEqual({
      status: 'active',
      key: 'p/editor',
      category: 'preferences',
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      created: true,
      version: 1,
      updated_at: expect.any(String),
    });
    await post('helmdeck.memory_store', { ...fact, value: 'emacs', if_version: 1 });
    const { output } = await json(post('helmdeck.memory_history', { key: 'p/editor' }));
    expect(output).toMatchObject({
      versions: [{ value: 'emacs', source: { surface: 'rest' } }, { value: 'vim' }],
    });
    const forgotten = await json(post('helmdeck.memory_forget', { scope: 'key:p/editor' }));
    expect(forgotten.output).toEqual({ scope: 'key:p/editor', deleted: 1 });
    expect((await post('helmdeck.memory_history', { key: 'p/editor' })).status).toBe(404);
  });

  it.each([
    [{ value: 'v' }, 'missing_key'],
    [{ key: 'a', value: 5 }, 'bad_type'],
    [{ key: 'a', value: 'b', caller: 'bob' }, 'unknown_field'],
    [{ key: 'a', value: 'b', category: 'cache' }, 'reserved_category'],
    [{ key: 'a', value: 'b', ttl_seconds: 5 }, 'ttl_too_short'],
    [{ facts: [], key: 'a' }, 'unknown_field'],
    [{ facts: 5 }, 'unknown_field'],
  ])('helmdeck.memory_store rejects %j for the same reason as the route: %s', async (body, reason) => {
    expect(await json(post('helmdeck.memory_store', body))).toMatchObject({ error: 'invalid_input', reason });
  });

  it('helmdeck.memory_store rejects credentials, and memory_store_many stores each fact independently', async () => {
    const secret = { key: 'k', value: 'password is hunter2!x9' };
    expect(await json(post('helmdeck.memory_store', secret))).toMatchObject({ error: 'secret_detected' });
    const { output } = await json(
      post('helmdeck.memory_store_many', { facts: [{ key: 'a', value: 'b' }, {}] }),
    );
    expect(await json(post('helmdeck.memory_store_many', { facts: 5 }))).toMatchObject({
      reason: 'bad_type',
    });
    expect(output).toMatchObject({
      results: [
        { index: 0, key: 'a' },
        { index: 1, error: 'invalid_input' },
      ],
    });
  });

  it.each([
    [{}, 'missing_scope'],
    [{ scope: 'everything' }, 'unknown_scope'],
    [{ scope: 'all', caller: 'bob' }, 'unknown_field'],
  ])('helmdeck.memory_forget rejects %j with %s', async (body, reason) => {
    expect(await json(post('helmdeck.memory_forget', body))).toMatchObject({
      error: 'invalid_input',
      reason,
    });
  });

  it('helmdeck.memory_forget erases with a receipt, and the access audit records it', async () => {
    await server.call('eve', 'POST', '/api/v1/memory/store', { key: 'a', value: 'b' });
    const answer = await server.call('eve', 'POST', '/api/v1/packs/helmdeck.memory_forget', {
      scope: 'erase',
    });
    expect(await answer.json()).toMatchObject({ output: { scope: 'erase', receipt: { rows: 1 } } });
    const [record] = await server.memory!.audit.list(undefined, 1);
    expect(record).toMatchObject({ action: 'erase', actor: 'eve', target: 'eve' });
  });
});
