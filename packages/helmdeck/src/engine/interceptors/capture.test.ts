import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openSession } from '../../memory/facts/sessions.ts';
import { createMemory } from '../../memory/memory.ts';
import { runPack, type TestServer, testServer } from '../../testing/index.ts';
import { definePack, type MemoryPolicy } from '../pack/pack.ts';
import { createPackMemory } from '../pack/pack-memory.ts';

let server: TestServer;
afterEach(() => server.close());

async function serverWith(memory: MemoryPolicy, env = {}): Promise<void> {
  const pack = definePack({
    name: 'test.kept',
    version: 'v1',
    description: 'For a test.',
    input: z.object({ say: z.string().default('hello') }),
    output: z.object({ said: z.string(), context: z.array(z.string()).optional() }),
    memory,
    session: true,
    handler: ({ input, context }) => ({
      said: input.say,
      ...(context ? { context: Object.keys(context.entries) } : {}),
    }),
  });
  server = await testServer({ packs: [pack], env });
}
const run = (input: object = {}) => runPack(server, 'ada', 'test.kept', input);
const memory = () => createMemory(server.memory!.parts, { subject: 'ada' });
const rules = { maxValueBytes: 65_536, secretGuard: true };

describe('capture', () => {
  it('captured results are notes of the session, one per input', async () => {
    await serverWith({ capture: { prefix: 'kept/', ttlSeconds: 60 } });
    const { session_id } = await openSession(memory());
    for (const say of ['a', 'b', 'a']) await run({ say, _session_id: session_id });
    const notes = await createPackMemory(memory(), rules, session_id).list('kept/');
    expect(notes.map(({ value }) => value)).toEqual(['{"said":"a"}', '{"said":"b"}']);
    expect(notes[0]).toMatchObject({ category: 'test.kept', tags: ['captured'] });
    expect(notes[0]!.key).toMatch(/^kept\/[0-9a-f]{16}$/);
    expect(notes[0]!.expiresMs - notes[0]!.updatedMs).toBe(60_000);
  });

  it.each([
    ['a credential', 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'],
    ['too much', 'x'.repeat(70_000)],
  ])(
    'a result with %s is not captured, even with the secret guard off, and the run succeeds',
    async (_name, say) => {
      await serverWith({ capture: { prefix: 'kept', ttlSeconds: 60 } }, { HELMDECK_SECRET_GUARD: 'off' });
      const { session_id } = await openSession(memory());
      expect((await run({ say, _session_id: session_id })).output).toEqual({ said: say });
      expect(await createPackMemory(memory(), rules, session_id).list()).toEqual([]);
    },
  );
});

describe('a temporary session', () => {
  it('a temporary session and its notes end with the run', async () => {
    await serverWith({ capture: { prefix: 'kept', ttlSeconds: 60 } });
    expect((await run()).session_id).toBeUndefined();
    const usage = await server.memory!.parts.store.usage(Date.now());
    expect(usage.filter(({ kind }) => kind === 'note' || kind === 'session')).toEqual([]);
  });
});

describe('context', () => {
  it('a pack that declares context receives the memory overview', async () => {
    await serverWith({ context: true });
    const { session_id } = await openSession(memory());
    await createPackMemory(memory(), rules, session_id).store('a', 'b', { category: 'mine' });
    expect((await run({ _session_id: session_id })).output).toMatchObject({ context: ['mine'] });
  });
});
