import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fakeClock, type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';

const DEFAULT_TTL_SECONDS = 7_776_000;

const clock = fakeClock();
let server: TestServer;
beforeAll(async () => {
  server = await testServer({ now: clock.now, env: { HELMDECK_RATE_LIMIT: 'off' } });
});
afterAll(() => server.close());

/** What a plain map remembers of a fact. */
interface ModelFact {
  value: string;
  category: string;
  tags: string[];
  project?: string;
  ttlSeconds: number;
  expiresSeconds: number;
  version: number;
}

/** The fields of a request; an absent one is omitted from its body. */
interface Fields {
  category?: string | null;
  tags?: string[] | null;
  ttl_seconds?: number | null;
  /** Not of a patch. */
  project?: string | null;
}

const KEYS = ['theme', 'home/city', 'a/../b'];
const fields = fc.record<Fields>(
  {
    category: fc.constantFrom('preferences', 'places', '', null),
    tags: fc.constantFrom(['ui'], ['a', 'b'], [], null),
    ttl_seconds: fc.constantFrom(3600, 90_061, 31_536_000, 0, null),
  },
  { requiredKeys: [] },
);
const project = fc.constantFrom(undefined, 'shop', 'bank', '', null);
const key = fc.constantFrom(...KEYS);
const value = fc.constantFrom('one', 'two', 'three');
const action = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('store' as const),
      through: fc.constantFrom('store', 'batch', 'pack'),
      key,
      value,
      fields,
      project,
      ifVersion: fc.option(fc.constantFrom('right' as const, 'wrong' as const), { nil: undefined, freq: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('patch' as const), key, fields }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), key }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 999, 1_800_500, 3_600_000, 86_400_000, 7_776_000_000),
    }),
  },
);

async function send(subject: string, method: string, path: string, body?: unknown) {
  const response = await server.call(subject, method, `/api/v1${path}`, body);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function storeThrough(through: string, subject: string, body: object) {
  if (through === 'store') return send(subject, 'POST', '/memory/store', body);
  if (through === 'pack') {
    const { status, body: run } = await send(subject, 'POST', '/packs/helmdeck.memory_store', body);
    return { status, body: (run.output ?? run) as Record<string, unknown> };
  }
  const { body: batch } = await send(subject, 'POST', '/memory/store/batch', { facts: [body] });
  const { index: _, ...result } = (batch.results as Record<string, unknown>[])[0]!;
  return { status: result.error === undefined ? 200 : 412, body: result };
}

const nowSeconds = () => Math.floor(clock.now() / 1000);
const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

/** The rule in the words of the contract: what is given counts, what is omitted stays, a new fact has the defaults. */
function modelStore(before: ModelFact | undefined, newValue: string, given: Fields): ModelFact {
  const ttlSeconds =
    given.ttl_seconds === undefined || given.ttl_seconds === null
      ? (before?.ttlSeconds ?? DEFAULT_TTL_SECONDS)
      : given.ttl_seconds || DEFAULT_TTL_SECONDS;
  return {
    value: newValue,
    category:
      given.category === undefined || given.category === null
        ? (before?.category ?? 'user_facts')
        : given.category || 'user_facts',
    tags: given.tags ?? before?.tags ?? [],
    project: (given.project ?? before?.project) || undefined,
    ttlSeconds,
    expiresSeconds: nowSeconds() + ttlSeconds,
    version: (before?.version ?? 0) + 1,
  };
}

let runs = 0;

it('random stores, patches, forgets and waits leave every fact as a plain map has it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 30 }), async (actions) => {
      const subject = `caller ${++runs}`;
      const model = new Map<string, ModelFact>();
      const live = (name: string) => {
        const fact = model.get(name);
        return fact && clock.now() < fact.expiresSeconds * 1000 ? fact : undefined;
      };
      for (const step of actions) {
        if (step.do === 'wait') clock.advance(step.ms);
        if (step.do === 'forget') {
          await send(subject, 'DELETE', `/memory/facts/${encodeURIComponent(step.key)}`);
          model.delete(step.key);
        }
        if (step.do === 'patch') {
          const given = Object.fromEntries(
            Object.entries(step.fields).filter(([, field]) => field !== null),
          ) as Fields;
          const path = `/memory/facts/${encodeURIComponent(step.key)}`;
          const { status } = await send(subject, 'PATCH', path, given);
          const before = live(step.key);
          const isEmpty = Object.keys(given).length === 0;
          expect(status).toBe(isEmpty ? 400 : before ? 200 : 404);
          if (before && !isEmpty) {
            const { ttlSeconds, expiresSeconds, category, tags } = modelStore(before, before.value, given);
            Object.assign(before, { category, tags });
            if (given.ttl_seconds !== undefined) Object.assign(before, { ttlSeconds, expiresSeconds });
          }
        }
        if (step.do === 'store') {
          const before = live(step.key);
          const version = before?.version ?? 0;
          const guard =
            step.ifVersion === undefined
              ? {}
              : { if_version: step.ifVersion === 'right' ? version : version + 1 };
          const given = { ...step.fields, project: step.project };
          const body = { key: step.key, value: step.value, ...given, ...guard };
          const answer = await storeThrough(step.through, subject, body);
          if (step.ifVersion === 'wrong') {
            expect(answer).toMatchObject({ status: 412, body: { error: 'precondition_failed' } });
            continue;
          }
          const after = modelStore(before, step.value, given);
          model.set(step.key, after);
          expect(answer).toMatchObject({
            status: 200,
            body: {
              key: step.key,
              category: after.category,
              expires_at: iso(after.expiresSeconds),
              created: before === undefined,
              version: after.version,
            },
          });
          for (const named of ['similar', 'conflicts'])
            expect(JSON.stringify(answer.body[named] ?? [])).not.toContain(`"key":"${step.key}"`);
        }
        for (const name of KEYS) {
          const expected = live(name);
          const { status, body } = await send(subject, 'GET', `/memory/facts/${encodeURIComponent(name)}`);
          if (!expected) {
            expect(status).toBe(404);
            continue;
          }
          const { ttlSeconds: _, expiresSeconds, ...shown } = expected;
          expect({ project: undefined, ...body }).toMatchObject({
            ...shown,
            expires_at: iso(expiresSeconds),
          });
        }
      }
    }),
    { numRuns: 40 },
  );
});
