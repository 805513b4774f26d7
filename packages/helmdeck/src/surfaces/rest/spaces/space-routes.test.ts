import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../../testing/test-server.ts';

const HOUR_MS = 3_600_000;
const PERSON = ['memory:read', 'memory:write', 'memory:review', 'spaces:write'];
let server: TestServer;
let nowMs = Date.now();
let admin: string;
let ada: string;
let ben: string;
let cleo: string;

beforeAll(async () => {
  server = await testServer({ now: () => nowMs });
  admin = await server.token('admin', { scopes: ['admin'] });
  ada = await server.token('ada', { scopes: PERSON });
  ben = await server.token('ben', { scopes: PERSON });
  cleo = await server.token('cleo', { scopes: PERSON });
});
afterAll(() => server.close());

type Json = Record<string, unknown>;
async function send(token: string, method: string, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${token}`, 'x-request-id': 'fixed-request-id' };
  const response = await server.call(undefined, method, `/api/v1/${path}`, body, headers);
  const text = await response.text();
  return { status: response.status, text, json: JSON.parse(text) as Json };
}
let made = 0;
/** A space of Ada's, with the roles of others. */
async function space(roles: Record<string, string> = {}): Promise<string> {
  const slug = `team-${++made}`;
  expect((await send(admin, 'POST', 'spaces', { slug, owner: 'ada' })).status).toBe(201);
  for (const [name, role] of Object.entries(roles))
    expect((await send(ada, 'PUT', `spaces/${slug}/grants/${name}`, { role })).status).toBe(200);
  return slug;
}
const store = (token: string, slug: string, key: string, value = `about ${key}`) =>
  send(token, 'POST', `memory/store?space=${slug}`, { key, value });
const keysIn = async (token: string, query: string) =>
  ((await send(token, 'GET', `memory/${query}`)).json.results as { key: string; space?: string }[]).map(
    ({ key, space: name }) => `${name}:${key}`,
  );

describe('spaces over REST', () => {
  it('members share what is stored in a space, and nobody else sees it', async () => {
    const slug = await space({ ben: 'reader' });
    await store(ada, slug, 'deploy/when', 'Deploys happen on Mondays.');
    await send(ada, 'POST', 'memory/store', { key: 'own', value: 'A note of Ada.' });
    const read = await send(ben, 'GET', `memory/facts/deploy%2Fwhen?space=${slug}`);
    expect(read.json).toMatchObject({ value: 'Deploys happen on Mondays.', source: { by: 'ada' } });
    expect((await send(ben, 'GET', 'memory/facts')).json.facts).toEqual([]);
    expect((await send(ada, 'GET', 'memory/facts')).json.facts).toHaveLength(1);
    expect((await send(cleo, 'GET', `memory/facts?space=${slug}`)).status).toBe(404);
    expect((await send(ben, 'GET', 'spaces')).json.spaces).toMatchObject([{ slug, role: 'reader' }]);
    expect((await send(cleo, 'GET', 'spaces')).json.spaces).toEqual([]);
  });

  it('a space that was not granted and one that does not exist answer byte for byte the same', async () => {
    const slug = await space();
    for (const [method, path, body] of [
      ['GET', 'memory/facts?space=SLUG'],
      ['GET', 'memory/facts/k?space=SLUG'],
      ['GET', 'memory/search?q=x&space=SLUG'],
      ['GET', 'memory/search?q=x&spaces=mine,SLUG'],
      ['GET', 'memory/export?space=SLUG'],
      ['GET', 'memory/events?space=SLUG'],
      ['GET', 'memory/inbox?space=SLUG'],
      ['POST', 'memory/store?space=SLUG', { key: 'k', value: 'v' }],
      ['POST', 'memory/forget?space=SLUG', { scope: 'facts' }],
      ['GET', 'spaces/SLUG'],
      ['GET', 'spaces/SLUG/grants'],
      ['GET', 'spaces/SLUG/proposals'],
      ['PUT', 'spaces/SLUG/grants/ben', { role: 'owner' }],
      ['DELETE', 'spaces/SLUG/grants/ada'],
      ['DELETE', 'spaces/SLUG'],
    ] as const) {
      const there = await send(cleo, method, path.replace('SLUG', slug), body);
      const nowhere = await send(cleo, method, path.replace('SLUG', 'no-such-team'), body);
      expect(there, `${method} ${path}`).toEqual(nowhere);
      expect(there, `${method} ${path}`).toMatchObject({ status: 404, json: { error: 'unknown_space' } });
    }
  });

  it('each role may do what it says and no more', async () => {
    const slug = await space({ ben: 'reader', cleo: 'proposer' });
    await store(ada, slug, 'k');
    expect(await store(ben, slug, 'k2')).toMatchObject({ status: 403, json: { reason: 'space_role' } });
    expect(await store(cleo, slug, 'k3')).toMatchObject({ status: 202, json: { reason: 'space_role' } });
    expect((await send(cleo, 'DELETE', `memory/facts/k?space=${slug}`)).status).toBe(403);
    expect((await send(cleo, 'GET', `memory/inbox?space=${slug}`)).status).toBe(403);
    expect((await send(cleo, 'PUT', `spaces/${slug}/grants/cleo`, { role: 'owner' })).status).toBe(403);
    expect((await send(ben, 'DELETE', `spaces/${slug}`)).status).toBe(403);
    await send(ada, 'PUT', `spaces/${slug}/grants/ben`, { role: 'writer' });
    expect((await store(ben, slug, 'k2')).status).toBe(200);
    expect((await send(ben, 'PUT', `spaces/${slug}/grants/ben`, { role: 'owner' })).status).toBe(403);
    expect((await send(ben, 'POST', `memory/forget?space=${slug}`, { scope: 'erase' })).status).toBe(400);
  });

  it("an agent's token reads what its person was granted and writes only if it was minted so", async () => {
    const slug = await space();
    const agent = await server.token('ada', { scopes: ['memory:read', 'memory:write'], client: 'codex' });
    await store(ada, slug, 'k');
    expect((await send(agent, 'GET', `memory/facts/k?space=${slug}`)).status).toBe(200);
    expect((await store(agent, slug, 'k')).status).toBe(403);
    const { token } = (await send(ada, 'POST', 'tokens', { client: 'codex' })).json;
    expect((await store(String(token), slug, 'k')).status).toBe(403);
    const writing = await send(ada, 'POST', 'tokens', {
      client: 'codex',
      scopes: ['memory:read', 'memory:write', 'spaces:write'],
    });
    expect((await store(String(writing.json.token), slug, 'k')).status).toBe(200);
  });

  it('a token can be narrowed to some spaces, and what it mints is no wider', async () => {
    const [one, other] = [await space(), await space()];
    const narrow = await send(ada, 'POST', 'tokens', { spaces: [one] });
    const token = String(narrow.json.token);
    expect(narrow.json.spaces).toEqual([one]);
    expect((await send(token, 'GET', `memory/facts?space=${one}`)).status).toBe(200);
    expect((await send(token, 'GET', `memory/facts?space=${other}`)).status).toBe(404);
    expect((await send(token, 'GET', 'spaces')).json.spaces).toHaveLength(1);
    expect((await send(token, 'POST', 'tokens', { spaces: [other] })).status).toBe(403);
    expect((await send(token, 'POST', 'tokens', {})).json.spaces).toEqual([one]);
    const none = await send(token, 'POST', 'tokens', { spaces: [] });
    expect((await send(String(none.json.token), 'GET', `memory/facts?space=${one}`)).status).toBe(404);
    const narrowAdmin = await send(admin, 'POST', 'tokens', { scopes: ['admin'], spaces: [] });
    expect((await send(String(narrowAdmin.json.token), 'GET', `memory/facts?space=${one}`)).status).toBe(404);
  });

  it('a grant ends at its expiry and when it is taken back; one owner stays', async () => {
    const slug = await space({ ben: 'owner' });
    const expires_at = new Date(nowMs + HOUR_MS - 1_000).toISOString();
    await send(ada, 'PUT', `spaces/${slug}/grants/cleo`, { role: 'reader', expires_at });
    expect((await send(cleo, 'GET', `memory/facts?space=${slug}`)).status).toBe(200);
    expect((await send(ada, 'GET', `spaces/${slug}/grants`)).json.grants).toMatchObject([
      { principal: 'ada', role: 'owner', by: 'ada', expires_at: null },
      { principal: 'ben', role: 'owner', by: 'ada' },
      { principal: 'cleo', role: 'reader' },
    ]);
    nowMs += HOUR_MS - 1_000;
    expect((await send(cleo, 'GET', `memory/facts?space=${slug}`)).status).toBe(404);
    expect((await send(ben, 'DELETE', `spaces/${slug}/grants/ada`)).json).toEqual({ revoked: true });
    expect((await send(ada, 'GET', `memory/facts?space=${slug}`)).status).toBe(404);
    expect((await send(ben, 'DELETE', `spaces/${slug}/grants/ben`)).json).toMatchObject({
      reason: 'last_owner',
    });
    expect((await send(ben, 'PUT', `spaces/${slug}/grants/ben`, { role: 'reader' })).status).toBe(409);
  });

  it('of two owners who leave at the same moment, one stays', async () => {
    for (let round = 0; round < 5; round++) {
      const slug = await space({ ben: 'owner' });
      const leave = (token: string, name: string) => send(token, 'DELETE', `spaces/${slug}/grants/${name}`);
      const answers = await Promise.all([leave(ada, 'ada'), leave(ben, 'ben')]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
  });

  it('a search over several memories names the space of each hit, one’s own first on a tie', async () => {
    const [one, other] = [await space({ ben: 'reader' }), await space({ ben: 'reader' })];
    for (const slug of [one, other]) await store(ada, slug, 'editor', 'The editor is Zed.');
    await send(ben, 'POST', 'memory/store', { key: 'editor', value: 'The editor is Zed.' });
    expect(await keysIn(ben, `search?q=editor&spaces=${one},mine`)).toEqual(['mine:editor', `${one}:editor`]);
    // Spaces of other tests may have something near in meaning.
    const everywhere = (await keysIn(ben, 'search?q=editor&spaces=*')).filter((hit) =>
      hit.endsWith(':editor'),
    );
    expect(everywhere.sort()).toEqual(['mine:editor', `${one}:editor`, `${other}:editor`].sort());
    expect(await keysIn(ben, `search?q=editor&space=${other}`)).toEqual([`${other}:editor`]);
    expect(await keysIn(ben, 'search?q=editor')).toEqual(['undefined:editor']);
  });

  it('a promoted fact says what it was copied from; a proposer’s waits for a writer and tells what became of it', async () => {
    const slug = await space({ ben: 'proposer' });
    for (const token of [ada, ben])
      for (const key of ['p/one', 'p/two'])
        await send(token, 'POST', 'memory/store', {
          key,
          value: `${key} in the words of ${token.slice(-8)}`,
        });
    const promote = (token: string, key: string) =>
      send(token, 'POST', `memory/facts/${encodeURIComponent(key)}/promote`, { space: slug });
    expect(await promote(ada, 'p/one')).toMatchObject({
      status: 200,
      json: { status: 'active', space: slug, promoted_from: { version: 1, by: 'ada' } },
    });
    expect((await send(ben, 'GET', `memory/facts/p%2Fone?space=${slug}`)).json).toMatchObject({
      promoted_from: { by: 'ada' },
      source: { by: 'ada' },
    });
    const proposed = await promote(ben, 'p/two');
    expect(proposed).toMatchObject({
      status: 202,
      json: { status: 'proposed', promoted_from: { by: 'ben' } },
    });
    expect((await send(ben, 'GET', `spaces/${slug}/proposals`)).json.proposals).toMatchObject([
      { status: 'proposed', key: 'p/two' },
    ]);
    const inbox = (await send(ada, 'GET', `memory/inbox?space=${slug}`)).json.proposals as Json[];
    expect(inbox).toMatchObject([{ key: 'p/two', source: { by: 'ben' } }]);
    await send(ada, 'POST', `memory/inbox/${inbox[0]!.id}/accept?space=${slug}`);
    expect((await send(ben, 'GET', `spaces/${slug}/proposals`)).json.proposals).toMatchObject([
      { status: 'accepted', key: 'p/two', decided_by: 'ada' },
    ]);
    expect((await send(ada, 'GET', `spaces/${slug}/proposals`)).json.proposals).toEqual([]);
    expect((await send(ada, 'GET', `memory/facts/p%2Ftwo?space=${slug}`)).json).toMatchObject({
      promoted_from: { by: 'ben' },
    });
  });

  it('two members who propose the same key or nearly the same words each keep their own proposal, and learn nothing of the other', async () => {
    const slug = await space({ ben: 'proposer', cleo: 'proposer' });
    await store(ben, slug, 'db/host', 'The database of the shop runs on db7.');
    await store(cleo, slug, 'db/host', 'Ask Gus for the machine with the orders.');
    const { json } = await store(cleo, slug, 'db/name', 'The database of the shop runs on db7!');
    expect(json).not.toHaveProperty('folded');
    const proposed = async (token: string) =>
      (await send(token, 'GET', `spaces/${slug}/proposals`)).json.proposals as Json[];
    expect((await proposed(ben)).map(({ key }) => key)).toEqual(['db/host']);
    expect((await proposed(cleo)).map(({ key }) => key)).toEqual(['db/name', 'db/host']);
    const waiting = async () =>
      (await send(ada, 'GET', `memory/inbox?space=${slug}`)).json.proposals as Json[];
    expect(await waiting()).toHaveLength(3);
    await send(ada, 'POST', `memory/forget?space=${slug}`, { scope: 'key:db/host' });
    expect((await waiting()).map(({ key }) => key)).toEqual(['db/name']);
  });

  it('a person who is erased leaves what they promoted, under an alias', async () => {
    const slug = await space({ dora: 'writer' });
    const dora = await server.token('dora', { scopes: PERSON });
    await send(dora, 'POST', 'memory/store', { key: 'd', value: 'From the memory of D.' });
    await send(dora, 'POST', 'memory/facts/d/promote', { space: slug });
    await send(dora, 'POST', 'memory/forget', { scope: 'erase' });
    const { json, text } = await send(ada, 'GET', `memory/facts/d?space=${slug}`);
    expect(json).toMatchObject({ value: 'From the memory of D.' });
    expect(text).not.toContain('dora');
    expect(json.promoted_from).toMatchObject({ by: expect.stringMatching(/^member-[0-9a-f]{12}$/) });
    expect((await send(ada, 'GET', `spaces/${slug}/grants`)).text).not.toContain('dora');
    expect((await send(dora, 'GET', `memory/facts?space=${slug}`)).status).toBe(404);
  });

  it('an erased space is gone with a receipt, and its name can be used again', async () => {
    const slug = await space({ ben: 'reader' });
    await store(ada, slug, 'k');
    const erased = await send(ada, 'DELETE', `spaces/${slug}`);
    expect(erased.json).toMatchObject({ slug, receipt: { signature: expect.any(String) } });
    expect((await send(ada, 'GET', `memory/facts?space=${slug}`)).status).toBe(404);
    await send(admin, 'POST', 'spaces', { slug, owner: 'cleo' });
    expect((await send(cleo, 'GET', `memory/facts?space=${slug}`)).json.facts).toEqual([]);
    expect((await send(ben, 'GET', `memory/facts?space=${slug}`)).status).toBe(404);
  });

  it('an admin without a grant may look into a space, which is audited, and not write there', async () => {
    const slug = await space();
    await store(ada, slug, 'k');
    expect((await send(admin, 'GET', `memory/facts?space=${slug}`)).json.facts).toHaveLength(1);
    const records = (await send(admin, 'GET', `audit?target=space%20${slug}`)).json.records as Json[];
    expect(records.map(({ action }) => action)).toContain('read');
    expect((await store(admin, slug, 'k2')).status).toBe(404);
    expect((await send(admin, 'GET', 'memory/callers')).text).not.toContain(slug);
  });

  it('a grant that is taken back ends an open stream before it tells anything more', async () => {
    const slug = await space({ ben: 'reader' });
    const headers = { authorization: `Bearer ${ben}` };
    const path = `/api/v1/memory/events?space=${slug}`;
    const reader = (await server.call(undefined, 'GET', path, undefined, headers)).body!.getReader();
    const next = async () => {
      const { done, value } = await reader.read();
      return done ? undefined : new TextDecoder().decode(value);
    };
    expect(await next()).toBe(': connected\n\n');
    await store(ada, slug, 'first');
    expect(await next()).toContain('"key":"first"');
    await send(ada, 'DELETE', `spaces/${slug}/grants/ben`);
    await store(ada, slug, 'second');
    expect(await next()).toBeUndefined();
  });

  it('everyone in a group has the role of the group', async () => {
    const slug = await space({ 'group:engineering': 'reader' });
    const issuer = 'https://idp.example';
    const person = { issuer, subject: 'ida', groups: ['engineering', 'others'] };
    const caller = { issuer, subject: 'ida' };
    await server.memory!.accounts.signInExternal({ ...person, caller });
    const { spaces } = server.memory!;
    expect(spaces.find({ caller }, slug)).toMatchObject({ role: 'reader' });
    await server.memory!.accounts.signInExternal({ ...person, groups: ['others'], caller });
    expect(spaces.find({ caller }, slug)).toBeUndefined();
    const subject = await server.token('group:engineering', { scopes: PERSON });
    expect((await send(subject, 'GET', `memory/facts?space=${slug}`)).status).toBe(404);
  });

  it('prompt notes from several memories say which space a line is from', async () => {
    const slug = await space({ ben: 'reader' });
    await store(ada, slug, 'deploy/day', 'Deployments happen on Tuesday.');
    const ask = async (body: object) =>
      (
        await send(ben, 'POST', 'memory/prompt-notes', {
          prompt: 'On which day do deployments happen?',
          ...body,
        })
      ).json;
    expect(await ask({ spaces: `mine,${slug}` })).toMatchObject({
      notes: [{ key: 'deploy/day', space: slug }],
      text: expect.stringContaining(`- ${slug}: deploy/day: Deployments happen on Tuesday.`),
    });
    expect(await ask({})).toMatchObject({ notes: [] });
    expect(await ask({ spaces: 'no-such-team' })).toMatchObject({ error: 'unknown_space' });
  });

  it('a space has a quota of its own', async () => {
    const slug = await space();
    await send(admin, 'PATCH', `spaces/${slug}`, { quota_facts: 1 });
    expect((await store(ada, slug, 'one')).status).toBe(200);
    expect((await store(ada, slug, 'two')).status).toBe(429);
    expect((await send(ada, 'GET', `spaces/${slug}`)).json).toMatchObject({
      usage: { facts: 1 },
      quota: { facts: 1 },
    });
  });

  it('two people in a space may use the same idempotency key', async () => {
    const slug = await space({ ben: 'writer' });
    const path = `/api/v1/memory/store?space=${slug}`;
    const keyed = (token: string) => ({ authorization: `Bearer ${token}`, 'idempotency-key': 'same' });
    const first = await server.call(undefined, 'POST', path, { key: 'a', value: 'x' }, keyed(ada));
    const second = await server.call(undefined, 'POST', path, { key: 'b', value: 'y' }, keyed(ben));
    expect([first.status, second.status]).toEqual([200, 200]);
  });

  it('routes that do not take a space refuse to ignore it', async () => {
    const slug = await space();
    for (const path of ['memory/recalls', 'memory/defaults', 'memory/callers', 'packs'])
      expect(await send(ada, 'GET', `${path}?space=${slug}`)).toMatchObject({ status: 400 });
    expect((await send(ada, 'GET', `memory/facts?spaces=${slug}`)).status).toBe(400);
  });
});

it('what somebody asks of a space is in their own log, which names no fact of the space', async () => {
  const slug = await space({ ben: 'reader' });
  await store(ada, slug, 'deploy/window', 'Deploys happen on Mondays.');
  const prompt = 'When do deploys happen, on which weekday, Mondays?';
  const told = await send(ben, 'POST', 'memory/prompt-notes', { prompt, spaces: slug });
  expect(told.text).toContain('Deploys happen on Mondays.');
  await server.memory!.parts.pending.drain();
  const { recalls } = (await send(ben, 'GET', 'memory/recalls')).json as { recalls: Json[] };
  const logged = { question: expect.stringMatching(/deploys/i), facts: [], gone: 0 };
  expect(recalls).toContainEqual(expect.objectContaining(logged));
});

it('all spaces are searched with "*", however many somebody has', async () => {
  const many = await Promise.all(
    Array.from({ length: 25 }, async (_, at) => {
      const slug = await space({ dora: 'reader' });
      await store(ada, slug, `beacon/${at}`, 'The beacon is lit at night.');
      return slug;
    }),
  );
  const dora = await server.token('dora', { scopes: PERSON });
  const found = await keysIn(dora, 'search?q=beacon&spaces=*&limit=100');
  expect(new Set(found)).toEqual(new Set(many.map((slug, at) => `${slug}:beacon/${at}`)));
  const names = Array.from({ length: 101 }, (_, at) => `s-${at}`).join();
  expect(await send(dora, 'GET', `memory/search?q=x&spaces=${names}`)).toMatchObject({
    status: 400,
    json: { reason: 'too_many_spaces' },
  });
});

it('notes at the start and before prompts tell a fact of a space that has the key of an own one', async () => {
  const slug = await space({ ben: 'reader' });
  await store(ada, slug, 'deploy/day', 'The team deploys on Friday.');
  await send(ben, 'POST', 'memory/store', { key: 'deploy/day', value: 'Ben deploys on Monday.' });
  const own = (await send(ben, 'GET', 'memory/start-notes')).json as { text: string; told: string[] };
  expect(own.text).toContain('- deploy/day: Ben deploys on Monday.');
  expect(own.text).not.toContain('Friday');
  const both = (await send(ben, 'GET', `memory/start-notes?spaces=mine,${slug}`)).json;
  expect(both.text).toContain(`- ${slug}: deploy/day: The team deploys on Friday.`);
  expect(both.text).toContain('- deploy/day: Ben deploys on Monday.');
  expect((await send(cleo, 'GET', `memory/start-notes?spaces=${slug}`)).status).toBe(404);
  const prompt = 'On which day does the team deploy?';
  const before = { prompt, spaces: `mine,${slug}`, told: own.told };
  expect((await send(ben, 'POST', 'memory/prompt-notes', before)).json).toMatchObject({
    notes: [{ key: 'deploy/day', space: slug }],
  });
  const after = { ...before, told: both.told };
  expect((await send(ben, 'POST', 'memory/prompt-notes', after)).json).toMatchObject({ notes: [] });
});
