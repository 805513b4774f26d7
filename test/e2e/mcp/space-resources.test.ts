import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { connectClient, PROTOCOLS, type Protocol, readJson, until } from './clients.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ socket: true });
  for (const slug of ['platform', 'design'])
    await send('root', ['admin'], 'POST', 'spaces', { slug, owner: 'ada' });
  await send('ada', WRITING, 'PUT', 'spaces/platform/grants/rita', { role: 'reader' });
  await store('platform', 'deploy/window', 'Deploys happen on Mondays.');
});
afterAll(() => server.close());

const WRITING = ['memory:read', 'memory:write', 'spaces:write'];
async function send(subject: string, scopes: string[], method: string, path: string, body?: object) {
  const authorization = `Bearer ${await server.token(subject, { scopes })}`;
  const answer = await server.call(undefined, method, `/api/v1/${path}`, body, { authorization });
  expect(answer.ok).toBe(true);
}
const store = (slug: string, key: string, value: string) =>
  send('ada', WRITING, 'POST', `memory/store?space=${slug}`, { key, value });
const uriOf = (slug: string, key: string) => `helmdeck://spaces/${slug}/facts/${key}`;

async function subscribed(protocol: Protocol, subject: string, uris: string[]) {
  const client = await connectClient(server, protocol, subject);
  const updates: string[] = [];
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void updates.push(params.uri),
  );
  if (protocol === '2026-07-28') await client.listen({ resourceSubscriptions: uris });
  else for (const uri of uris) await client.subscribeResource({ uri });
  return { client, updates };
}

describe.each(PROTOCOLS)('spaces as resources over %s', (protocol) => {
  it('the list of spaces has what the caller was granted, with the role and nothing else', async () => {
    const [ada, rita, eve] = await Promise.all(
      ['ada', 'rita', 'eve'].map((who) => connectClient(server, protocol, who)),
    );
    expect(await readJson(ada!, 'helmdeck://spaces')).toEqual({
      spaces: [
        { slug: 'design', role: 'owner' },
        { slug: 'platform', role: 'owner' },
      ],
    });
    expect(await readJson(rita!, 'helmdeck://spaces')).toEqual({
      spaces: [{ slug: 'platform', role: 'reader' }],
    });
    expect(await readJson(eve!, 'helmdeck://spaces')).toEqual({ spaces: [] });
    const { resourceTemplates } = await rita!.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(
      'helmdeck://spaces/{slug}/facts/{+key}',
    );
    const ref = { type: 'ref/resource' as const, uri: 'helmdeck://spaces/{slug}/facts/{+key}' };
    const slugs = await rita!.complete({ ref, argument: { name: 'slug', value: '' } });
    expect(slugs.completion.values).toEqual(['platform']);
    const keys = await rita!.complete({
      ref,
      argument: { name: 'key', value: 'deploy/w' },
      context: { arguments: { slug: 'platform' } },
    });
    expect(keys.completion.values).toEqual(['deploy/window']);
    await Promise.all([ada!.close(), rita!.close(), eve!.close()]);
  });

  it('a fact of a space is read by its address, and to anybody else the space does not exist', async () => {
    const [rita, eve] = await Promise.all(['rita', 'eve'].map((who) => connectClient(server, protocol, who)));
    expect(await readJson(rita!, uriOf('platform', 'deploy/window'))).toMatchObject({
      key: 'deploy/window',
      value: 'Deploys happen on Mondays.',
      source: { by: 'ada' },
    });
    await expect(rita!.readResource({ uri: uriOf('platform', 'none') })).rejects.toThrow('no such fact');
    const failure = (uri: string) =>
      eve!.readResource({ uri }).then(
        () => undefined,
        ({ code, message, data }) => ({ code, message, data: { ...data, request_id: '' } }),
      );
    const closed = await failure(uriOf('platform', 'deploy/window'));
    expect(closed).toMatchObject({ data: { error: 'unknown_space' } });
    expect(closed).toEqual(await failure(uriOf('no-such-space', 'deploy/window')));
    await Promise.all([rita!.close(), eve!.close()]);
  });

  it('a subscription to a fact of a space reports its changes until the grant ends', async () => {
    const [fact, other] = [uriOf('platform', `${protocol}/a`), uriOf('platform', `${protocol}/b`)];
    const reader = `reader-${protocol}`;
    await send('ada', WRITING, 'PUT', `spaces/platform/grants/${reader}`, { role: 'reader' });
    const kept = await subscribed(protocol, 'ada', [fact, other]);
    const mine = await subscribed(protocol, reader, [fact]);
    await store('design', `${protocol}/a`, 'Of another space.');
    await store('platform', `${protocol}/a`, 'First.');
    await until(() => mine.updates.length > 0);
    expect(mine.updates.splice(0)).toEqual([fact]);
    await send('ada', WRITING, 'DELETE', `spaces/platform/grants/${reader}`);
    await store('platform', `${protocol}/a`, 'Second.');
    await store('platform', `${protocol}/b`, 'Third.');
    await until(() => kept.updates.includes(other));
    expect(kept.updates).toEqual([fact, fact, other]);
    expect(mine.updates).toEqual([]);
    await expect(subscribed(protocol, reader, [fact])).rejects.toThrow();
    await Promise.all([kept.client.close(), mine.client.close()]);
  });
});
