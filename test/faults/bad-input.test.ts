import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';

let server: TestServer;
let folder: string;
let subject = '';
let subjects = 0;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-bad-input-'));
  server = await testServer({ socket: true, env: { HELMDECK_DATA_DIR: folder } });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  subject = `caller ${++subjects}`;
});

const MIB = 1_048_576;
const STORE = '/api/v1/memory/store';
const JSON_TYPE = { 'content-type': 'application/json' };

/** Sends the bytes unchanged over the socket. */
async function send(
  path: string,
  body: Uint8Array | string | ReadableStream,
  headers: Record<string, string> = JSON_TYPE,
  method = 'POST',
) {
  const authorization = `Bearer ${await server.token(subject)}`;
  const init = { method, headers: { authorization, ...headers }, body, duplex: 'half' };
  return fetch(server.url + path, init as RequestInit);
}
async function expectRefused(answer: Response, status: number, error: string, reason?: string) {
  const envelope = (await answer.json()) as Record<string, string>;
  expect({ status: answer.status, error: envelope.error, reason: envelope.reason }).toEqual({
    status,
    error,
    reason,
  });
  expect(envelope.message).toMatch(/^\w.{10,300}$/);
  expect(envelope.hint).toBeTruthy();
  expect(envelope.request_id).toBe(answer.headers.get('x-request-id'));
  expect(JSON.stringify(envelope)).not.toMatch(/\bat .*\.ts|node:|SELECT|\/work\//);
  const list = await server.call(subject, 'GET', '/api/v1/memory/facts');
  expect(await list.json(), 'nothing is stored').toEqual({ facts: [] });
}

describe('request bodies', () => {
  it.each([
    ['{', 'truncated'],
    ['{"key":"a","value":"b"', 'truncated later'],
    ["{'key':'a'}", 'in single quotes'],
    ['{"key":"a","value":"b"}}', 'with one brace too many'],
    ['{"key":"a","value":"b",}', 'with a comma too many'],
    ['\ufeff{"key":"a","value":"b"}', 'with a byte order mark'],
    ['key=a&value=b', 'as a form'],
    ['NaN', 'of NaN'],
  ])('the body %s (%s) is 400', async (body) => {
    await expectRefused(await send(STORE, body), 400, 'invalid_input', 'bad_type');
  });

  it.each([
    ['null', 'bad_type'],
    ['[]', 'bad_type'],
    ['"text"', 'bad_type'],
    ['7', 'bad_type'],
    ['{}', 'missing_key'],
  ])('the body %s is not a fact', async (body, reason) => {
    await expectRefused(await send(STORE, body), 400, 'invalid_input', reason);
  });

  it('an empty body is 400 whatever its Content-Type', async () => {
    await expectRefused(await send(STORE, '', {}), 400, 'invalid_input', 'bad_type');
    await expectRefused(await send(STORE, ''), 400, 'invalid_input', 'bad_type');
    await expectRefused(
      await send(STORE, '', { 'content-type': 'text/plain' }),
      400,
      'invalid_input',
      'bad_type',
    );
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/x-ndjson',
  ])('a body of type %s is 415', async (type) => {
    await expectRefused(
      await send(STORE, '{"key":"a","value":"b"}', { 'content-type': type }),
      415,
      'unsupported_media_type',
    );
  });

  it.each(['application/json', 'APPLICATION/JSON; charset=utf-8', 'application/merge-patch+json'])(
    'a body of type %s is accepted',
    async (type) => {
      expect((await send(STORE, '{"key":"a","value":"b"}', { 'content-type': type })).status).toBe(200);
    },
  );

  it.each([
    ['a lone continuation byte', [0x80]],
    ['half a character', [0xc3]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80]],
    ['Latin-1', [0xe9]],
  ])('a body with %s is 400 and never stored as something else', async (_name, bytes) => {
    const body = Buffer.concat([Buffer.from('{"key":"a","value":"'), Buffer.from(bytes), Buffer.from('"}')]);
    await expectRefused(await send(STORE, body), 400, 'invalid_input', 'bad_type');
  });

  it('a body of more than 1 MiB is 413, with Content-Length or chunked', async () => {
    const large = JSON.stringify({ key: 'a', value: 'x'.repeat(MIB) });
    await expectRefused(await send(STORE, large), 413, 'payload_too_large');
    const pieces = new ReadableStream({
      start(controller) {
        for (let at = 0; at < large.length; at += 65_536)
          controller.enqueue(Buffer.from(large.slice(at, at + 65_536)));
        controller.close();
      },
    });
    await expectRefused(await send(STORE, pieces), 413, 'payload_too_large');
  });

  it('a body of exactly 1 MiB is read and validated', async () => {
    const frame = JSON.stringify({ key: 'a', value: '' }).length;
    const exact = JSON.stringify({ key: 'a', value: 'x'.repeat(MIB - frame) });
    expect(Buffer.byteLength(exact)).toBe(MIB);
    await expectRefused(await send(STORE, exact), 400, 'invalid_input', 'value_too_long');
  });

  it('a body nested 10,000 levels deep is 400', async () => {
    const deep = '['.repeat(10_000) + ']'.repeat(10_000);
    await expectRefused(await send(STORE, `{"key":"a","value":${deep}}`), 400, 'invalid_input', 'bad_type');
    await expectRefused(
      await send(STORE, `{"key":"a","value":"b","x":${deep}}`),
      400,
      'invalid_input',
      'unknown_field',
    );
    await expectRefused(await send(STORE, deep), 400, 'invalid_input', 'bad_type');
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'a body with a field %s is 400 and pollutes no prototype',
    async (field) => {
      const body = `{"key":"a","value":"b","${field}":{"category":"spoilt","isAdmin":true}}`;
      await expectRefused(await send(STORE, body), 400, 'invalid_input', 'unknown_field');
      expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
    },
  );
});

const WRONG: Record<string, [unknown, string][]> = {
  key: [[1, 'bad_type'], [true, 'bad_type'], [[], 'bad_type'], [{}, 'bad_type'], [null, 'missing_key'], ['', 'missing_key']],
  value: [[1, 'bad_type'], [false, 'bad_type'], [['a'], 'bad_type'], [{}, 'bad_type'], [null, 'missing_value']],
  category: [[1, 'bad_type'], [[], 'bad_type'], ['a b', 'bad_category'], ['Cache', 'reserved_category']],
  tags: [['a', 'bad_type'], [1, 'bad_type'], [{}, 'bad_type'], [[1], 'bad_type'], [[[]], 'bad_type'], [[''], 'bad_tag']],
  project: [[1, 'bad_type'], [['a'], 'bad_type'], ['x'.repeat(201), 'bad_project'], ['a\nb', 'bad_project'], ['a\u200bb', 'bad_project']],
  ttl_seconds: [['3600', 'bad_type'], [3600.5, 'bad_type'], [true, 'bad_type'], [[], 'bad_type'], [-1, 'ttl_too_short'], [1e30, 'ttl_too_long']],
  if_version: [['1', 'bad_type'], [-1, 'bad_type'], [1.5, 'bad_type'], [1e30, 'bad_type'], [[], 'bad_type']],
  valu: [['b', 'unknown_field']],
}; // biome-ignore format: a table
const CASES = Object.entries(WRONG).flatMap(([field, cases]) =>
  cases.map(([wrong, reason]) => [field, wrong, reason] as const),
);

describe('fields and query parameters', () => {
  it.each(CASES)('field %s with value %j is 400 %s, alone and in a batch', async (field, wrong, reason) => {
    const fact = { key: 'a', value: 'b', [field]: wrong };
    await expectRefused(await server.call(subject, 'POST', STORE, fact), 400, 'invalid_input', reason);
    const batch = await server.call(subject, 'POST', `${STORE}/batch`, { facts: [fact] });
    expect(batch.status).toBe(200);
    expect(await batch.json()).toMatchObject({ results: [{ index: 0, error: 'invalid_input', reason }] });
  });

  it.each([
    [{ facts: 'a' }, 'bad_type'],
    [{ facts: {} }, 'bad_type'],
    [{}, 'bad_type'],
    [{ facts: [], more: 1 }, 'unknown_field'],
    [{ facts: Array(501).fill({ key: 'a', value: 'b' }) }, 'too_many_facts'],
  ])('malformed batch %# is 400', async (body, reason) => {
    await expectRefused(
      await server.call(subject, 'POST', `${STORE}/batch`, body),
      400,
      'invalid_input',
      reason,
    );
  });

  it.each([
    [{}, 'missing_scope'],
    [{ scope: null }, 'unknown_scope'],
    [{ scope: 'everything' }, 'unknown_scope'],
    [{ scope: 'all', confirm: 'yes' }, 'bad_type'],
    [{ scope: 'all', caller: 7 }, 'bad_type'],
    [{ scope: 'all', sure: true }, 'unknown_field'],
  ])('the forget request %j is 400 %s', async (body, reason) => {
    await expectRefused(
      await server.call(subject, 'POST', '/api/v1/memory/forget', body),
      400,
      'invalid_input',
      reason,
    );
  });

  it.each([
    'limit=0',
    'limit=201',
    'limit=-1',
    'limit=1.5',
    'limit=abc',
    'limit=',
    'sort=size',
    'sort=',
    'cursor=nonsense',
    'cursor=bnVsbA',
    'expiring_within=-1',
    'expiring_within=soon',
  ])('a list with %s is 400', async (query) => {
    const answer = await server.call(subject, 'GET', `/api/v1/memory/facts?${query}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'invalid_input' });
  });

  it.each(['version=0', 'version=x', 'version=1e3', 'as_of=yesterday', 'as_of=2026-01-01', 'as_of='])(
    'a get with %s is 400',
    async (query) => {
      expect((await server.call(subject, 'GET', `/api/v1/memory/facts/a?${query}`)).status).toBe(400);
    },
  );
});

describe('unknown paths and methods', () => {
  it.each([
    ['GET', '/nothing', 404, 'not_found'],
    ['GET', '/api/v1/memory', 404, 'not_found'],
    // An agent of that name would be in the way of the route.
    ['GET', '/api/v1/memory/store', 400, 'invalid_input'],
    ['PUT', '/api/v1/memory/store', 405, 'method_not_allowed'],
    ['PUT', '/api/v1/memory/facts/a', 405, 'method_not_allowed'],
    ['DELETE', '/healthz', 405, 'method_not_allowed'],
  ])('%s %s is %i', async (method, path, status, error) => {
    const answer = await server.call(subject, method, path);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error });
    if (status === 405) expect(answer.headers.get('allow')).toMatch(/[A-Z]+/);
  });
});
