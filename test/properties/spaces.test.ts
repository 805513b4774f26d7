import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { definePack } from '../../packages/helmdeck/src/index.ts';
import { ROUTES } from '../../packages/helmdeck/src/surfaces/rest/routes.ts';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { callAs, everyRoute, type Probe, routeName, textOf } from '../support/every-route.ts';

/** Each case makes its own subjects and spaces on the one server. */
const CASES = 4;
const SUBJECTS = 4;
const SPACES = 3;
const ROLES = ['reader', 'proposer', 'writer', 'owner'] as const;
type Role = (typeof ROLES)[number];
const PERSON = ['memory:read', 'memory:write', 'memory:review', 'spaces:write', 'packs:run', 'pipelines:run'];
const HOUR_MS = 3_600_000;

/** A pack of somebody's own that uses a space with all that handlers get. */
const spacePack = definePack({
  name: 'test.space',
  version: 'v1',
  description: 'Uses a space.',
  input: z.object({ space: z.string(), mark: z.string().optional() }),
  output: z.object({ status: z.string().optional(), found: z.any() }),
  memory: { cache: { ttlSeconds: 900 } },
  async handler({ input: { space: slug, mark }, memory }) {
    const space = memory!.space(slug);
    if (mark !== undefined) {
      const { key, value, ...options } = factOf(mark);
      return { status: await space.store(key, value, options), found: [] };
    }
    const listed = await space.list();
    return { found: [listed, await space.context(), await space.recall(listed[0]?.key ?? 'none')] };
  },
});

let server: TestServer;
let nowMs = Date.now();
let cases = 0;
beforeAll(async () => {
  server = await testServer({
    env: { HELMDECK_ADMIN_PASSWORD: 'correct horse', HELMDECK_RATE_LIMIT: 'off' },
    now: () => nowMs,
    packs: [spacePack],
  });
});
afterAll(() => server.close());

const subject = fc.nat(SUBJECTS - 1);
const space = fc.nat(SPACES - 1);
const action = fc.oneof(
  fc.record({
    type: fc.constant('grant' as const),
    subject,
    space,
    role: fc.constantFrom(...ROLES),
    brief: fc.boolean(),
  }),
  fc.record({ type: fc.constant('revoke' as const), subject, space }),
  fc.record({ type: fc.constant('store' as const), subject, space }),
  fc.record({ type: fc.constant('store-by-pack' as const), subject, space }),
  fc.record({ type: fc.constant('own' as const), subject }),
  fc.record({ type: fc.constant('promote' as const), subject, space }),
  fc.record({ type: fc.constant('wait' as const) }),
);

/** What should be where, as plain maps: the marks that each text carries. */
class World {
  readonly id = `c${++cases}`;
  readonly roles = new Map<string, { role: Role; untilMs: number }>();
  readonly active = new Map<number, Set<string>>();
  readonly pending = new Map<number, Map<string, number>>();
  readonly own = new Map<number, Set<string>>();
  marks = 0;

  who = (at: number) => ({ subject: `${this.id}-s${at}`, scopes: PERSON });
  slug = (at: number) => `${this.id}-t${at}`;
  newMark = () => `mark${this.id}x${++this.marks}m`;
  roleOf(at: number, in_: number): Role | undefined {
    const grant = this.roles.get(`${at} ${in_}`);
    return grant && grant.untilMs > nowMs ? grant.role : undefined;
  }
  may = (at: number, in_: number, needed: Role) => {
    const role = this.roleOf(at, in_);
    return role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(needed);
  };
  activeIn = (in_: number) => this.active.get(in_) ?? new Set<string>();
  ownOf = (at: number) => this.own.get(at) ?? new Set<string>();
}

const post = (world: World, at: number, path: string, body: unknown, method = 'POST') =>
  callAs(server, world.who(at), { method, path: `/api/v1/${path}`, body });
const admin = { subject: 'the-admin', scopes: ['admin'] };
const factOf = (mark: string) => ({
  key: `${mark}/key`,
  value: `${mark} is what it says.`,
  tags: [mark],
  category: mark,
});

async function apply(
  world: World,
  step: typeof action extends fc.Arbitrary<infer T> ? T : never,
): Promise<void> {
  switch (step.type) {
    case 'grant': {
      const untilMs = step.brief ? nowMs + HOUR_MS : Number.POSITIVE_INFINITY;
      const body = { role: step.role, expires_at: step.brief ? new Date(untilMs).toISOString() : null };
      const path = `/api/v1/spaces/${world.slug(step.space)}/grants/${world.who(step.subject).subject}`;
      expect((await callAs(server, admin, { method: 'PUT', path, body })).status).toBe(200);
      world.roles.set(`${step.subject} ${step.space}`, { role: step.role, untilMs });
      return;
    }
    case 'revoke': {
      const path = `/api/v1/spaces/${world.slug(step.space)}/grants/${world.who(step.subject).subject}`;
      expect((await callAs(server, admin, { method: 'DELETE', path })).status).toBe(200);
      world.roles.delete(`${step.subject} ${step.space}`);
      return;
    }
    case 'wait':
      nowMs += HOUR_MS;
      return;
    case 'own': {
      const mark = world.newMark();
      expect((await post(world, step.subject, 'memory/store', factOf(mark))).status).toBe(200);
      world.own.set(step.subject, world.ownOf(step.subject).add(mark));
      return;
    }
    case 'store': {
      const mark = world.newMark();
      const answer = await post(
        world,
        step.subject,
        `memory/store?space=${world.slug(step.space)}`,
        factOf(mark),
      );
      return noteWrite(world, step, mark, answer.status);
    }
    case 'store-by-pack': {
      const mark = world.newMark();
      const input = { space: world.slug(step.space), mark };
      const answer = await post(world, step.subject, 'packs/test.space', input);
      const { output } = (await answer.json()) as { output?: { status: string } };
      return noteWrite(world, step, mark, output?.status === 'proposed' ? 202 : answer.status);
    }
    case 'promote': {
      const mark = world.newMark();
      await post(world, step.subject, 'memory/store', factOf(mark));
      world.own.set(step.subject, world.ownOf(step.subject).add(mark));
      const path = `memory/facts/${encodeURIComponent(`${mark}/key`)}/promote`;
      const answer = await post(world, step.subject, path, { space: world.slug(step.space) });
      return noteWrite(world, step, mark, answer.status);
    }
  }
}

function noteWrite(
  world: World,
  step: { subject: number; space: number },
  mark: string,
  status: number,
): void {
  const { subject: at, space: in_ } = step;
  if (world.may(at, in_, 'writer')) {
    expect(status).toBe(200);
    world.active.set(in_, world.activeIn(in_).add(mark));
  } else if (world.may(at, in_, 'proposer')) {
    expect(status).toBe(202);
    world.pending.set(in_, (world.pending.get(in_) ?? new Map()).set(mark, at));
  } else expect(status).toBe(world.roleOf(at, in_) ? 403 : 404);
}

/** One stateless call of a tool or method over MCP, as text. */
async function mcp(world: World, at: number, path: string, method: string, params: object): Promise<string> {
  const answer = await callAs(server, world.who(at), {
    method: 'POST',
    path: `/api/v1/${path}`,
    headers: { accept: 'application/json, text/event-stream', 'x-request-id': 'the-same-request' },
    body: { jsonrpc: '2.0', id: 1, method, params },
  });
  return textOf(answer);
}

/** The corpus bridge: its own memory alone unless a space is named, and of a space what the model says. */
async function checkCorpus(world: World, at: number): Promise<void> {
  const ask = (name: string, args: object) =>
    mcp(world, at, 'mcp/qmd', 'tools/call', { name, arguments: args });
  const findIn = (collections?: string[]) => ask('query', { query: '', limit: 100, collections });
  expect(marksIn(await findIn(), world)).toEqual(world.ownOf(at));
  const granted = new Set<string>();
  for (let in_ = 0; in_ < SPACES; in_++) {
    const role = world.roleOf(at, in_);
    const expected = role ? world.activeIn(in_) : new Set<string>();
    for (const mark of expected) granted.add(mark);
    const namesIn = (slug: string): [string, object][] => [
      ['query', { query: '', limit: 100, collections: [`space-${slug}`] }],
      ['multi_get', { pattern: `spaces/${slug}/*` }],
      ['get', { file: `spaces/${slug}/facts/${[...world.activeIn(in_)][0] ?? 'none'}/key` }],
    ];
    const nowhere = namesIn('no-such-space');
    for (const [index, [tool, input]] of namesIn(world.slug(in_)).entries()) {
      const text = await ask(tool, input);
      if (tool === 'get') assertSubset(marksIn(text, world), expected, tool);
      else expect(marksIn(text, world), tool).toEqual(expected);
      if (!role) expect(text, tool).toBe(await ask(...nowhere[index]!));
    }
  }
  expect(marksIn(await findIn(['space-*']), world)).toEqual(granted);
}

/** Resources: the list of spaces with roles, and each fact of a space by its address. */
async function checkResources(world: World, at: number): Promise<void> {
  const read = (uri: string) => mcp(world, at, 'mcp', 'resources/read', { uri });
  const listed = await read('helmdeck://spaces');
  assertSubset(marksIn(listed, world), new Set(), 'helmdeck://spaces');
  for (let in_ = 0; in_ < SPACES; in_++) {
    const [slug, role] = [world.slug(in_), world.roleOf(at, in_)];
    expect(listed.includes(slug), slug).toBe(role !== undefined);
    for (const mark of [...world.activeIn(in_), 'none']) {
      const uriIn = (space: string) => `helmdeck://spaces/${space}/facts/${mark}/key`;
      const text = await read(uriIn(slug));
      if (!role) expect(text).toBe(await read(uriIn('no-such-space')));
      else if (mark !== 'none') expect(marksIn(text, world)).toEqual(new Set([mark]));
    }
  }
}

const marksIn = (text: string, world: World) =>
  new Set(text.match(new RegExp(`mark${world.id}x\\d+m`, 'g')) ?? []);
/** With an id of its own, so that two answers can be compared byte for byte, headers included. */
const withQuery = (probe: Probe, query: string): Probe => ({
  ...probe,
  path: `${probe.path}?${query}`,
  headers: { 'x-request-id': 'the-same-request', ...probe.headers },
});

/** What a route of a space may tell a member besides its facts: what waits, to reviewers, and to proposers their own. */
function mayTell(world: World, at: number, in_: number, path: string): Set<string> {
  const told = new Set(world.activeIn(in_));
  const tellsAll = /\/inbox$|\/export$/.test(path) && world.may(at, in_, 'writer');
  for (const [mark, by] of world.pending.get(in_) ?? [])
    if (tellsAll || (path.endsWith('/proposals') && by === at)) told.add(mark);
  return told;
}

function assertSubset(found: Set<string>, allowed: Set<string>, where: string): void {
  expect(
    [...found].filter((mark) => !allowed.has(mark)),
    where,
  ).toEqual([]);
}

/** Every route that reads, of every subject, without a space, with each one and with all. */
async function checkReads(world: World): Promise<void> {
  const routes = everyRoute('some/key', 'no-such-token').filter(({ route }) => route.tag !== 'OAuth');
  for (let at = 0; at < SUBJECTS; at++) {
    const who = world.who(at);
    for (const probe of routes) {
      const { route, method } = probe;
      const isRead = method === 'GET' || /search|prompt-notes/.test(route.path);
      if (isRead)
        assertSubset(
          marksIn(await textOf(await callAs(server, who, probe)), world),
          world.ownOf(at),
          routeName(route),
        );
      if (!route.takesSpace) continue;
      for (let in_ = 0; in_ < SPACES; in_++) {
        const role = world.roleOf(at, in_);
        if (role !== undefined && method !== 'GET') continue;
        const answer = await callAs(server, who, withQuery(probe, `space=${world.slug(in_)}&all=1`));
        const name = `${routeName(route)} of space ${in_} as ${role}`;
        const text = await textOf(answer);
        assertSubset(marksIn(text, world), role ? mayTell(world, at, in_, route.path) : new Set(), name);
        if (role !== undefined) continue;
        expect(answer.status, name).toBe(404);
        const nowhere = await callAs(server, who, withQuery(probe, `space=no-such-space&all=1`));
        expect(text, name).toBe(await textOf(nowhere));
      }
    }
    await checkWholeView(world, at);
    await checkCorpus(world, at);
    await checkResources(world, at);
  }
}

/** What a subject finds is exactly what the model says, over REST and with the tools of agents. */
async function checkWholeView(world: World, at: number): Promise<void> {
  const expected = new Set(world.ownOf(at));
  for (let in_ = 0; in_ < SPACES; in_++) {
    const slug = world.slug(in_);
    const role = world.roleOf(at, in_);
    for (const mark of role ? world.activeIn(in_) : []) expected.add(mark);
    const packs: [string, object][] = [
      ['test.space', { space: slug }],
      ['helmdeck.memory_recall', { space: slug }],
      ['helmdeck.memory_recall', { space: slug, query: 'what it says', limit: 100 }],
      ['helmdeck.memory_history', { space: slug, key: `${[...world.activeIn(in_)][0] ?? 'none'}/key` }],
    ];
    for (const [pack, body] of packs) {
      const answer = await post(world, at, `packs/${pack}`, body);
      if (!role) expect(answer.status, pack).toBe(404);
      assertSubset(
        marksIn(await textOf(answer), world),
        role ? world.activeIn(in_) : new Set(),
        `${pack} of ${slug}`,
      );
    }
    const proposals = `/api/v1/spaces/${slug}/proposals`;
    for (const path of [proposals, `/api/v1/spaces/${slug}`, `/api/v1/spaces/${slug}/grants`]) {
      const answer = await callAs(server, world.who(at), { method: 'GET', path });
      expect(answer.status, path).toBe(role ? 200 : 404);
      assertSubset(
        marksIn(await textOf(answer), world),
        role ? mayTell(world, at, in_, path) : new Set(),
        path,
      );
    }
  }
  const search = { method: 'GET', path: '/api/v1/memory/search?spaces=*&limit=100' };
  expect(marksIn(await textOf(await callAs(server, world.who(at), search)), world)).toEqual(expected);
  const listed = (await (
    await callAs(server, world.who(at), { method: 'GET', path: '/api/v1/spaces' })
  ).json()) as {
    spaces: { slug: string; role: string }[];
  };
  const granted = Array.from({ length: SPACES }, (_, in_) => ({
    slug: world.slug(in_),
    role: world.roleOf(at, in_),
  }));
  expect(listed.spaces.map(({ slug, role }) => ({ slug, role }))).toEqual(granted.filter(({ role }) => role));
}

describe('isolation of spaces', () => {
  it('two dozen routes take a space, so that the property looks at something', () => {
    expect(ROUTES.filter(({ takesSpace }) => takesSpace).length).toBeGreaterThanOrEqual(24);
  });

  it('whatever was granted and revoked, each subject sees their own memory and the spaces of their roles, byte for byte nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 24 }), async (steps) => {
        const world = new World();
        for (let in_ = 0; in_ < SPACES; in_++) {
          const body = { slug: world.slug(in_) };
          await callAs(server, admin, { method: 'POST', path: '/api/v1/spaces', body });
        }
        for (const step of steps) await apply(world, step);
        await checkReads(world);
      }),
      { numRuns: CASES, endOnFailure: true },
    );
  }, 300_000);
});
