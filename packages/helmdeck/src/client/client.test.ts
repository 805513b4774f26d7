import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { definePack } from '../engine/pack/pack.ts';
import { type TestServer, testServer } from '../testing/test-server.ts';
import { type ChangeEvent, createHelmdeck, type Fact, HelmdeckError } from './index.ts';

let server: TestServer;
const clientOf = async (subject: string, options: { fetch?: typeof fetch; scopes?: string[] } = {}) => {
  const { scopes, ...rest } = options;
  return createHelmdeck({ url: server.url, token: await server.token(subject, { scopes }), ...rest });
};

const double = definePack({
  name: 'test.double',
  version: 'v1',
  description: 'Doubles a number.',
  input: z.strictObject({ n: z.number() }),
  output: z.object({ doubled: z.number() }),
  async: true,
  async handler({ input: { n } }) {
    if (n < 0) throw new Error('negative');
    return { doubled: 2 * n };
  },
});

beforeAll(async () => {
  server = await testServer({ socket: true, packs: [double] });
});
afterAll(() => server.close());

const thrownBy = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it succeeded'),
    (thrown: unknown) => thrown,
  ) as Promise<HelmdeckError>;

describe('the client', () => {
  it('stores, reads, lists over several pages, confirms, searches and forgets facts', async () => {
    const { facts, search, promptNotes } = await clientOf('ada');
    const stored = await facts.store({
      key: 'deploy/day',
      value: 'Deployments happen on Tuesday.',
      tags: ['ops'],
    });
    expect(stored).toMatchObject({ status: 'active', created: true, version: 1 });
    expect(await facts.get('deploy/day')).toMatchObject({ value: 'Deployments happen on Tuesday.' });
    expect(await facts.get('deploy/night')).toBeUndefined();
    await facts.storeMany([
      { key: 'deploy/host', value: 'The host is called argo.' },
      { key: 'deploy/who', value: 'Ada deploys.' },
    ]);
    const keys: string[] = [];
    for await (const { key } of facts.list({ prefix: 'deploy/', sort: 'key', limit: 1 })) keys.push(key);
    expect(keys).toEqual(['deploy/day', 'deploy/host', 'deploy/who']);
    expect(await facts.confirm('deploy/day', { if_version: 1 })).toMatchObject({ version: 1 });
    expect((await facts.update('deploy/day', { tags: ['release'] })).tags).toEqual(['release']);
    expect((await search('which day are deployments')).results[0]).toMatchObject({ key: 'deploy/day' });
    expect((await promptNotes('On which day do deployments happen?')).text).toContain('Tuesday');
    await facts.store({ key: 'deploy/day', value: 'Deployments happen on Monday.' });
    expect((await facts.history('deploy/day')).versions).toHaveLength(2);
    expect(await facts.get('deploy/day', { version: 1 })).toMatchObject({
      value: 'Deployments happen on Tuesday.',
    });
    expect(await facts.forget('deploy/day')).toEqual({ deleted: 1 });
  });

  it("an error has the server's code, reason, message and hint", async () => {
    const { facts } = await clientOf('ada');
    const error = await thrownBy(facts.store({ key: '', value: 'nothing' }));
    expect(error).toBeInstanceOf(HelmdeckError);
    expect(error).toMatchObject({
      status: 400,
      code: 'invalid_input',
      reason: 'missing_key',
      message: 'key is required.',
      hint: expect.stringContaining('Correct the field'),
      requestId: expect.any(String),
    });
    const stranger = createHelmdeck({ url: server.url, token: 'not-a-token' });
    expect(await thrownBy(stranger.facts.get('deploy/day'))).toMatchObject({
      status: 401,
      code: 'invalid_token',
    });
  });

  it('a store whose response was lost is sent again and takes effect once', async () => {
    let requests = 0;
    const losesFirstResponse: typeof fetch = async (...request) => {
      const response = await fetch(...request);
      if (requests++ > 0) return response;
      throw new TypeError('fetch failed');
    };
    const { facts } = await clientOf('grace', { fetch: losesFirstResponse });
    expect(await facts.store({ key: 'once', value: 'Written once.' })).toMatchObject({
      version: 1,
      created: true,
    });
    expect(requests).toBe(2);
    expect((await facts.history('once')).versions).toHaveLength(1);
  });

  it('a write without an idempotency key is not repeated when its outcome is unknown, and a read is', async () => {
    const sent: string[] = [];
    const unreachable: typeof fetch = async (_url, init) => {
      sent.push(init!.method!);
      throw new TypeError('fetch failed');
    };
    const { facts } = await clientOf('grace', { fetch: unreachable });
    expect(await thrownBy(facts.forget('once'))).toMatchObject({
      status: 0,
      code: 'unreachable',
      unreachable: true,
    });
    expect(sent).toEqual(['DELETE']);
    await thrownBy(facts.get('once'));
    expect(sent).toEqual(['DELETE', 'GET', 'GET', 'GET']);
  });

  it('a request over the rate limit waits as long as the server asks, unless that is too long', async () => {
    let retryAfter = '1';
    let refused = 0;
    const limited: typeof fetch = async (...request) => {
      if (refused++ > 0) return fetch(...request);
      return Response.json(
        { error: 'rate_limited', message: 'Too many writes.' },
        { status: 429, headers: { 'retry-after': retryAfter } },
      );
    };
    const { facts } = await clientOf('grace', { fetch: limited });
    const startedMs = performance.now();
    expect(await facts.forget('once')).toEqual({ deleted: 1 });
    expect(performance.now() - startedMs).toBeGreaterThan(990);
    [retryAfter, refused] = ['3600', 0];
    expect(await thrownBy(facts.forget('once'))).toMatchObject({ code: 'rate_limited' });
    expect(refused).toBe(1);
  });

  it('the events of a memory are iterated as they happen, and leaving the loop closes the stream', async () => {
    const helmdeck = await clientOf('linus');
    const seen: ChangeEvent[] = [];
    const watching = (async () => {
      for await (const event of helmdeck.events()) {
        seen.push(event);
        if (seen.length === 2) break;
      }
    })();
    // The stream may open only after the first stores.
    const stores = setInterval(
      () => void helmdeck.facts.store({ key: 'tick', value: `${performance.now()}` }),
      50,
    );
    await watching.finally(() => clearInterval(stores));
    expect(seen.map(({ type, key }) => [type, key])).toEqual([
      ['store', 'tick'],
      ['store', 'tick'],
    ]);
  });

  it('aborting ends the iteration of events with the reason', async () => {
    const helmdeck = await clientOf('linus');
    const controller = new AbortController();
    const next = helmdeck.events({ signal: controller.signal })[Symbol.asyncIterator]().next();
    setTimeout(() => controller.abort(), 100);
    await expect(next).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('what waits in the inbox is listed, accepted and rejected', async () => {
    const { facts, inbox } = await clientOf('mary', {
      scopes: ['memory:read', 'memory:write', 'memory:review'],
    });
    await facts.store({ key: 'tea', value: 'Mary drinks green tea.', propose: true });
    await facts.store({ key: 'car', value: 'Mary drives a red van.', propose: true });
    const { proposals } = await inbox.list();
    const idOf = (key: string) => proposals.find((proposal) => proposal.key === key)!.id;
    expect(await inbox.accept(idOf('tea'))).toMatchObject({ key: 'tea', version: 1 });
    await inbox.reject(idOf('car'));
    expect((await inbox.list()).proposals).toEqual([]);
    expect((await facts.get('tea')) satisfies Fact | undefined).toMatchObject({ key: 'tea' });
  });

  it('the memory of a space has the calls of the own memory, which sees nothing of it', async () => {
    const scopes = ['memory:read', 'memory:write', 'memory:review', 'spaces:write'];
    const admin = await clientOf('admin', { scopes: ['admin'] });
    const emmy = await clientOf('emmy', { scopes });
    const hedy = await clientOf('hedy', { scopes });
    await admin.spaces.create({ slug: 'platform', owner: 'emmy' });
    await emmy.spaces.grant('platform', 'hedy', { role: 'proposer' });
    expect(await emmy.spaces.grants('platform')).toContainEqual(
      expect.objectContaining({ role: 'proposer' }),
    );
    const team = emmy.spaces.memory('platform');
    await team.facts.store({ key: 'deploy/day', value: 'Deployments happen on Tuesday.' });
    expect(await emmy.facts.get('deploy/day')).toBeUndefined();
    await emmy.facts.store({ key: 'deploy/host', value: 'The host is called argo.' });
    await emmy.spaces.promote('deploy/host', 'platform');
    const keys: string[] = [];
    for await (const { key } of team.facts.list({ sort: 'key' })) keys.push(key);
    expect(keys).toEqual(['deploy/day', 'deploy/host']);
    expect(await hedy.spaces.list()).toMatchObject([{ slug: 'platform', role: 'proposer' }]);
    const shared = hedy.spaces.memory('platform');
    expect((await shared.search('which day')).results[0]).toMatchObject({ key: 'deploy/day' });
    await shared.facts.store({ key: 'deploy/who', value: 'Hedy deploys.' });
    const { proposals } = await team.inbox.list();
    expect(proposals).toMatchObject([{ key: 'deploy/who' }]);
    await team.inbox.accept(proposals[0]!.id);
    expect(await shared.facts.get('deploy/who')).toMatchObject({ value: 'Hedy deploys.' });
    await team.facts.forget('deploy/who');
    await emmy.spaces.revoke('platform', 'hedy');
    expect(await thrownBy(shared.search('deployments'))).toMatchObject({ code: 'unknown_space' });
    expect((await emmy.spaces.get('platform')).usage.facts).toBe(2);
    expect(await emmy.spaces.erase('platform')).toMatchObject({ slug: 'platform' });
    expect(await emmy.facts.get('deploy/host')).toBeDefined();
  });

  it('a pack is run and its result awaited, also if the server runs it as a job', async () => {
    const { packs } = await clientOf('ada');
    expect((await packs.run('test.double', { n: 21 })).output).toEqual({ doubled: 42 });
    expect(await thrownBy(packs.run('test.double', { n: -1 }))).toMatchObject({ code: 'handler_failed' });
    expect((await packs.list()).map(({ name }) => name)).toContain('test.double');
  });
});
