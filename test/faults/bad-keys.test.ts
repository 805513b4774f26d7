import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());

const FACTS = '/api/v1/memory/facts';
const store = (subject: string, key: string, value = `value of ${key}`) =>
  server.call(subject, 'POST', '/api/v1/memory/store', { key, value });
const call = (subject: string, method: string, path: string, body?: unknown) =>
  server.call(subject, method, FACTS + path, body);
const keysOf = async (subject: string, query = '') => {
  const answer = await call(subject, 'GET', `?sort=key&${query}`);
  return ((await answer.json()) as { facts: { key: string }[] }).facts.map(({ key }) => key);
};

const REFUSED: [string, string, string][] = [
  ['a\0b', 'bad_key', 'NUL'],
  ['a\tb', 'bad_key', 'a tab'],
  ['a\nb', 'bad_key', 'a line feed'],
  ['a\r\nb', 'bad_key', 'a carriage return'],
  ['a\u2028b', 'bad_key', 'a line separator'],
  ['a\u001bb', 'bad_key', 'escape'],
  ['a\u200b', 'bad_key', 'zero width'],
  ['\u202eabc', 'bad_key', 'right to left'],
  ['..', 'bad_key', 'dots'],
  ['.', 'bad_key', 'a dot'],
  ['x'.repeat(10_240), 'key_too_long', '10 kB'],
  ['pack_history/x', 'reserved_key', 'reserved'],
  ['Plan_History/x', 'reserved_key', 'reserved in capitals'],
  ['ｐipeline_history/x', 'reserved_key', 'reserved with a full-width letter'],
  ['pack_history\uff0fx', 'reserved_key', 'reserved with a full-width slash'],
  ['\ufb01\ud83d', 'bad_key', 'half a surrogate pair'],
];

describe('invalid keys', () => {
  it.each(REFUSED.map(([key, reason, name]) => [name, key, reason] as const))(
    'an invalid key (%s) is rejected in bodies and paths and stores nothing',
    async (name, key, reason) => {
      const subject = `bad ${name}`;
      const answer = await store(subject, key);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: 'invalid_input', reason });
      expect(await keysOf(subject)).toEqual([]);
      // In a path, clients resolve `.` and `..` before sending, and half a surrogate pair cannot be encoded.
      if (name === 'dots' || name === 'a dot' || !key.isWellFormed()) return;
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const inPath = await call(
          subject,
          method,
          `/${encodeURIComponent(key)}`,
          method === 'PATCH' ? { tags: [] } : undefined,
        );
        expect(inPath.status, method).toBe(400);
        expect(await inPath.json()).toMatchObject({ reason });
      }
      const history = await call(subject, 'GET', `/${encodeURIComponent(key)}/history`);
      expect(history.status).toBe(400);
      expect(await history.json()).toMatchObject({ reason });
    },
  );

  it.each(['%', '%zz', '%c3', '%ff', 'a%', '%ed%a0%80', '%2', 'ok%c0%af'])(
    'a key with a malformed percent-encoding in the path (%s) is 400',
    async (path) => {
      for (const method of ['GET', 'DELETE']) {
        const answer = await call('encoder', method, `/${path}`);
        expect(answer.status).toBe(400);
        expect(await answer.json()).toMatchObject({ error: 'invalid_input', reason: 'bad_key' });
      }
      expect((await call('encoder', 'GET', `/${path}/history`)).status).toBe(400);
    },
  );
});

const GOOD = [
  '%',
  '_',
  '%_%',
  'a%b',
  'a_b',
  '100%',
  '*',
  '?',
  'a?b=c',
  'a#b',
  'a&b=c',
  'a+b',
  'a b',
  "it's",
  '"quoted"',
  "'; DROP TABLE rows; --",
  'a\\b',
  '...',
  'a/b/c',
  'a//b',
  '/a',
  'a/',
  '/',
  'a/../b',
  '../../etc/passwd',
  'history',
  'a/history',
  '/history',
  'history/history',
  '%2F',
  '%252F',
  'store',
  'store/batch',
  '日本語',
  '😀',
  'ключ',
  'a:b',
  '[a]',
  '{key}',
  '__proto__',
  'constructor',
  '$where',
  '{"a":1}',
  '<script>',
  'x'.repeat(512),
];

describe('unusual but valid keys', () => {
  it.each(GOOD)('the key %s is stored, read, patched, listed and deleted unchanged', async (key) => {
    const subject = `good ${key.slice(0, 40)}`;
    const path = `/${encodeURIComponent(key)}`;
    expect((await store(subject, 'decoy')).status).toBe(200);
    expect(await (await store(subject, key)).json()).toMatchObject({ key, created: true });
    expect(await (await call(subject, 'GET', path)).json()).toMatchObject({ key, value: `value of ${key}` });
    const history = await call(subject, 'GET', `${path}/history`);
    expect(((await history.json()) as { versions: unknown[] }).versions).toHaveLength(1);
    expect(await (await call(subject, 'PATCH', path, { tags: ['t'] })).json()).toMatchObject({
      key,
      tags: ['t'],
    });
    expect(await keysOf(subject, `prefix=${encodeURIComponent(key)}`)).toEqual([key]);
    expect(await (await call(subject, 'DELETE', path)).json()).toEqual({ deleted: 1 });
    expect(await keysOf(subject)).toEqual(['decoy']);
  });

  it.each(['a/b/c', 'a/history/b', 'notes/2026/today'])(
    'the key %s is also found with unencoded slashes',
    async (key) => {
      await store('slashes', key);
      expect(await (await call('slashes', 'GET', `/${key}`)).json()).toMatchObject({ key });
      expect((await call('slashes', 'GET', `/${key}/history`)).status).toBe(200);
    },
  );

  it('a key that ends in /history is distinguished from the history by encoding its slash', async () => {
    await store('historian', 'a', 'the fact');
    await store('historian', 'a/history', 'the other fact');
    expect(await (await call('historian', 'GET', '/a/history')).json()).toHaveProperty('versions');
    expect(await (await call('historian', 'GET', '/a%2Fhistory')).json()).toMatchObject({
      value: 'the other fact',
    });
    expect(await (await call('historian', 'GET', '/a%2Fhistory/history')).json()).toHaveProperty('versions');
  });

  it('percent signs and underscores in a key are literal characters, not wildcards', async () => {
    for (const key of ['a%', 'a_', 'ab', 'abc', 'A%']) await store('wild', key);
    for (const key of ['%', '_', 'a%%', '__'])
      expect((await call('wild', 'GET', `/${encodeURIComponent(key)}`)).status).toBe(404);
    expect(await keysOf('wild', 'prefix=a%25')).toEqual(['a%']);
    expect(await keysOf('wild', 'prefix=_')).toEqual([]);
    expect(await keysOf('wild', 'category=%25')).toEqual([]);
    expect(await keysOf('wild', 'tag=%25')).toEqual([]);
    expect(await (await call('wild', 'DELETE', '/%25')).json()).toEqual({ deleted: 0 });
  });

  it('composed and decomposed characters make the same key in store, path, prefix and forget', async () => {
    await store('unicode', 'cafe\u0301');
    expect(await (await store('unicode', 'caf\u00e9')).json()).toMatchObject({
      version: 2,
      key: 'caf\u00e9',
    });
    for (const key of ['cafe\u0301', 'caf\u00e9']) {
      expect((await call('unicode', 'GET', `/${encodeURIComponent(key)}`)).status).toBe(200);
      expect(await keysOf('unicode', `prefix=${encodeURIComponent(key)}`)).toEqual(['caf\u00e9']);
    }
    const forget = await server.call('unicode', 'POST', '/api/v1/memory/forget', { scope: 'key:cafe\u0301' });
    expect(await forget.json()).toMatchObject({ deleted: 1 });
  });
});
