import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { forget } from '../erase/forget.ts';
import { createMemory, type Memory } from '../memory.ts';
import { StoreConflict } from '../store.ts';
import { isoMs, isoSeconds } from '../times.ts';
import { patchFact } from './change-facts.ts';
import { readAsOf, readFact, readHistory, readVersion } from './read-facts.ts';
import { rememberFact } from './remember.ts';
import type { WriteAnswer } from './store-answer.ts';
import { FACT_POLICY, type ValidFact } from './validate-fact.ts';

const clock = fakeClock();
const SOURCE = { surface: 'rest', client: 'test' };
const HOUR_MS = 3_600_000;
let server: TestServer;
let memory: Memory;
let subjects = 0;

beforeAll(async () => {
  server = await testServer({ now: clock.now });
});
afterAll(() => server.close());
beforeEach(() => {
  memory = createMemory(server.memory!.parts, { subject: `caller ${++subjects}` });
});

const fact = (key: string, value: string, more: Partial<ValidFact> = {}): ValidFact => ({
  key,
  value,
  category: 'user_facts',
  tags: [],
  ttlSeconds: FACT_POLICY.defaultTtlSeconds,
  ...more,
});
const active = (answer: WriteAnswer & { replayed?: true }) => {
  if (answer.status !== 'active') throw new Error(`not stored: ${answer.status}`);
  return answer;
};
const store = async (key: string, value: string, more: Partial<ValidFact> = {}, idempotencyKey?: string) =>
  active(await rememberFact(memory, fact(key, value, more), { source: SOURCE, idempotencyKey }));

describe('a second value of a key', () => {
  it('a second value of a key is version 2, keeps created_at and moves the first value to the history', async () => {
    const createdAt = new Date(clock.now()).toISOString();
    expect(await store('city', 'Turin', { tags: ['home'] })).toMatchObject({ created: true, version: 1 });
    clock.advance(1000);
    expect(await store('city', 'Milan')).toMatchObject({ created: false, version: 2 });
    expect(await readFact(memory, 'city')).toMatchObject({
      value: 'Milan',
      version: 2,
      tags: [],
      created_at: createdAt,
      updated_at: new Date(clock.now()).toISOString(),
    });
    expect(await readVersion(memory, 'city', 1)).toMatchObject({
      value: 'Turin',
      version: 1,
      tags: ['home'],
      updated_at: createdAt,
    });
    const history = await readHistory(memory, 'city');
    expect(history.map(({ version, value }) => [version, value])).toEqual([
      [2, 'Milan'],
      [1, 'Turin'],
    ]);
  });

  it('the twenty-first value of a key removes the oldest version, so that twenty remain', async () => {
    for (let index = 1; index <= 23; index++) await store('counter', `value ${index}`);
    const history = await readHistory(memory, 'counter');
    expect(history.map(({ version }) => version)).toEqual(
      Array.from({ length: 20 }, (_, index) => 23 - index),
    );
    expect(await readVersion(memory, 'counter', 4)).toMatchObject({ value: 'value 4' });
    await expect(readVersion(memory, 'counter', 3)).rejects.toMatchObject({ code: 'not_found' });
    await expect(readVersion(memory, 'counter', 24)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('a forgotten fact that is stored again starts at version 1 without a history', async () => {
    await store('city', 'Turin');
    await store('city', 'Milan');
    await forget(memory, { type: 'key', name: 'city' });
    expect(await store('city', 'Rome')).toMatchObject({ created: true, version: 1 });
    expect(await readHistory(memory, 'city')).toHaveLength(1);
    await expect(readVersion(memory, 'city', 2)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('keys whose version ids look alike do not share histories', async () => {
    await store('1:a', 'one');
    await store('1:a', 'two');
    await store('a', 'three');
    await expect(readVersion(memory, 'a', 2)).rejects.toMatchObject({ code: 'not_found' });
    expect(await readHistory(memory, 'a')).toHaveLength(1);
    await store('A', 'capital');
    expect((await readFact(memory, 'a')).value).toBe('three');
  });
});

describe('an update that omits fields', () => {
  const YEAR_SECONDS = 31_536_000;
  const update = async (key: string, value: string, more: Partial<ValidFact> = {}) =>
    active(await rememberFact(memory, { key, value, ...more }, { source: SOURCE }));
  const expiryAfter = (seconds: number) =>
    `${new Date(clock.now() + seconds * 1000).toISOString().slice(0, 19)}Z`;

  it('an update with key and value alone keeps category, tags and TTL, and the answer reports them', async () => {
    await store('theme', 'dark', { category: 'preferences', tags: ['ui'], ttlSeconds: YEAR_SECONDS });
    clock.advance(30 * 86_400_000 + 1);
    const answer = await update('theme', 'light');
    const expires_at = expiryAfter(YEAR_SECONDS);
    expect(answer).toMatchObject({ created: false, version: 2, category: 'preferences', expires_at });
    const kept = { category: 'preferences', tags: ['ui'], expires_at };
    expect(await readFact(memory, 'theme')).toMatchObject({ value: 'light', ...kept });
    clock.advance(86_400_000);
    expect(await update('theme', 'grey')).toMatchObject({ expires_at: expiryAfter(YEAR_SECONDS) });
  });

  it('an update that gives one of category, tags and TTL keeps the others', async () => {
    await store('theme', 'dark', { category: 'preferences', tags: ['ui'], ttlSeconds: 7200 });
    await update('theme', 'light', { tags: [] });
    expect(await readFact(memory, 'theme')).toMatchObject({
      category: 'preferences',
      tags: [],
      expires_at: expiryAfter(7200),
    });
    await update('theme', 'grey', { category: 'design', tags: ['x'] });
    await update('theme', 'red', { ttlSeconds: 3600 });
    const view = { category: 'design', tags: ['x'], expires_at: expiryAfter(3600) };
    expect(await readFact(memory, 'theme')).toMatchObject(view);
  });

  it('an update keeps the TTL of the last renewal, whatever else was patched since', async () => {
    await store('theme', 'dark', { ttlSeconds: YEAR_SECONDS });
    clock.advance(86_400_000);
    await patchFact(memory, 'theme', { tags: ['a'] });
    clock.advance(86_400_000);
    expect(await update('theme', 'light')).toMatchObject({ expires_at: expiryAfter(YEAR_SECONDS) });
    clock.advance(1000);
    await patchFact(memory, 'theme', { ttlSeconds: 7200 });
    await patchFact(memory, 'theme', { category: 'design' });
    clock.advance(1_800_500);
    expect(await update('theme', 'grey')).toMatchObject({ expires_at: expiryAfter(7200) });
    clock.advance(1_800_500);
    expect(await update('theme', 'red')).toMatchObject({ expires_at: expiryAfter(7200) });
  });

  it('a store over a forgotten or expired fact starts from the defaults', async () => {
    const defaults = { category: 'user_facts', expires_at: expiryAfter(FACT_POLICY.defaultTtlSeconds) };
    await store('theme', 'dark', { category: 'preferences', tags: ['ui'], ttlSeconds: 3600 });
    await forget(memory, { type: 'key', name: 'theme' });
    expect(await update('theme', 'light')).toMatchObject({ created: true, ...defaults });
    expect((await readFact(memory, 'theme')).tags).toEqual([]);
    await store('other', 'dark', { category: 'preferences', tags: ['ui'], ttlSeconds: 3600 });
    clock.advance(HOUR_MS);
    expect(await update('other', 'light')).toMatchObject({ created: true, category: 'user_facts' });
    expect((await readFact(memory, 'other')).tags).toEqual([]);
  });

  it('an update of an imported fact keeps its lifetime, within an hour and a year', async () => {
    const importOne = async (key: string, agoMs: number, leftMs: number) => {
      const times = { createdMs: clock.now() - agoMs, expiresMs: clock.now() + leftMs };
      await rememberFact(memory, fact(key, 'imported'), { source: SOURCE, times });
      return (await update(key, 'updated')).expires_at;
    };
    clock.advance(1000 - (clock.now() % 1000));
    expect(await importOne('month', 20 * 86_400_000, 10 * 86_400_000)).toBe(expiryAfter(30 * 86_400));
    expect(await importOne('minute', 0, 60_000)).toBe(expiryAfter(3600));
    expect(await importOne('decade', 10 * 365 * 86_400_000, 86_400_000)).toBe(expiryAfter(YEAR_SECONDS));
  });

  it('an update keeps what a concurrent writer changed just before it', async () => {
    await store('theme', 'dark', { category: 'preferences', tags: ['ui'] });
    const answers = await Promise.all([
      patchFact(memory, 'theme', { category: 'design' }).then(({ entry }) => entry),
      update('theme', 'light'),
      update('theme', 'grey', { tags: ['new'] }),
      update('theme', 'red'),
    ]);
    expect(answers.map((answer) => answer.category)).toEqual(Array(4).fill('design'));
    expect(await readFact(memory, 'theme')).toMatchObject({ category: 'design', tags: ['new'], version: 4 });
  });
});

describe('as_of', () => {
  it('as_of returns the value at that time, exact to the millisecond', async () => {
    const firstMs = clock.now();
    await store('city', 'Turin');
    clock.advance(5000);
    const secondMs = clock.now();
    await store('city', 'Milan');
    clock.advance(5000);
    expect((await readAsOf(memory, 'city', firstMs)).value).toBe('Turin');
    expect((await readAsOf(memory, 'city', secondMs - 1)).value).toBe('Turin');
    expect((await readAsOf(memory, 'city', secondMs)).value).toBe('Milan');
    expect((await readAsOf(memory, 'city', clock.now() + HOUR_MS)).value).toBe('Milan');
    await expect(readAsOf(memory, 'city', firstMs - 1)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('as_of ignores renewals, which write no value', async () => {
    await store('city', 'Turin');
    clock.advance(5000);
    const secondMs = clock.now();
    await store('city', 'Milan');
    clock.advance(5000);
    await patchFact(memory, 'city', { ttlSeconds: 3600 });
    expect((await readAsOf(memory, 'city', secondMs)).value).toBe('Milan');
    const [latest] = await readHistory(memory, 'city');
    expect(latest).toMatchObject({ version: 2, at: new Date(secondMs).toISOString() });
  });
});

describe('if_version', () => {
  it.each([
    ['0 over an existing fact', 0],
    ['an older version', 1],
    ['a later version', 3],
  ])('if_version %s is refused and changes nothing', async (_name, ifVersion) => {
    await store('city', 'Turin');
    await store('city', 'Milan');
    await expect(store('city', 'Rome', { ifVersion })).rejects.toMatchObject({ code: 'precondition_failed' });
    expect(await readFact(memory, 'city')).toMatchObject({ value: 'Milan', version: 2 });
  });

  it('if_version 0 stores a new fact, and the current version replaces it', async () => {
    expect(await store('city', 'Turin', { ifVersion: 0 })).toMatchObject({ version: 1 });
    expect(await store('city', 'Milan', { ifVersion: 1 })).toMatchObject({ version: 2 });
    await expect(store('new', 'x', { ifVersion: 1 })).rejects.toMatchObject({ code: 'precondition_failed' });
  });

  it('if_version 0 replaces an expired fact', async () => {
    await store('city', 'Turin', { ttlSeconds: 3600 });
    clock.advance(HOUR_MS);
    expect(await store('city', 'Milan', { ifVersion: 0 })).toMatchObject({ created: true, version: 1 });
  });

  it('one of many concurrent writers with the same if_version succeeds', async () => {
    await store('city', 'Turin');
    const tries = Array.from({ length: 20 }, (_, index) => store('city', `try ${index}`, { ifVersion: 1 }));
    const settled = await Promise.allSettled(tries);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await readFact(memory, 'city')).version).toBe(2);
  });
});

describe('a patch', () => {
  it('a patch renews a fact and changes its category without a new version', async () => {
    await store('city', 'Turin', { tags: ['a'], ttlSeconds: 3600 });
    clock.advance(1_800_500);
    const { entry } = await patchFact(memory, 'city', { ttlSeconds: 7200, category: 'places' });
    expect(entry).toMatchObject({ version: 1, value: 'Turin', category: 'places', tags: ['a'] });
    const view = await readFact(memory, 'city');
    expect(Date.parse(view.expires_at)).toBe(Math.floor(clock.now() / 1000) * 1000 + 7_200_000);
    expect(await readHistory(memory, 'city')).toHaveLength(1);
  });

  it('a patch of a missing or expired fact fails with not_found', async () => {
    await expect(patchFact(memory, 'nothing', { tags: [] })).rejects.toMatchObject({ code: 'not_found' });
    await store('city', 'Turin', { ttlSeconds: 3600 });
    clock.advance(HOUR_MS);
    await expect(patchFact(memory, 'city', { ttlSeconds: 7200 })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('a patch with another if_version is refused', async () => {
    await store('city', 'Turin');
    await expect(patchFact(memory, 'city', { tags: ['x'] }, 2)).rejects.toMatchObject({
      code: 'precondition_failed',
    });
  });
});

describe('many writers of one key', () => {
  it('N concurrent stores of one key create versions 1 to N', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store('hot', `value ${index}`)),
    );
    expect(answers.map(({ version }) => version).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
    const history = await readHistory(memory, 'hot');
    expect(new Set(history.map(({ value }) => value)).size).toBe(20);
  });

  it('a store that conflicts with another process is planned again on the new state', async () => {
    await store('hot', 'first');
    const { parts } = server.memory!;
    let meddled = false;
    const meddling = {
      ...parts.store,
      apply: async (...args: Parameters<typeof parts.store.apply>) => {
        if (!meddled) {
          meddled = true;
          throw new StoreConflict('rev');
        }
        return parts.store.apply(...args);
      },
    };
    const other = createMemory({ ...parts, store: meddling }, memory.caller);
    expect(await rememberFact(other, fact('hot', 'second'), { source: SOURCE })).toMatchObject({
      version: 2,
    });
    expect(meddled).toBe(true);
  });
});

describe('times', () => {
  it('times are formatted as Date formats them, in any year', () => {
    const ms = fc.oneof(
      fc.integer({ min: Date.UTC(1969, 0), max: Date.UTC(2100, 0) }),
      fc.integer({ min: -8.64e15, max: 8.64e15 }),
      fc.double({ min: -1e12, max: 1e12, noNaN: true }),
    );
    fc.assert(
      fc.property(ms, (each) => {
        const expected = new Date(each).toISOString();
        expect(isoMs(each)).toBe(expected);
        expect(isoSeconds(each)).toBe(expected.replace(/\.\d+Z$/, 'Z'));
      }),
      { numRuns: 5_000 },
    );
    expect(() => isoMs(Number.NaN)).toThrow(RangeError);
  });
});
