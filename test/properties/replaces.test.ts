import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeClock } from '../../packages/helmdeck/src/testing/fake-clock.ts';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/test-server.ts';
import { startPostgres } from '../support/services/postgres.ts';
import { startRedis } from '../support/services/redis.ts';

// `replaces` makes several facts one in a single write. A plain map is the model: each key has its list of values, and a
// write with `replaces` joins the lists by time.

const KEYS = ['a', 'b/c', 'd'] as const;
const MAX_VERSIONS = 20;

interface OldValue {
  value: string;
  atMs: number;
}
interface ModelFact {
  values: OldValue[];
  version: number;
}
type Model = Map<string, ModelFact>;

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('store' as const),
      key: fc.constantFrom(...KEYS),
      replaces: fc.uniqueArray(fc.constantFrom(...KEYS, 'never stored'), { maxLength: 3 }),
      times: fc.integer({ min: 1, max: 8 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), key: fc.constantFrom(...KEYS) }) },
);

/** The rule in the words of the reference: the values of all become the history of one, ordered by time. */
function modelStore(model: Model, key: string, replaces: readonly string[], stored: OldValue): string[] {
  const others = replaces.filter((other) => other !== key && model.has(other));
  const joined = [key, ...others].flatMap((each) => model.get(each)?.values ?? []);
  const version = [key, ...others].reduce((sum, each) => sum + (model.get(each)?.version ?? 0), 1);
  for (const other of others) model.delete(other);
  const values = [...joined.sort((x, y) => x.atMs - y.atMs), stored].slice(-MAX_VERSIONS);
  model.set(key, { values, version });
  return others;
}

function behaves(backEnd: string, env: () => Record<string, string>, runs: number) {
  describe(`replaces on ${backEnd}`, () => {
    const clock = fakeClock();
    let server: TestServer;
    let people = 0;
    beforeAll(async () => {
      server = await testServer({ now: clock.now, env: { HELMDECK_RATE_LIMIT: 'off', ...env() } });
    });
    afterAll(() => server?.close());
    const send = async <T>(subject: string, method: string, path: string, body?: object) => {
      const response = await server.call(subject, method, `/api/v1/memory${path}`, body);
      return { status: response.status, body: (await response.json()) as T };
    };
    const historyOf = async (subject: string, key: string) =>
      (
        await send<{ versions: { version: number; value: string }[] }>(
          subject,
          'GET',
          `/facts/${encodeURIComponent(key)}/history`,
        )
      ).body.versions;

    it('random renames and merges leave the keys, values and histories that a plain map has', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
          const subject = `person ${backEnd} ${++people}`;
          const model: Model = new Map();
          let written = 0;
          for (const each of steps) {
            clock.advance(1_000);
            if (each.do === 'forget') {
              await send(subject, 'DELETE', `/facts/${encodeURIComponent(each.key)}`);
              model.delete(each.key);
              continue;
            }
            for (let time = 0; time < each.times; time++) {
              clock.advance(1_000);
              const { key, replaces } = each;
              const value = `value ${++written}`;
              const { body } = await send(subject, 'POST', '/store', { key, value, replaces });
              const replaced = modelStore(model, key, replaces, { value, atMs: clock.now() });
              expect(body).toMatchObject({ status: 'active', key, version: model.get(key)!.version });
              expect((body as { replaced?: string[] }).replaced ?? []).toEqual(replaced);
            }
          }
          const listed = await send<{ facts: { key: string; value: string }[] }>(
            subject,
            'GET',
            '/facts?sort=key',
          );
          const expected = [...model].sort(([x], [y]) => (x < y ? -1 : 1));
          expect(listed.body.facts.map(({ key, value }) => [key, value])).toEqual(
            expected.map(([key, { values }]) => [key, values.at(-1)!.value]),
          );
          for (const [key, { values, version }] of expected)
            expect(await historyOf(subject, key)).toMatchObject(
              values.toReversed().map(({ value }, at) => ({ value, version: version - at })),
            );
        }),
        { numRuns: runs },
      );
    });

    it('of concurrent merges of the same facts one takes them, and no value is lost or doubled', async () => {
      const subject = `crowd ${backEnd}`;
      for (const key of ['x', 'y']) await send(subject, 'POST', '/store', { key, value: `of ${key}` });
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          send<{ replaced?: string[] }>(subject, 'POST', '/store', {
            key: `merged/${n}`,
            value: `merge ${n}`,
            replaces: ['x', 'y'],
          }),
        ),
      );
      expect(answers.flatMap(({ body }) => body.replaced ?? []).sort()).toEqual(['x', 'y']);
      const values: string[] = [];
      for (let n = 0; n < 8; n++)
        values.push(...(await historyOf(subject, `merged/${n}`)).map(({ value }) => value));
      expect(values.sort()).toEqual(
        ['of x', 'of y', ...Array.from({ length: 8 }, (_, n) => `merge ${n}`)].sort(),
      );
      expect((await send(subject, 'GET', '/facts/x')).status).toBe(404);
    });

    it('a refused write replaces nothing', async () => {
      const subject = `refused ${backEnd}`;
      await send(subject, 'POST', '/store', { key: 'old', value: 'stays' });
      await send(subject, 'POST', '/store', { key: 'new', value: 'first' });
      const write = { key: 'new', value: 'second', replaces: ['old'], if_version: 0 };
      expect((await send(subject, 'POST', '/store', write)).status).toBe(412);
      expect((await send(subject, 'GET', '/facts/old')).body).toMatchObject({ value: 'stays', version: 1 });
      expect((await send(subject, 'GET', '/facts/new')).body).toMatchObject({ value: 'first', version: 1 });
    });

    it('search finds the new key and no longer the old one', async () => {
      const subject = `searching ${backEnd}`;
      await send(subject, 'POST', '/store', { key: 'first/key', value: 'the zeppelin lands at noon' });
      await send(subject, 'GET', '/search?q=zeppelin');
      await send(subject, 'POST', '/store', {
        key: 'second/key',
        value: 'the zeppelin lands at noon',
        replaces: ['first/key'],
      });
      const { body } = await send<{ results: { key: string }[] }>(subject, 'GET', '/search?q=zeppelin');
      expect(body.results.map(({ key }) => key)).toEqual(['second/key']);
    });
  });
}

const KEY = { HELMDECK_MEMORY_KEY: '0f'.repeat(32) };
const folder = mkdtempSync(join(tmpdir(), 'helmdeck-replaces-'));
const postgres = await startPostgres();
const redis = await startRedis();
afterAll(async () => {
  if (typeof postgres !== 'string') await postgres.stop();
  if (typeof redis !== 'string') await redis.stop();
  rmSync(folder, { recursive: true, force: true });
});

const inFolder = (db: string) => ({ HELMDECK_DB: db, HELMDECK_DATA_DIR: folder, ...KEY });
behaves('memory', () => ({}), 40);
behaves('SQLite', () => inFolder(join(folder, 'h.db')), 15);
if (typeof postgres === 'string') it.skip(`replaces on PostgreSQL (${postgres})`);
else behaves('PostgreSQL', () => inFolder(postgres.url()), 5);
if (typeof redis === 'string') it.skip(`replaces on Redis (${redis})`);
else behaves('Redis', () => inFolder(redis.url()), 5);
