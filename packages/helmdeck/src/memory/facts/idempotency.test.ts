import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';

const clock = fakeClock();
const DAY_MS = 86_400_000;
let server: TestServer;
let subject = '';
let subjects = 0;

beforeAll(async () => {
  server = await testServer({ now: clock.now });
});
afterAll(() => server.close());
beforeEach(() => {
  subject = `caller ${++subjects}`;
});

const store = (body: object, headers: Record<string, string>) =>
  server.call(subject, 'POST', '/api/v1/memory/store', body, headers);
const history = async (key: string) =>
  (await (await server.call(subject, 'GET', `/api/v1/memory/facts/${key}/history`)).json()) as {
    versions: unknown[];
  };
const KEY = { 'idempotency-key': 'retry-1' };

describe('a retried request with its Idempotency-Key', () => {
  it('a retry with the same Idempotency-Key gets the first response and stores once', async () => {
    const first = await store({ key: 'city', value: 'Turin' }, KEY);
    clock.advance(5000);
    const second = await store({ key: 'city', value: 'Turin' }, KEY);
    expect(await second.json()).toEqual(await first.json());
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect((await history('city')).versions).toHaveLength(1);
  });

  it('an Idempotency-Key reused with another body is a conflict and changes nothing', async () => {
    await store({ key: 'city', value: 'Turin' }, KEY);
    const other = await store({ key: 'city', value: 'Milan' }, KEY);
    expect(other.status).toBe(409);
    expect(await other.json()).toMatchObject({ error: 'conflict', reason: 'idempotency_key_reused' });
    const otherKey = await store({ key: 'town', value: 'Turin' }, KEY);
    expect(otherKey.status).toBe(409);
    expect((await server.call(subject, 'GET', '/api/v1/memory/facts/town')).status).toBe(404);
  });

  it('an Idempotency-Key is valid for 24 hours, exact to the millisecond', async () => {
    await store({ key: 'city', value: 'Turin' }, KEY);
    clock.advance(DAY_MS - 1);
    expect(await (await store({ key: 'city', value: 'Turin' }, KEY)).json()).toMatchObject({ version: 1 });
    clock.advance(1);
    expect(await (await store({ key: 'city', value: 'Turin' }, KEY)).json()).toMatchObject({ version: 2 });
  });

  it('concurrent requests with one Idempotency-Key store once', async () => {
    const body = { key: 'city', value: 'Turin' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => store(body, KEY)));
    for (const answer of answers) expect(await answer.json()).toMatchObject({ version: 1, created: true });
    expect((await history('city')).versions).toHaveLength(1);
  });

  it('concurrent requests with one Idempotency-Key for two fact keys store one of them', async () => {
    const answers = await Promise.all([
      store({ key: 'a', value: 'x' }, KEY),
      store({ key: 'b', value: 'x' }, KEY),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('the same Idempotency-Key from another caller is a new request', async () => {
    await store({ key: 'city', value: 'Turin' }, KEY);
    subject = `${subject} again`;
    expect(await (await store({ key: 'city', value: 'Milan' }, KEY)).json()).toMatchObject({ created: true });
  });

  it('a failed request can be corrected and sent again with its Idempotency-Key', async () => {
    expect((await store({ key: 'city', value: '' }, KEY)).status).toBe(400);
    expect((await store({ key: 'city', value: 'Turin' }, KEY)).status).toBe(200);
    const refused = await store(
      { key: 'city', value: 'Milan', if_version: 9 },
      { 'idempotency-key': 'retry-2' },
    );
    expect(refused.status).toBe(412);
    expect((await store({ key: 'city', value: 'Milan' }, { 'idempotency-key': 'retry-2' })).status).toBe(200);
  });

  it('one Idempotency-Key covers each fact of a batch', async () => {
    const send = () =>
      server.call(
        subject,
        'POST',
        '/api/v1/memory/store/batch',
        {
          facts: [
            { key: 'a', value: '1' },
            { key: 'b', value: '2' },
          ],
        },
        KEY,
      );
    const first = await (await send()).json();
    expect(await (await send()).json()).toEqual(first);
    expect((await history('a')).versions).toHaveLength(1);
  });

  it.each([['with space'], ['ü'], ['x'.repeat(256)], ['']])(
    'the Idempotency-Key "%s" is refused',
    async (key) => {
      const answer = await store({ key: 'city', value: 'Turin' }, { 'idempotency-key': key }).catch(
        () => undefined,
      );
      if (answer) expect(answer.status).toBe(400);
      expect((await server.call(subject, 'GET', '/api/v1/memory/facts/city')).status).toBe(404);
    },
  );
});

describe('If-Match', () => {
  it.each([
    ['"1"', 200],
    ['1', 200],
    ['"2"', 412],
    ['"0"', 412],
    ['*', 400],
    ['W/"1"', 400],
    ['abc', 400],
  ])('If-Match %s on version 1 gives status %i', async (header, status) => {
    const first = await store({ key: 'city', value: 'Turin' }, {});
    expect(first.headers.get('etag')).toBe('"1"');
    const answer = await store({ key: 'city', value: 'Milan' }, { 'if-match': header });
    expect(answer.status).toBe(status);
    const now = await server.call(subject, 'GET', '/api/v1/memory/facts/city');
    expect(await now.json()).toMatchObject({ value: status === 200 ? 'Milan' : 'Turin' });
  });

  it('an If-Match that contradicts if_version is refused', async () => {
    const answer = await store({ key: 'city', value: 'Turin', if_version: 0 }, { 'if-match': '"1"' });
    expect(answer.status).toBe(400);
  });

  it('If-Match applies to a patch', async () => {
    await store({ key: 'city', value: 'Turin' }, {});
    const patch = (version: string) =>
      server.call(subject, 'PATCH', '/api/v1/memory/facts/city', { tags: ['x'] }, { 'if-match': version });
    expect((await patch('"2"')).status).toBe(412);
    expect((await patch('"1"')).status).toBe(200);
  });
});
