import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { definePack } from '../../packages/helmdeck/src/index.ts';
import { ROUTES } from '../../packages/helmdeck/src/surfaces/rest/routes.ts';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import {
  everyMem0Route,
  everyRoute,
  type Probe,
  routeName,
  textOf,
  withQuery,
} from '../support/every-route.ts';
import { everyListedText, everyTool, mcpPaths, otherPaths } from '../support/every-tool.ts';
import { EXAMPLES, factOf, lookAt, SLUGS, SUBJECTS, steps, World } from '../support/space-world.ts';

/** Each case makes its own tenant with subjects and spaces on the one server. */
const CASES = Number(process.env.SPACE_CASES ?? 6);
const NOWHERE = 'no-such-space';

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
const clock = { nowMs: Date.now() };
let cases = 0;
let heard = 0;
beforeAll(async () => {
  server = await testServer({
    env: { HELMDECK_ADMIN_PASSWORD: 'correct horse', HELMDECK_RATE_LIMIT: 'off' },
    now: () => clock.nowMs,
    packs: [spacePack],
  });
});
afterAll(() => server.close());

/** A way to read, for the name of a space; `granted` is what it may tell who has a role there. */
interface Way {
  name: string;
  read(world: World, at: number, slug: string): Promise<string>;
  /** Besides the facts of the space it tells the reader's own. */
  withOwn?: true;
  /** It tells one fact, or the best few, not all. */
  some?: true;
}

const MANY = 'limit=100';
const get = (path: (slug: string) => string) => (world: World, at: number, slug: string) =>
  world.text(at, { method: 'GET', path: `/api/v1/${path(slug)}` });
const pack =
  (name: string, input: object = {}) =>
  (world: World, at: number, space: string) =>
    world.text(at, { method: 'POST', path: `/api/v1/packs/${name}`, body: { ...input, space } });
const tool =
  (path: string, name: string, args: (slug: string) => object) => (world: World, at: number, slug: string) =>
    world.tool(at, path, name, args(slug));
const WORDS = 'what it says about the windmill';

/** Every way to read one space that is not a route with `?space=`. */
const WAYS: readonly Way[] = [
  { name: 'search', read: get((slug) => `memory/search?spaces=${slug}&${MANY}`) },
  {
    name: 'search by words',
    read: get((slug) => `memory/search?q=windmill&spaces=mine,${slug}&${MANY}`),
    withOwn: true,
  },
  {
    name: 'start notes',
    read: get((slug) => `memory/start-notes?spaces=mine,${slug}&max_bytes=100000`),
    withOwn: true,
  },
  {
    name: 'prompt notes',
    read: (world, at, slug) =>
      world.text(at, {
        method: 'POST',
        path: '/api/v1/memory/prompt-notes',
        body: { prompt: 'What does it say about the windmill?', spaces: `mine,${slug}` },
      }),
    withOwn: true,
    some: true,
  },
  { name: 'pack of a user', read: (world, at, slug) => world.text(at, lookAt(slug)) },
  { name: 'recall', read: pack('helmdeck.memory_recall', { limit: 100 }) },
  { name: 'recall by words', read: pack('helmdeck.memory_recall', { query: WORDS, limit: 100 }) },
  {
    name: 'recall over MCP',
    read: tool('mcp', 'memory_recall', (space) => ({ space, query: WORDS, limit: 100 })),
  },
  {
    name: 'history over MCP',
    read: tool('mcp/memory', 'memory_history', (space) => ({ space, key: 'none' })),
    some: true,
  },
  {
    name: 'corpus',
    read: tool('mcp/qmd', 'query', (slug) => ({ query: '', limit: 100, collections: [`space-${slug}`] })),
  },
  { name: 'documents', read: tool('mcp/qmd', 'multi_get', (slug) => ({ pattern: `spaces/${slug}/*` })) },
  {
    name: 'resource',
    read: (world, at, slug) =>
      world.mcp(at, 'mcp', 'resources/read', { uri: `helmdeck://spaces/${slug}/facts/none` }),
    some: true,
  },
  {
    name: 'completion of keys',
    read: (world, at, slug) =>
      world.mcp(at, 'mcp', 'completion/complete', {
        ref: { type: 'ref/resource', uri: 'helmdeck://spaces/{slug}/facts/{+key}' },
        argument: { name: 'key', value: 'mark' },
        context: { arguments: { slug } },
      }),
  },
  { name: 'space', read: get((slug) => `spaces/${slug}`), some: true },
  { name: 'grants', read: get((slug) => `spaces/${slug}/grants`), some: true },
];

/** Requests that change a space by what is in their path or body: without a role they answer as if it were not there. */
const WRITING: readonly Way['read'][] = [
  (world, at, space) =>
    world.text(at, { method: 'POST', path: '/api/v1/memory/facts/k/promote', body: { space } }),
  (world, at, slug) =>
    world.text(at, { method: 'PUT', path: `/api/v1/spaces/${slug}/grants/x`, body: { role: 'owner' } }),
  (world, at, slug) => world.text(at, { method: 'DELETE', path: `/api/v1/spaces/${slug}/grants/x` }),
  (world, at, slug) => world.text(at, { method: 'DELETE', path: `/api/v1/spaces/${slug}` }),
];

function assertSubset(found: ReadonlySet<string>, allowed: ReadonlySet<string>, where: string): void {
  expect(
    [...found].filter((mark) => !allowed.has(mark)),
    where,
  ).toEqual([]);
}

async function checkWays(world: World, at: number): Promise<void> {
  for (const [in_, slug] of SLUGS.entries()) {
    const role = world.roleOf(at, in_);
    for (const { name, read, withOwn, some } of WAYS) {
      const text = await read(world, at, slug);
      const expected = new Set([...(role && withOwn ? world.ownOf(at) : []), ...world.readable(at, in_)]);
      const where = `${name} of ${slug} as ${role}`;
      if (some) assertSubset(world.marksIn(text), expected, where);
      else expect(world.marksIn(text), where).toEqual(expected);
      // The name itself is the caller's, so that it may be in the answer.
      if (!role) expect(text.replaceAll(slug, NOWHERE), where).toBe(await read(world, at, NOWHERE));
    }
    if (role) continue;
    for (const [index, write] of WRITING.entries())
      expect(await write(world, at, slug), `write ${index} to ${slug}`).toBe(await write(world, at, NOWHERE));
  }
}

/** Single facts and documents by their addresses, also by ones that only a reader could have learned. */
async function checkAddresses(world: World, at: number): Promise<void> {
  for (const [in_, slug] of SLUGS.entries()) {
    for (const mark of [...world.activeIn(in_), ...world.pendingIn(in_).keys()].slice(0, 4)) {
      const key = `${mark}/key`;
      const uriIn = (space: string) => ({ uri: `helmdeck://spaces/${space}/facts/${key}` });
      const reads = [
        (space: string) => world.mcp(at, 'mcp', 'resources/read', uriIn(space)),
        (space: string) => world.mcp(at, 'mcp', 'resources/subscribe', uriIn(space)),
        (space: string) => world.tool(at, 'mcp/qmd', 'get', { file: `spaces/${space}/facts/${key}` }),
        (space: string) => world.tool(at, 'mcp', 'memory_recall', { space, key }),
        (space: string) => world.tool(at, 'mcp', 'memory_history', { space, key }),
      ];
      for (const [index, read] of reads.entries()) {
        const text = await read(slug);
        if (world.roleOf(at, in_)) continue;
        expect(text.replaceAll(slug, NOWHERE), `read ${index} of ${slug}`).toBe(await read(NOWHERE));
      }
    }
  }
}

/** What a subject finds in all of it together is exactly what the model says. */
async function checkWhole(world: World, at: number): Promise<void> {
  const shared = new Set(SLUGS.flatMap((_, in_) => [...world.readable(at, in_)]));
  const everything = new Set([...world.ownOf(at), ...shared]);
  const read = (path: string) => world.text(at, { method: 'GET', path: `/api/v1/${path}` });
  expect(world.marksIn(await read(`memory/search?spaces=*&${MANY}`))).toEqual(everything);
  expect(world.marksIn(await read('memory/start-notes?spaces=*&max_bytes=100000'))).toEqual(everything);
  const recalled = await world.tool(at, 'mcp', 'memory_recall', { space: '*', query: WORDS, limit: 100 });
  expect(world.marksIn(recalled)).toEqual(everything);
  const corpus = (collections?: string[]) =>
    world.tool(at, 'mcp/qmd', 'query', { query: '', limit: 100, collections });
  expect(world.marksIn(await corpus())).toEqual(world.ownOf(at));
  expect(world.marksIn(await corpus(['space-*']))).toEqual(shared);
  // The tiers: the space "semantic" is one, and without a tier it is among the others.
  const semantic = await read(`memory/coder?tier=semantic&limit=200`);
  expect(world.marksIn(semantic)).toEqual(world.readable(at, 0));
  if (!world.roleOf(at, 0)) expect(semantic).toBe(await read(`memory/facts?space=${NOWHERE}`));
  assertSubset(world.marksIn(await read('memory/coder?limit=200')), world.readable(at, 0), 'all tiers');
  for (const listed of [
    await read('spaces'),
    await world.mcp(at, 'mcp', 'resources/read', { uri: 'helmdeck://spaces' }),
    await world.tool(at, 'mcp/qmd', 'status', {}),
    await world.mcp(at, 'mcp', 'completion/complete', {
      ref: { type: 'ref/resource', uri: 'helmdeck://spaces/{slug}/facts/{+key}' },
      argument: { name: 'slug', value: '' },
    }),
  ]) {
    expect(SLUGS.filter((slug) => new RegExp(`["-]${slug}\\\\?"`).test(listed))).toEqual(world.granted(at));
    assertSubset(world.marksIn(listed), world.ownOf(at), 'a list of spaces');
  }
}

/** What has no space: one's own memory alone, whatever one may read elsewhere and did read before. */
async function checkOwn(world: World, at: number): Promise<void> {
  const own = world.ownOf(at);
  const { subject } = world.who(at);
  const send = (path: string, method: string, params: object) => world.mcp(at, path, method, params);
  assertSubset(world.marksIn(await send('mcp', 'resources/list', {})), own, 'resources');
  for (const [name, text] of await everyListedText(send, 'mcp')) assertSubset(world.marksIn(text), own, name);
  for (const { name, isReadOnly, takesSpace, call } of await everyTool(server, send, WORDS)) {
    if (isReadOnly) assertSubset(world.marksIn(await call()), own, name);
    if (!takesSpace) continue;
    for (const [in_, slug] of SLUGS.entries()) {
      const role = world.roleOf(at, in_);
      if (role && !isReadOnly) continue;
      const text = await call(slug);
      assertSubset(world.marksIn(text), world.readable(at, in_), `${name} of ${slug} as ${role}`);
      if (!role) expect(text, `${name} of ${slug}`).toBe(await call(NOWHERE));
    }
  }
  for (const probe of everyMem0Route('none', subject).filter(
    ({ method, path }) => method === 'GET' || /search|v3/.test(path),
  ))
    if (!isWrite(probe))
      assertSubset(world.marksIn(await world.text(at, probe)), own, `${probe.method} ${probe.path}`);
}

const isWrite = ({ path }: Probe) => path.includes('/add/');

/** What a route of a space may tell a member besides its facts: what waits, to writers, and to proposers their own. */
function mayTell(world: World, at: number, in_: number, path: string): Set<string> {
  const told = new Set(world.activeIn(in_));
  const tellsAll = /\/inbox$|\/export$/.test(path) && world.may(at, in_, 'writer');
  for (const [mark, { by }] of world.pendingIn(in_))
    if (tellsAll || (path.endsWith('/proposals') && by === at)) told.add(mark);
  return told;
}

/** Every route, of every subject, without a space, and those that take one with each one and with none that exists. */
async function checkRoutes(world: World, at: number): Promise<void> {
  const who = world.who(at);
  const routes = everyRoute('some/key', 'no-such-token').filter(({ route }) => route.tag !== 'OAuth');
  for (const { route, ...probe } of routes) {
    const isRead = probe.method === 'GET' || /search|prompt-notes/.test(route.path);
    if (isRead)
      assertSubset(
        world.marksIn(await world.text(at, probe)),
        allOwn(world, at, route.path),
        routeName(route),
      );
    if (!route.takesSpace) continue;
    const inSpace = (slug: string) =>
      world.send(who, { ...probe, path: withQuery(probe.path, `space=${slug}&all=1`) });
    for (const [in_, slug] of SLUGS.entries()) {
      const role = world.roleOf(at, in_);
      if (role !== undefined && probe.method !== 'GET') continue;
      const answer = await inSpace(slug);
      const name = `${routeName(route)} of ${slug} as ${role}`;
      const text = await textOf(answer);
      assertSubset(world.marksIn(text), role ? mayTell(world, at, in_, route.path) : new Set(), name);
      if (role !== undefined) continue;
      expect(answer.status, name).toBe(404);
      expect(text, name).toBe(await textOf(await inSpace(NOWHERE)));
    }
  }
  for (const [in_, slug] of SLUGS.entries()) {
    const proposals = await world.text(at, { method: 'GET', path: `/api/v1/spaces/${slug}/proposals` });
    assertSubset(
      world.marksIn(proposals),
      world.roleOf(at, in_) ? mayTell(world, at, in_, '/proposals') : new Set(),
      'proposals',
    );
  }
}

/** Without a tier, the semantic one is among the answers to who may read it. */
const allOwn = (world: World, at: number, path: string) =>
  path === '/api/v1/memory/{agent_id}'
    ? new Set([...world.ownOf(at), ...world.readable(at, 0)])
    : world.ownOf(at);

/** A token that is narrowed to one space, to none, or that may not write to spaces. */
async function checkTokens(world: World, at: number): Promise<void> {
  const mint = async (body: object) => {
    const { token } = (await (await world.post(at, 'tokens', body)).json()) as { token: string };
    return (method: string, path: string, sent?: object) =>
      server.call(undefined, method, `/api/v1/${path}`, sent, { authorization: `Bearer ${token}` });
  };
  const narrow = await mint({ client: 'x', spaces: [SLUGS[1]] });
  const none = await mint({ client: 'x', spaces: [] });
  const agent = await mint({ client: 'x' });
  const found = async (call: typeof none) =>
    world.marksIn(await (await call('GET', `memory/search?spaces=*&${MANY}`)).text());
  expect(await found(narrow)).toEqual(new Set([...world.ownOf(at), ...world.readable(at, 1)]));
  expect(await found(none)).toEqual(world.ownOf(at));
  for (const [in_, slug] of SLUGS.entries()) {
    const role = world.roleOf(at, in_);
    const read = `memory/facts?space=${slug}`;
    expect((await narrow('GET', read)).status).toBe(role && in_ === 1 ? 200 : 404);
    expect((await none('GET', read)).status).toBe(404);
    expect((await agent('GET', read)).status).toBe(role ? 200 : 404);
    const stored = await agent('POST', `memory/store?space=${slug}`, { key: 'k', value: 'v' });
    expect(stored.status).toBe(role ? 403 : 404);
  }
}

/** The access audit says who did what where, and nothing of what is stored. */
async function checkAudit(world: World): Promise<void> {
  for (const path of ['audit?limit=200', 'memory/callers?limit=200', 'spaces?all=1', 'tokens']) {
    const answer = await world.send(world.admin, { method: 'GET', path: `/api/v1/${path}` });
    expect(answer.status, path).toBe(200);
    const text = await textOf(answer);
    assertSubset(world.marksIn(text), new Set(), path);
    // Other tenants have spaces of the same names.
    if (path === 'spaces?all=1') expect(text.match(/"slug":/g)).toHaveLength(SLUGS.length);
  }
}

describe('isolation of spaces', () => {
  it('the server has no path that the property does not ask', () => {
    expect(otherPaths(server)).toEqual([
      '/api/v1/auth/oidc/callback',
      '/api/v1/auth/oidc/start',
      '/docs',
      '/docs/docs.css',
      '/docs/docs.js',
      '/openapi.json',
    ]);
    expect(mcpPaths(server)).toHaveLength(5);
  });

  it('two dozen routes take a space, so that the property looks at something', () => {
    expect(ROUTES.filter(({ takesSpace }) => takesSpace).length).toBeGreaterThanOrEqual(24);
    const several = ROUTES.filter(({ takesSpaces }) => takesSpaces).map(({ path }) => path);
    expect(several.sort()).toEqual(['/api/v1/memory/search', '/api/v1/memory/start-notes']);
  });

  it('whatever was granted and revoked, each subject sees their own memory and the spaces of their roles, byte for byte nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const world = new World(server, clock, `c${++cases}`);
        await world.open();
        for (const step of taken) await world.apply(step);
        for (let at = 0; at < SUBJECTS; at++) {
          await checkWays(world, at);
          await checkAddresses(world, at);
          await checkWhole(world, at);
          await checkTokens(world, at);
          // Last, so that logs, counts and caches have seen all that was asked of spaces.
          await checkOwn(world, at);
          await checkRoutes(world, at);
        }
        await checkAudit(world);
        await world.close();
        for (const { where, marks, allowed } of world.heard()) {
          assertSubset(marks, allowed, where);
          heard += marks.size;
        }
      }),
      { numRuns: CASES, examples: EXAMPLES, endOnFailure: true },
    );
    expect(heard, 'events in streams').toBeGreaterThan(0);
  }, 3_000_000);
});
