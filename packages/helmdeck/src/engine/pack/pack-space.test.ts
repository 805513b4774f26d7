import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { runPack, type TestServer, testServer } from '../../testing/index.ts';
import { definePack, type MemoryPolicy } from './pack.ts';

const SCOPES = ['memory:read', 'memory:write', 'packs:run', 'pipelines:run'];
const WRITING = [...SCOPES, 'spaces:write'];

/** Reads or writes a space with the methods that handlers get. */
const spacePack = (name: string, memory?: MemoryPolicy) =>
  definePack({
    name,
    version: 'v1',
    description: 'Uses a space.',
    input: z.object({ slug: z.string(), key: z.string().optional(), value: z.string().optional() }),
    output: z.object({
      keys: z.array(z.string()),
      value: z.string().optional(),
      context: z.string(),
      status: z.string().optional(),
    }),
    memory,
    async handler({ input: { slug, key = 'deploy/window', value }, memory }) {
      const space = memory!.space(slug);
      const status = value === undefined ? undefined : await space.store(key, value, { tags: ['ci'] });
      const keys = (await space.list()).map((entry) => entry.key);
      const found = await space.recall(key);
      return { keys, value: found?.value, context: JSON.stringify(await space.context()), status };
    },
  });

let server: TestServer;
beforeAll(async () => {
  server = await testServer({
    packs: [
      spacePack('test.space'),
      spacePack('test.cached_space', { cache: { ttlSeconds: 900 } }),
      spacePack('test.captured_space', { capture: { prefix: 'seen', ttlSeconds: 900 } }),
    ],
  });
  await send('root', ['admin'], 'POST', 'spaces', { slug: 'platform', owner: 'ada' });
  await grant('rita', 'reader');
  await grant('pia', 'proposer');
  await send('ada', WRITING, 'POST', 'memory/store?space=platform', {
    key: 'deploy/window',
    value: 'Deploys happen on Mondays.',
  });
});
afterAll(() => server.close());

async function send(
  subject: string,
  scopes: readonly string[],
  method: string,
  path: string,
  body?: object,
  spaces?: readonly string[],
) {
  const { token } = await server.auth.mint({ caller: { subject }, scopes, ttlSeconds: 3600, spaces });
  const headers = { authorization: `Bearer ${token}` };
  const response = await server.call(undefined, method, `/api/v1/${path}`, body, headers);
  const answer = (await response.json()) as Record<string, unknown>;
  return { status: response.status, answer };
}
const grant = (subject: string, role: string) =>
  send('ada', WRITING, 'PUT', `spaces/platform/grants/${subject}`, { role });
const run = (subject: string, input: object, scopes = WRITING, spaces?: readonly string[], pack = 'space') =>
  send(subject, scopes, 'POST', `packs/test.${pack}`, input, spaces);

describe('a space in a handler', () => {
  it('a reader recalls, lists and sees the context of a space, without anything of their own', async () => {
    await send('rita', WRITING, 'POST', 'memory/store', { key: 'own/fact', value: 'Rita likes tea.' });
    const { answer } = await run('rita', { slug: 'platform' });
    expect(answer.output).toMatchObject({ keys: ['deploy/window'], value: 'Deploys happen on Mondays.' });
    expect((answer.output as { context: string }).context).toContain('deploy/window');
    expect(JSON.stringify(answer)).not.toContain('own/fact');
  });

  it('a space that is not granted is answered exactly as one that is not there', async () => {
    const [closed, nowhere] = [
      await run('eve', { slug: 'platform' }),
      await run('eve', { slug: 'no-such-space' }),
    ];
    expect(closed).toMatchObject({ status: 404, answer: { error: 'unknown_space' } });
    expect({ ...closed.answer, request_id: '' }).toEqual({ ...nowhere.answer, request_id: '' });
  });

  it('a token narrowed to other spaces, and a run without an identity, get into none', async () => {
    expect((await run('ada', { slug: 'platform' }, WRITING, [])).status).toBe(404);
    expect((await run('ada', { slug: 'platform' }, WRITING, ['platform'])).status).toBe(200);
    const withoutIdentity = runPack(server, 'ada', 'test.space', { slug: 'platform' });
    await expect(withoutIdentity).rejects.toMatchObject({ code: 'unknown_space' });
  });

  it('a step of a pipeline gets into no space', async () => {
    const steps = [{ id: 'look', pack: 'test.space', input: { slug: 'platform' } }];
    const made = await send('ada', WRITING, 'POST', 'pipelines', { name: 'look', steps });
    expect(made.status).toBe(201);
    const started = await send('ada', WRITING, 'POST', `pipelines/${made.answer.id}/run`, {});
    const ended = await vi.waitFor(async () => {
      const { answer } = await send('ada', WRITING, 'GET', `pipelines/runs/${started.answer.run_id}`);
      expect(answer.status).toBe('failed');
      return JSON.stringify(answer);
    }, 20_000);
    expect(ended).toContain('unknown_space');
    expect(ended).not.toContain('Mondays');
  });

  it('storing needs spaces:write and the role, says who wrote it, and waits if the role is proposer', async () => {
    const write = { slug: 'platform', key: 'deploy/tool', value: 'We deploy with Konflux.' };
    const withoutScope = await run('ada', write, SCOPES);
    expect(withoutScope).toMatchObject({ status: 403, answer: { error: 'insufficient_scope' } });
    expect((await run('rita', write)).status).toBe(403);
    expect((await run('pia', write)).answer.output).toMatchObject({
      status: 'proposed',
      keys: ['deploy/window'],
    });
    expect((await run('ada', write)).answer.output).toMatchObject({
      status: 'active',
      value: 'We deploy with Konflux.',
    });
    const { answer } = await send('rita', SCOPES, 'GET', 'memory/facts/deploy%2Ftool?space=platform');
    expect(answer).toMatchObject({ tags: ['ci'], source: { by: 'ada' } });
    const refused = await run('ada', { ...write, key: 'wifi/password', value: 'correct-horse-9' });
    expect(refused.answer.error).toBe('secret_detected');
  });

  it('reading needs memory:read', async () => {
    expect((await run('ada', { slug: 'platform' }, ['packs:run'])).status).toBe(403);
  });

  it('a result that came from a space is neither cached nor captured', async () => {
    await grant('temp', 'reader');
    for (const pack of ['cached_space', 'captured_space'])
      expect((await run('temp', { slug: 'platform' }, WRITING, undefined, pack)).status).toBe(200);
    await server.memory!.parts.pending.drain();
    expect((await send('ada', WRITING, 'DELETE', 'spaces/platform/grants/temp')).status).toBe(200);
    expect((await run('temp', { slug: 'platform' }, WRITING, undefined, 'cached_space')).status).toBe(404);
    const stats = await send('temp', SCOPES, 'GET', 'memory/stats');
    expect(JSON.stringify(stats.answer)).not.toMatch(/"(note|cache)":[1-9]/);
  });
});
