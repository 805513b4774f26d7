import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { testServer } from '../../packages/helmdeck/src/testing/test-server.ts';
import { check } from './checks.ts';
import { installedClient } from './installed-client.ts';

interface Memory {
  id: string;
  memory: string;
  event?: string;
  score?: number;
  userId?: string;
  newMemory?: string;
}

/** The part of the client that is used here; its package's own types describe other shapes than it returns. */
interface MemoryClient {
  ping(): Promise<void>;
  add(messages: object[], options: object): Promise<{ results: Memory[] }>;
  search(query: string, options: object): Promise<{ results: Memory[] }>;
  getAll(options: object): Promise<{ count: number; results: Memory[] }>;
  get(id: string): Promise<Memory>;
  update(id: string, change: object): Promise<Memory>;
  history(id: string): Promise<Memory[]>;
  delete(id: string): Promise<{ message: string }>;
  deleteAll(options: object): Promise<{ message: string }>;
}

/** The client of mem0's platform, from npm, with Helmdeck as its host. */
export async function mem0(version: string): Promise<void> {
  process.env.MEM0_TELEMETRY = 'false';
  const folder = installedClient('mem0ai', version);
  const { MemoryClient } = createRequire(join(folder, 'package.json'))('mem0ai') as {
    MemoryClient: new (options: { apiKey: string; host: string }) => MemoryClient;
  };
  const helmdeck = await testServer({ socket: true });
  const clientOf = async (subject: string) =>
    new MemoryClient({ apiKey: await helmdeck.token(subject), host: `${helmdeck.url}/compat/mem0` });
  try {
    const client = await clientOf('ada');
    const messages = [{ role: 'user', content: 'I am allergic to peanuts.' }];
    await check('mem0ai adds, searches, gets, updates, shows the history and deletes', async () => {
      await client.ping();
      const { results } = await client.add(messages, { userId: 'ada', infer: false });
      assert.equal(results[0]!.event, 'ADD');
      const { id } = results[0]!;
      const found = await client.search('peanut allergy', { filters: { user_id: 'ada' }, topK: 3 });
      assert.equal(found.results[0]!.id, id);
      assert.ok(found.results[0]!.score! > 0);
      assert.equal((await client.getAll({ filters: { user_id: 'ada' } })).count, 1);
      const either = { OR: [{ user_id: 'ada' }, { agent_id: '*' }] };
      assert.equal((await client.search('peanut allergy', { filters: either })).results.length, 1);
      assert.equal((await client.getAll({ filters: { NOT: [either] } })).count, 0);
      assert.equal((await client.get(id)).userId, 'ada');
      assert.equal(
        (await client.update(id, { text: 'I am allergic to all nuts.' })).memory,
        'I am allergic to all nuts.',
      );
      assert.deepEqual(
        (await client.history(id)).map(({ event, newMemory }) => [event, newMemory]),
        [
          ['ADD', 'I am allergic to peanuts.'],
          ['UPDATE', 'I am allergic to all nuts.'],
        ],
      );
      assert.equal((await client.delete(id)).message, 'Memory deleted successfully!');
      await assert.rejects(client.get(id));
      await client.add(messages, { userId: 'ada', infer: false });
      await client.deleteAll({ userId: 'ada' });
      assert.equal((await client.getAll({})).count, 0);
    });
    await check('mem0ai is refused a user_id other than the caller', async () => {
      await assert.rejects(
        client.add(messages, { userId: 'grace', infer: false }),
        /user_id must be your own/,
      );
      await assert.rejects(client.search('peanuts', { filters: { user_id: 'grace' } }));
      await assert.rejects(client.deleteAll({ userId: 'grace' }));
    });
  } finally {
    await helmdeck.close();
  }
}
