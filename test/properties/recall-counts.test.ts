import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import {
  fakeClock,
  runPack,
  type TestServer,
  testServer,
} from '../../packages/helmdeck/src/testing/index.ts';

const MEMORY = '/api/v1/memory';
const clock = fakeClock();
const folder = mkdtempSync(join(tmpdir(), 'helmdeck-recall-counts-'));
let server: TestServer | undefined;
afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true });
});

const start = () =>
  testServer({
    now: clock.now,
    env: {
      HELMDECK_RATE_LIMIT: 'off',
      HELMDECK_DB: join(folder, 'memory.db'),
      HELMDECK_MEMORY_KEY: 'ab'.repeat(32),
    },
  });

const FACTS: Record<string, string> = {
  'deploy/tool': 'We deploy the billing service with Konflux',
  'deploy/day': 'We deploy on Tuesday, never on Friday',
  'team/drink': 'Ada drinks green tea',
  'team/editor': 'Ada writes with an old editor',
  'preferences/tone': 'Short answers, no small talk',
};
const key = fc.constantFrom(...Object.keys(FACTS));
const query = fc.constantFrom(
  'deploy',
  'tea',
  'konflux billing',
  'ada editor',
  'tuesday',
  'nothing of that',
  'which small town has the best museum, and is it open in winter',
  '',
);
const limit = fc.integer({ min: 1, max: 5 });
const action = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('search' as const), query, limit }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('recall' as const), query, limit }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('recall key' as const), key }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('qmd' as const), queries: fc.array(query), limit }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('start notes' as const),
      folder: fc.constantFrom('', 'deploy', 'team'),
      bytes: fc.constantFrom(400, 500, 4_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('read' as const), key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('store' as const), key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), key }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 9_999 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'flush' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
);

type Step = typeof action extends fc.Arbitrary<infer T> ? T : never;

async function get<T>(subject: string, path: string): Promise<T> {
  const response = await server!.call(subject, 'GET', MEMORY + path);
  expect(response.status, path).toBe(200);
  return (await response.json()) as T;
}

async function queryCorpus(subject: string, queries: string[], most: number): Promise<string[]> {
  const searches = queries.map((text) => ({ type: 'lex', query: text }));
  const params = { name: 'query', arguments: { searches, limit: most } };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const headers = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-06-18',
  };
  const response = await server!.call(subject, 'POST', '/api/v1/mcp/qmd', message, headers);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const json = text.startsWith('{') ? text : /^data: (.*)$/m.exec(text)![1]!;
  const { results } = JSON.parse(json).result.structuredContent as { results: { file: string }[] };
  return results.map(({ file }) => file.replace(/^.*?facts\//, ''));
}

/** Does what the step says; returns the keys of the facts that it handed out. */
async function handedOut(subject: string, step: Step): Promise<string[]> {
  const encode = encodeURIComponent;
  switch (step.do) {
    case 'search': {
      const path = `/search?q=${encode(step.query)}&limit=${step.limit}&kinds=fact,pack`;
      const { results } = await get<{ results: { key: string; confident?: boolean }[] }>(subject, path);
      return results.filter(({ confident }) => confident !== false).map((hit) => hit.key);
    }
    case 'recall':
    case 'recall key': {
      const input = step.do === 'recall' ? { query: step.query, limit: step.limit } : { key: step.key };
      const { output } = await runPack(server!, subject, 'helmdeck.memory_recall', input);
      // An overview puts what is recalled most first, so it does not count itself.
      if (step.do === 'recall' && step.query === '') return [];
      return (output as { results: { key: string }[] }).results.map((hit) => hit.key);
    }
    case 'qmd':
      return queryCorpus(subject, step.queries, step.limit);
    case 'start notes': {
      const path = `/start-notes?folder=${step.folder}&max_bytes=${step.bytes}`;
      return (await get<{ keys: string[] }>(subject, path)).keys;
    }
    case 'read':
      await server!.call(subject, 'GET', `${MEMORY}/facts/${encode(step.key)}`);
      await get(subject, '/facts?q=deploy');
      return [];
    case 'store':
      await server!.call(subject, 'POST', `${MEMORY}/store`, { key: step.key, value: FACTS[step.key] });
      return [];
    case 'forget':
      await server!.call(subject, 'DELETE', `${MEMORY}/facts/${encode(step.key)}`);
      return [];
    case 'wait':
      clock.advance(step.ms);
      return [];
    case 'flush':
      await server!.memory!.parts.pending.drain();
      return [];
    case 'restart':
      await server!.close();
      server = await start();
      return [];
  }
}

let runs = 0;

it('each fact counts exactly the times it was handed out since it was first stored, through restarts, and when last', async () => {
  server = await start();
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 25 }), async (actions) => {
      const subject = `caller ${++runs}`;
      const facts = Object.entries(FACTS).map(([name, value]) => ({ key: name, value }));
      await server!.call(subject, 'POST', `${MEMORY}/store/batch`, { facts });
      const expected = new Map<string, { recalled_count: number; last_recalled_at?: string }>();
      for (const name of Object.keys(FACTS)) expected.set(name, { recalled_count: 0 });
      for (const step of actions) {
        for (const name of await handedOut(subject, step)) {
          const recalled_count = expected.get(name)!.recalled_count + 1;
          expected.set(name, { recalled_count, last_recalled_at: new Date(clock.now()).toISOString() });
        }
        if (step.do === 'forget') expected.delete(step.key);
        if (step.do === 'store' && !expected.has(step.key)) expected.set(step.key, { recalled_count: 0 });
      }
      const listed = await get<{
        facts: { key: string; recalled_count: number; last_recalled_at?: string }[];
      }>(subject, '/facts');
      const counted = listed.facts.map(({ key: name, recalled_count, last_recalled_at }) => [
        name,
        { recalled_count, ...(last_recalled_at === undefined ? {} : { last_recalled_at }) },
      ]);
      expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(expected));
    }),
    { numRuns: 40 },
  );
});
