import fc from 'fast-check';
import { expect } from 'vitest';
import type { TestServer } from '../../packages/helmdeck/src/testing/index.ts';
import { callAs, type Probe, textOf, type Who } from './every-route.ts';

// A model of people and spaces as plain maps, and the steps that change it and the server alike. Every text carries a mark,
// and the model knows who may see which.

const ROLES = ['reader', 'proposer', 'writer', 'owner'] as const;
type Role = (typeof ROLES)[number];
export const SUBJECTS = 4;
/** Each world is a tenant of its own, so all of them have spaces of the same names. */
export const SLUGS = ['semantic', 'platform', 'ops'] as const;
const PERSON = ['memory:read', 'memory:write', 'memory:review', 'spaces:write', 'packs:run', 'pipelines:run'];
const HOUR_MS = 3_600_000;

const subject = fc.nat(SUBJECTS - 1);
const space = fc.nat(SLUGS.length - 1);
const grant = fc.record({
  type: fc.constant('grant' as const),
  subject,
  space,
  role: fc.constantFrom(...ROLES),
  brief: fc.boolean(),
});
/** Ways to put a fact into a space. */
const WRITES = ['store', 'store-by-pack', 'store-by-tool', 'store-by-tier', 'import', 'promote'] as const;
const write = fc.record({ type: fc.constantFrom(...WRITES), subject, space });
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;
const step = fc.oneof(
  { weight: 4, arbitrary: grant },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('revoke' as const), subject, space }) },
  { weight: 6, arbitrary: write },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('own' as const), subject }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('decide' as const), subject, space }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('look' as const), subject, space }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('wait' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('erase-space' as const), space }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('erase-person' as const), subject }) },
);
export const steps = fc.array(step, { minLength: 10, maxLength: 26 });
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const give = (at: number, in_: number, role: Role, brief = false): Step => ({
  type: 'grant',
  subject: at,
  space: in_,
  role,
  brief,
});
const put = (type: Write['type'], at: number, in_: number): Step => ({ type, subject: at, space: in_ });

/** Steps that random ones seldom take together: each ends an access and then tests it. */
export const EXAMPLES: [Step[]][] = [
  [
    [
      give(0, 0, 'owner'),
      give(0, 1, 'writer'),
      give(1, 0, 'reader', true),
      give(1, 1, 'proposer'),
      give(2, 0, 'writer'),
      give(2, 1, 'proposer'),
      give(3, 1, 'reader'),
      { type: 'own', subject: 1 },
      { type: 'own', subject: 3 },
      put('store', 0, 0),
      put('store-by-tool', 0, 1),
      put('store-by-pack', 2, 0),
      put('store-by-tier', 2, 0),
      put('promote', 2, 0),
      put('import', 0, 1),
      put('store', 1, 1),
      put('promote', 2, 1),
      put('store-by-pack', 1, 1),
      { type: 'look', subject: 3, space: 1 },
      { type: 'revoke', subject: 3, space: 1 },
      put('store', 0, 1),
      { type: 'erase-person', subject: 2 },
      { type: 'wait' },
      put('store', 0, 0),
      put('import', 1, 1),
    ],
  ],
  [
    [
      give(0, 1, 'writer'),
      give(1, 1, 'proposer'),
      give(2, 1, 'reader'),
      put('store', 0, 1),
      put('store', 1, 1),
      put('store-by-tool', 1, 1),
      { type: 'decide', subject: 2, space: 1 },
      { type: 'decide', subject: 0, space: 1 },
      { type: 'erase-person', subject: 1 },
      { type: 'erase-space', space: 1 },
      put('store', 0, 1),
      give(3, 1, 'writer'),
      put('store', 3, 1),
      give(2, 1, 'proposer'),
      put('store', 2, 1),
      { type: 'look', subject: 3, space: 1 },
      { type: 'revoke', subject: 3, space: 1 },
    ],
  ],
];

/** A clock that worlds move. */
export interface Clock {
  nowMs: number;
}

/** An open event stream of a subject, and what it has told. */
interface Listener {
  at: number;
  in_: number | undefined;
  heard: string;
  end(): Promise<void>;
}

export interface Pending {
  by: number | undefined;
}

export class World {
  readonly #roles = new Map<string, { role: Role; untilMs: number }>();
  readonly #active = SLUGS.map(() => new Set<string>());
  readonly #pending = SLUGS.map(() => new Map<string, Pending>());
  readonly #own = Array.from({ length: SUBJECTS }, () => new Set<string>());
  /** Who could read the space when a fact came to it. */
  readonly #audience = new Map<string, Set<number>>();
  readonly #listeners: Listener[] = [];
  #marks = 0;
  readonly server: TestServer;
  readonly clock: Clock;
  readonly id: string;
  readonly admin: Who;

  constructor(server: TestServer, clock: Clock, id: string) {
    this.server = server;
    this.clock = clock;
    this.id = id;
    this.admin = { subject: 'the-admin', tenant: id, scopes: ['admin'] };
  }

  who = (at: number): Who => ({ subject: `${this.id}-s${at}`, tenant: this.id, scopes: PERSON });
  newMark = () => `mark${this.id}x${++this.#marks}m`;
  roleOf(at: number, in_: number): Role | undefined {
    const held = this.#roles.get(`${at} ${in_}`);
    return held && held.untilMs > this.clock.nowMs ? held.role : undefined;
  }
  may(at: number, in_: number, needed: Role): boolean {
    const role = this.roleOf(at, in_);
    return role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(needed);
  }
  activeIn = (in_: number): ReadonlySet<string> => this.#active[in_]!;
  pendingIn = (in_: number): ReadonlyMap<string, Pending> => this.#pending[in_]!;
  ownOf = (at: number): ReadonlySet<string> => this.#own[at]!;
  /** What a subject may read there. */
  readable = (at: number, in_: number): ReadonlySet<string> =>
    this.roleOf(at, in_) ? this.activeIn(in_) : new Set();
  granted = (at: number) => SLUGS.filter((_, in_) => this.roleOf(at, in_) !== undefined);

  marksIn = (text: string): Set<string> => new Set(text.match(new RegExp(`mark${this.id}x\\d+m`, 'g')) ?? []);

  /** With an id of its own, so that two answers can be compared byte for byte, headers included. */
  send(who: Who, { headers, ...probe }: Probe): Promise<Response> {
    return callAs(this.server, who, { ...probe, headers: { 'x-request-id': 'the-same', ...headers } });
  }
  text = async (at: number, probe: Probe): Promise<string> => textOf(await this.send(this.who(at), probe));
  post = (at: number, path: string, body: unknown): Promise<Response> =>
    this.send(this.who(at), { method: 'POST', path: `/api/v1/${path}`, body });
  /** One stateless call over MCP, as text. */
  mcp = (at: number, path: string, method: string, params: object): Promise<string> =>
    this.text(at, {
      method: 'POST',
      path: `/api/v1/${path}`,
      headers: { accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method, params },
    });
  tool = (at: number, path: string, name: string, args: object): Promise<string> =>
    this.mcp(at, path, 'tools/call', { name, arguments: args });

  async open(): Promise<void> {
    for (const slug of SLUGS) await this.#makeSpace(slug);
    for (let at = 0; at < SUBJECTS; at++) await this.#listen(at, undefined);
  }

  async close(): Promise<void> {
    await Promise.all(this.#listeners.map((each) => each.end()));
  }

  /** What the streams told, each beside all that it might have. */
  heard(): { where: string; marks: Set<string>; allowed: Set<string> }[] {
    return this.#listeners.map(({ at, in_, heard }) => ({
      where: `stream of ${in_ === undefined ? 'own memory' : SLUGS[in_]} for ${at}`,
      marks: this.marksIn(heard),
      allowed: new Set([...this.#audience].filter(([, who]) => who.has(at)).map(([mark]) => mark)),
    }));
  }

  async apply(taken: Step): Promise<void> {
    switch (taken.type) {
      case 'grant':
        return this.#grant(taken.subject, taken.space, taken.role, taken.brief);
      case 'revoke': {
        const path = `/api/v1/spaces/${SLUGS[taken.space]}/grants/${this.who(taken.subject).subject}`;
        expect((await this.send(this.admin, { method: 'DELETE', path })).status).toBe(200);
        this.#roles.delete(`${taken.subject} ${taken.space}`);
        return;
      }
      case 'wait':
        this.clock.nowMs += HOUR_MS;
        return;
      case 'look':
        // Whatever keeps answers now has one that it must not give once the access has ended.
        await this.text(taken.subject, lookAt(SLUGS[taken.space]!));
        return;
      case 'own':
        await this.#storeOwn(taken.subject);
        return;
      case 'decide':
        return this.#decide(taken.subject, taken.space);
      case 'erase-space':
        return this.#eraseSpace(taken.space);
      case 'erase-person':
        return this.#erasePerson(taken.subject);
      default:
        return this.#write(taken);
    }
  }

  async #grant(at: number, in_: number, role: Role, brief: boolean): Promise<void> {
    const untilMs = brief ? this.clock.nowMs + HOUR_MS : Number.POSITIVE_INFINITY;
    const body = { role, expires_at: brief ? new Date(untilMs).toISOString() : null };
    const path = `/api/v1/spaces/${SLUGS[in_]}/grants/${this.who(at).subject}`;
    expect((await this.send(this.admin, { method: 'PUT', path, body })).status).toBe(200);
    this.#roles.set(`${at} ${in_}`, { role, untilMs });
    // A caller has 16 streams at once.
    if (this.#listeners.filter((each) => each.at === at).length < 10) await this.#listen(at, in_);
  }

  async #listen(at: number, in_: number | undefined): Promise<void> {
    const path = `/api/v1/memory/events${in_ === undefined ? '' : `?space=${SLUGS[in_]}`}`;
    const answer = await this.send(this.who(at), { method: 'GET', path });
    expect(answer.status, path).toBe(200);
    const reader = answer.body!.getReader();
    const listener: Listener = { at, in_, heard: '', end: () => reader.cancel() };
    this.#listeners.push(listener);
    void (async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        listener.heard += Buffer.from(value).toString('utf8');
      }
    })();
  }

  /** Stores a fact of one's own; returns its mark. */
  async #storeOwn(at: number): Promise<string> {
    const mark = this.newMark();
    expect((await this.post(at, 'memory/store', factOf(mark))).status).toBe(200);
    this.#own[at]!.add(mark);
    this.#audience.set(mark, new Set([at]));
    return mark;
  }

  async #write({ type, subject: at, space: in_ }: Write): Promise<void> {
    const slug = type === 'store-by-tier' ? 'semantic' : SLUGS[in_]!;
    const where = type === 'store-by-tier' ? 0 : in_;
    const mark = type === 'promote' ? await this.#storeOwn(at) : this.newMark();
    const status = await this.#writeStatus(type, at, slug, mark);
    if (this.may(at, where, 'writer')) {
      expect(status, type).toBe(200);
      this.#arrive(where, mark, at);
    } else if (this.may(at, where, 'proposer')) {
      expect(status, type).toBe(202);
      this.#pending[where]!.set(mark, { by: at });
    } else expect(status, type).toBe(this.roleOf(at, where) ? 403 : 404);
  }

  /** Writes in one of the ways that there are; returns the HTTP status that it amounts to. */
  async #writeStatus(type: Write['type'], at: number, slug: string, mark: string): Promise<number> {
    const fact = factOf(mark);
    switch (type) {
      case 'store':
        return (await this.post(at, `memory/store?space=${slug}`, fact)).status;
      case 'store-by-tier': {
        const body = { tier: 'semantic', key: fact.key, value: fact.value };
        return (await this.post(at, 'memory/coder', body)).status;
      }
      case 'import': {
        const body = `${JSON.stringify(fact)}\n`;
        const headers = { 'content-type': 'application/x-ndjson' };
        const path = `/api/v1/memory/import?space=${slug}`;
        const answer = await this.send(this.who(at), { method: 'POST', path, body, headers });
        // The report has a line for each fact.
        const { proposed } = (await answer.json()) as { proposed?: number };
        return proposed === 1 ? 202 : answer.status;
      }
      case 'promote': {
        const path = `memory/facts/${encodeURIComponent(fact.key)}/promote`;
        return (await this.post(at, path, { space: slug })).status;
      }
      case 'store-by-pack': {
        const answer = await this.post(at, 'packs/test.space', { space: slug, mark });
        const { output } = (await answer.json()) as { output?: { status: string } };
        return output?.status === 'proposed' ? 202 : answer.status;
      }
      case 'store-by-tool': {
        const text = await this.tool(at, 'mcp/memory', 'memory_store', { ...fact, space: slug });
        if (text.includes('unknown_space')) return 404;
        if (text.includes('insufficient_scope')) return 403;
        return text.includes('proposal_id') ? 202 : 200;
      }
    }
  }

  #arrive(in_: number, mark: string, alsoTo?: number): void {
    this.#active[in_]!.add(mark);
    const readers = Array.from({ length: SUBJECTS }, (_, at) => at).filter((at) => this.roleOf(at, in_));
    const before = this.#audience.get(mark) ?? [];
    this.#audience.set(mark, new Set([...before, ...readers, ...(alsoTo === undefined ? [] : [alsoTo])]));
  }

  /** A writer accepts the first half of what waits and rejects the rest; nobody else can. */
  async #decide(at: number, in_: number): Promise<void> {
    const path = `/api/v1/memory/inbox?space=${SLUGS[in_]}&limit=200`;
    const answer = await this.send(this.who(at), { method: 'GET', path });
    if (!this.may(at, in_, 'writer')) {
      expect(answer.status).toBe(this.roleOf(at, in_) ? 403 : 404);
      return;
    }
    const { proposals } = (await answer.json()) as { proposals: { id: string; key: string }[] };
    const half = Math.ceil(proposals.length / 2);
    const [accept, reject] = [proposals.slice(0, half), proposals.slice(half)];
    const ids = (some: typeof proposals) => some.map(({ id }) => id);
    await this.post(at, `memory/inbox/decide?space=${SLUGS[in_]}`, {
      accept: ids(accept),
      reject: ids(reject),
    });
    for (const { key } of proposals) this.#pending[in_]!.delete(key.split('/')[0]!);
    for (const { key } of accept) this.#arrive(in_, key.split('/')[0]!);
  }

  async #makeSpace(slug: string): Promise<void> {
    const made = await this.send(this.admin, { method: 'POST', path: '/api/v1/spaces', body: { slug } });
    expect(made.status).toBe(201);
  }

  /** Erases a space and makes another one of the same name, in which nobody has a role. */
  async #eraseSpace(in_: number): Promise<void> {
    const slug = SLUGS[in_]!;
    const erased = await this.send(this.admin, { method: 'DELETE', path: `/api/v1/spaces/${slug}` });
    expect(erased.status).toBe(200);
    this.#active[in_]!.clear();
    this.#pending[in_]!.clear();
    for (let at = 0; at < SUBJECTS; at++) this.#roles.delete(`${at} ${in_}`);
    await this.#makeSpace(slug);
  }

  /** Erases a person: their own facts and grants go, what they gave to spaces stays, without their name. */
  async #erasePerson(at: number): Promise<void> {
    const answer = await this.post(at, 'memory/forget', { scope: 'erase', confirm: true });
    expect(answer.status).toBe(200);
    this.#own[at]!.clear();
    for (const [in_, slug] of SLUGS.entries()) {
      this.#roles.delete(`${at} ${in_}`);
      for (const pending of this.#pending[in_]!.values()) if (pending.by === at) pending.by = undefined;
      const paths = [
        `memory/export?all=1&space=${slug}`,
        `memory/inbox?space=${slug}`,
        `memory/facets?space=${slug}`,
        `spaces/${slug}/grants`,
      ];
      for (const mark of this.activeIn(in_))
        paths.push(`memory/facts/${encodeURIComponent(`${mark}/key`)}/history?space=${slug}`);
      for (const path of paths) {
        const looked = await this.send(this.admin, { method: 'GET', path: `/api/v1/${path}` });
        expect(await looked.text(), path).not.toContain(`"${this.who(at).subject}"`);
      }
    }
  }
}

/** Runs a pack that reads a space, and whose results are cached. */
export const lookAt = (slug: string): Probe => ({
  method: 'POST',
  path: '/api/v1/packs/test.space',
  body: { space: slug },
});

export const factOf = (mark: string) => ({
  key: `${mark}/key`,
  value: `${mark} is what it says about the windmill.`,
  tags: [mark],
  category: mark,
});
