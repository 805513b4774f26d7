import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { createMemory, type Memory } from '../memory.ts';
import { patchFact } from './change-facts.ts';
import { confirmFact } from './confirm-fact.ts';
import { cautionText } from './freshness.ts';
import type { FactView } from './read-facts.ts';
import { readFact, readHistory, readVersion } from './read-facts.ts';
import { rememberFact } from './remember.ts';
import { validateFact } from './validate-fact.ts';

const DAY_MS = 86_400_000;
const RULES = { maxValueBytes: 1000, secretGuard: true };
const AGENT = { surface: 'mcp', client: 'agent' };
const PERSON = { surface: 'cli' };
const clock = fakeClock();
let server: TestServer;
let memory: Memory;
let subject: string;
let subjects = 0;

beforeAll(async () => {
  server = await testServer({ now: clock.now });
});
afterAll(() => server.close());
beforeEach(() => {
  subject = `caller ${++subjects}`;
  memory = createMemory(server.memory!.parts, { subject });
});

const iso = (ms = clock.now()) => new Date(ms).toISOString();
const seconds = (ms: number) => `${iso(ms).slice(0, 19)}Z`;
const store = (input: object) =>
  rememberFact(memory, validateFact({ key: 'port', value: '8443', ...input }, RULES), { source: AGENT });
const refusal = (input: object) => {
  try {
    return validateFact({ key: 'port', value: '8443', ...input }, RULES);
  } catch (thrown) {
    return thrown;
  }
};

describe('a confirmation', () => {
  it('a store confirms a fact, also one of the same value', async () => {
    await store({});
    clock.advance(DAY_MS);
    await store({});
    expect(await readFact(memory, 'port')).toMatchObject({ version: 2, confirmed_at: iso() });
    expect(await readFact(memory, 'port')).not.toHaveProperty('confirmed_by');
    expect(await readVersion(memory, 'port', 1)).toMatchObject({ confirmed_at: iso(clock.now() - DAY_MS) });
  });

  it('a confirmation keeps value, version and source, and says where it came from', async () => {
    await store({ ttl_seconds: 7200 });
    const before = await readFact(memory, 'port');
    clock.advance(3_000_123);
    const answer = await confirmFact(memory, 'port', {}, PERSON);
    expect(answer).toEqual({
      key: 'port',
      version: 1,
      confirmed_at: iso(),
      review_by: iso(clock.now() + 30 * DAY_MS),
      expires_at: seconds(clock.now() + 7_200_000),
    });
    expect(await readFact(memory, 'port')).toEqual({ ...before, ...answer, confirmed_by: PERSON });
    expect(await readHistory(memory, 'port')).toHaveLength(1);
  });

  it('a TTL in the confirmation replaces the one of the fact, for this confirmation and the next', async () => {
    await store({});
    clock.advance(DAY_MS);
    await confirmFact(memory, 'port', { ttlSeconds: 3600 }, PERSON);
    clock.advance(3_000_000);
    const { expires_at } = await confirmFact(memory, 'port', {}, PERSON);
    expect(expires_at).toBe(seconds(clock.now() + 3_600_000));
  });

  it('a confirmation of another version, or of no fact, is refused and changes nothing', async () => {
    await store({});
    await store({ value: '9443' });
    const before = await readFact(memory, 'port');
    await expect(confirmFact(memory, 'port', { ifVersion: 1 }, PERSON)).rejects.toMatchObject({
      code: 'precondition_failed',
    });
    expect(await readFact(memory, 'port')).toEqual(before);
    await expect(confirmFact(memory, 'other', {}, PERSON)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('a new value ends the confirmation of the one before, which keeps it in the history', async () => {
    await store({});
    clock.advance(DAY_MS);
    await confirmFact(memory, 'port', {}, PERSON);
    const confirmedAt = iso();
    clock.advance(DAY_MS);
    await store({ value: '9443' });
    const now = await readFact(memory, 'port');
    expect(now).toMatchObject({ version: 2, confirmed_at: iso() });
    expect(now).not.toHaveProperty('confirmed_by');
    expect(await readVersion(memory, 'port', 1)).toMatchObject({
      confirmed_at: confirmedAt,
      confirmed_by: PERSON,
    });
  });

  it('new tags or a new lifetime do not confirm a fact', async () => {
    await store({});
    const { confirmed_at } = await readFact(memory, 'port');
    clock.advance(DAY_MS);
    await patchFact(memory, 'port', { tags: ['tls'], ttlSeconds: 3600 });
    expect(await readFact(memory, 'port')).toMatchObject({ confirmed_at, updated_at: iso() });
  });

  it('concurrent confirmations and stores of a fact leave the newest value, confirmed', async () => {
    await store({});
    await Promise.all([
      confirmFact(memory, 'port', {}, PERSON),
      store({ value: '9443' }),
      confirmFact(memory, 'port', {}, AGENT),
    ]);
    expect(await readFact(memory, 'port')).toMatchObject({ value: '9443', version: 2 });
  });
});

describe('the review period of a fact', () => {
  it('review_after_seconds is kept by later stores until another one is given, and 0 removes it', async () => {
    const period = async () => {
      const { confirmed_at, review_by } = await readFact(memory, 'port');
      return (Date.parse(review_by!) - Date.parse(confirmed_at)) / 1000;
    };
    await store({ review_after_seconds: 3600 });
    expect(await period()).toBe(3600);
    await store({ value: '9443' });
    expect(await period()).toBe(3600);
    await store({ review_after_seconds: 31_536_000 });
    expect(await period()).toBe(31_536_000);
    await store({ review_after_seconds: 0 });
    expect(await period()).toBe(30 * 86_400);
  });

  it('a review period outside an hour and a year, or not a whole number, is refused', () => {
    for (const review_after_seconds of [3599, 31_536_001, -1])
      expect(refusal({ review_after_seconds })).toMatchObject({
        code: 'invalid_input',
        reason: 'bad_review_after',
      });
    for (const review_after_seconds of ['3600', 3600.5, true])
      expect(refusal({ review_after_seconds })).toMatchObject({ reason: 'bad_type' });
    expect(refusal({ review_after_seconds: null })).toMatchObject({ key: 'port' });
  });

  it('without a review period a fact is never stale, unless it has one of its own', async () => {
    const review = { byCategory: new Map(), otherSeconds: undefined };
    const off = createMemory({ ...server.memory!.parts, review }, { subject });
    await store({});
    await store({ key: 'own', review_after_seconds: 3600 });
    clock.advance(80 * DAY_MS);
    const fact = await readFact(off, 'port');
    expect(fact).not.toHaveProperty('stale');
    expect(fact).not.toHaveProperty('review_by');
    expect(await readFact(off, 'own')).toMatchObject({ stale: true });
    expect(await confirmFact(off, 'port', {}, PERSON)).not.toHaveProperty('review_by');
  });
});

describe('the caution about a stale fact', () => {
  it('the caution has the day in UTC, and the year if it is not the current one', () => {
    const march = Date.UTC(2026, 2, 3, 23, 59, 59, 999);
    const text = (since: string) => `unconfirmed since ${since}; check before relying on it`;
    expect(cautionText(march, Date.UTC(2026, 11, 31))).toBe(text('3 March'));
    expect(cautionText(march + 1, Date.UTC(2026, 11, 31))).toBe(text('4 March'));
    expect(cautionText(march, Date.UTC(2027, 0, 1))).toBe(text('3 March 2026'));
  });
});

describe('over REST', () => {
  const FACTS = '/api/v1/memory/facts';
  const post = (path: string, body?: unknown, headers?: Record<string, string>) =>
    server.call(subject, 'POST', `${FACTS}/${path}`, body, headers);

  it('the key of a confirmation may have slashes and end in confirm, encoded or not', async () => {
    for (const key of ['a/b', 'confirm', 'a/confirm', 'x/../y']) {
      await store({ key });
      clock.advance(1000);
      expect((await post(`${encodeURIComponent(key)}/confirm`)).status, key).toBe(200);
      expect(await readFact(memory, key)).toMatchObject({ confirmed_at: iso() });
    }
    const before = await readFact(memory, 'a/confirm');
    clock.advance(1000);
    expect(await (await post('a/b/confirm', {})).json()).toMatchObject({ key: 'a/b' });
    expect(await readFact(memory, 'a/confirm')).toEqual(before);
  });

  it('a POST to a fact itself is refused and names the methods that are allowed', async () => {
    for (const path of ['a', 'a%2Fconfirm', 'confirm', 'a/history']) {
      const answer = await post(path, {});
      expect([answer.status, answer.headers.get('allow')], path).toEqual([405, 'GET, PATCH, DELETE']);
    }
    const put = await server.call(subject, 'PUT', `${FACTS}/a/confirm`, {});
    expect(put.headers.get('allow')?.split(', ').sort()).toEqual(['DELETE', 'GET', 'PATCH', 'POST']);
  });

  it('if_version and If-Match decide which version is confirmed, and the body may be absent', async () => {
    await store({});
    expect((await post('port/confirm', undefined, { 'if-match': '"1"' })).headers.get('etag')).toBe('"1"');
    expect((await post('port/confirm', { if_version: 2 })).status).toBe(412);
    expect((await post('port/confirm', { ttl_seconds: 1 })).status).toBe(400);
    expect((await post('port/confirm', { value: 'x' })).status).toBe(400);
    expect((await post('none/confirm')).status).toBe(404);
  });
});

describe('export and import', () => {
  const exported = async (): Promise<FactView[]> => {
    const text = await (await server.call(subject, 'GET', '/api/v1/memory/export')).text();
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const importAll = async (into: string, lines: object[]) => {
    const body = lines.map((line) => JSON.stringify(line)).join('\n');
    const headers = { 'content-type': 'application/x-ndjson' };
    return (
      await server.call(into, 'POST', '/api/v1/memory/import', body, headers)
    ).json() as Promise<object>;
  };

  it('confirmation and review period survive export and import, and a second import changes nothing', async () => {
    await store({ review_after_seconds: 7200 });
    await store({ key: 'other' });
    clock.advance(DAY_MS);
    await confirmFact(memory, 'port', {}, PERSON);
    const lines = await exported();
    clock.advance(DAY_MS);
    const copy = createMemory(server.memory!.parts, { subject: `${subject} copy` });
    expect(await importAll(copy.caller.subject!, lines)).toMatchObject({ stored: 2 });
    for (const key of ['port', 'other']) {
      const { confirmed_at, review_by } = await readFact(memory, key);
      expect(await readFact(copy, key)).toMatchObject({ confirmed_at, review_by });
    }
    expect(await importAll(copy.caller.subject!, lines)).toMatchObject({ stored: 0, unchanged: 2 });
  });

  it('an imported fact without a confirmation counts from its creation, and one from the future from now', async () => {
    const created_at = iso(clock.now() - 40 * DAY_MS);
    await importAll(subject, [
      { key: 'old', value: 'x', created_at },
      { key: 'plain', value: 'x' },
      { key: 'later', value: 'x', confirmed_at: iso(clock.now() + DAY_MS) },
    ]);
    expect(await readFact(memory, 'old')).toMatchObject({ confirmed_at: created_at, stale: true });
    for (const key of ['plain', 'later'])
      expect(await readFact(memory, key)).toMatchObject({ confirmed_at: iso() });
    expect(await importAll(subject, [{ key: 'bad', value: 'x', confirmed_at: 'yesterday' }])).toMatchObject({
      failed: 1,
    });
  });

  it('an older export does not take back a later confirmation', async () => {
    await store({ ttl_seconds: 31_536_000 });
    const [line] = await exported();
    clock.advance(DAY_MS);
    await confirmFact(memory, 'port', {}, PERSON);
    const confirmed = await readFact(memory, 'port');
    const { expires_at } = confirmed;
    expect(await importAll(subject, [{ ...line!, expires_at }])).toMatchObject({ unchanged: 1 });
    expect(await readFact(memory, 'port')).toEqual(confirmed);
  });
});
