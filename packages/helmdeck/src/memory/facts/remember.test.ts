import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { forget } from '../erase/forget.ts';
import { createMemory, type Memory } from '../memory.ts';
import { StoreConflict } from '../store.ts';
import { readAsOf, readFact, readHistory, readVersion } from './read-facts.ts';
import { patchFact, rememberFact } from './remember.ts';
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
const store = (key: string, value: string, more: Partial<ValidFact> = {}, idempotencyKey?: string) =>
  rememberFact(memory, fact(key, value, more), { source: SOURCE, idempotencyKey });

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
    const entry = await patchFact(memory, 'city', { ttlSeconds: 7200, category: 'places' });
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
