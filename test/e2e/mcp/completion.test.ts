import { afterAll, beforeAll, expect, it } from 'vitest';
import { fakeClock, type TestServer, testServer } from '../../../packages/helmdeck/src/testing/index.ts';
import { connectClient } from './clients.ts';

const clock = fakeClock(Date.now());
let server: TestServer;
beforeAll(async () => {
  server = await testServer({ socket: true, now: clock.now });
});
afterAll(() => server.close());

const ref = { type: 'ref/resource', uri: 'helmdeck://facts/{+key}' } as const;

it('completion offers the newest 100 keys, says that there are more, and omits forgotten ones', async () => {
  const facts = Array.from({ length: 130 }, (_, n) => ({
    key: `many/${String(n).padStart(3, '0')}`,
    value: `fact ${n}`,
    category: n < 2 ? 'rare' : 'usual',
  }));
  await server.call('ada', 'POST', '/api/v1/memory/store/batch', { facts: facts.slice(0, -1) });
  clock.advance(1_000);
  await server.call('ada', 'POST', '/api/v1/memory/store', facts.at(-1)!);
  const client = await connectClient(server, '2026-07-28', 'ada');
  try {
    const complete = async (name: string, value: string) =>
      (await client.complete({ ref, argument: { name, value } })).completion;
    const all = await complete('key', 'many/');
    expect(all.hasMore).toBe(true);
    expect(all.values).toHaveLength(100);
    expect(all.values[0]).toBe('many/129');
    expect(await complete('key', 'many/12')).toMatchObject({ total: 10, hasMore: false });
    expect((await complete('category', '')).values).toEqual(['rare', 'usual']);
    await server.call('ada', 'POST', '/api/v1/memory/forget', { scope: 'prefix:many/00' });
    expect((await complete('key', 'many/00')).values).toEqual([]);
    expect((await complete('category', '')).values).toEqual(['usual']);
    expect((await complete('key', 'MANY')).values).toEqual([]);
  } finally {
    await client.close();
  }
});
