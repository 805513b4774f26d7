import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startImageLoader } from '../../packages/helmdeck/src/server/image-loader.ts';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/test-server.ts';
import { connectClient, PROTOCOLS, until } from '../e2e/mcp/clients.ts';
import { application, listTools, ORIGIN, person } from './oauth-person.ts';
import { TEST_PACKS } from './test-packs.ts';

const MEMORY = '/api/v1/memory';

/** Registers tests with two nodes on the database `db`; `otherDb` is the address of another, empty one. */
export function twoNodeTests({
  db,
  otherDb,
  stop,
}: {
  db: string;
  otherDb: string;
  stop(): Promise<void>;
}): void {
  let one: TestServer;
  let two: TestServer;
  const env = {
    HELMDECK_DB: db,
    HELMDECK_MEMORY_KEY: 'ab'.repeat(32),
    HELMDECK_PUBLIC_URL: ORIGIN,
    HELMDECK_ADMIN_PASSWORD: 'correct horse',
    HELMDECK_TRUSTED_PROXIES: '127.0.0.1',
  };
  beforeAll(async () => {
    const node = () => testServer({ env, socket: true, packs: TEST_PACKS });
    [one, two] = await Promise.all([node(), node()]);
  });
  afterAll(async () => {
    await one.close();
    await two.close();
    await stop();
  });

  const store = (node: TestServer, subject: string, key: string, value: string) =>
    node.call(subject, 'POST', `${MEMORY}/store`, { key, value });
  const readBack = async (node: TestServer, subject: string, key: string) => {
    const response = await node.call(subject, 'GET', `${MEMORY}/facts/${key}`);
    return response.status === 200 ? ((await response.json()) as { value: string }).value : response.status;
  };
  const search = async (node: TestServer, subject: string, words: string) => {
    const response = await node.call(subject, 'GET', `${MEMORY}/search?q=${encodeURIComponent(words)}`);
    return ((await response.json()) as { results: { snippet: string }[] }).results.map((hit) => hit.snippet);
  };

  describe('facts', () => {
    it('a fact stored on one node can be read, searched, replaced and deleted on the other immediately, although both cache images', async () => {
      await store(one, 'ada', 'desk/editor', 'writes with vim');
      expect(await readBack(two, 'ada', 'desk/editor')).toBe('writes with vim');
      expect(await search(two, 'ada', 'editor')).toEqual(['writes with vim']);
      expect(await search(one, 'ada', 'editor')).toEqual(['writes with vim']);
      await store(two, 'ada', 'desk/editor', 'writes with emacs');
      expect(await readBack(one, 'ada', 'desk/editor')).toBe('writes with emacs');
      expect(await search(one, 'ada', 'editor')).toEqual(['writes with emacs']);
      await one.call('ada', 'DELETE', `${MEMORY}/facts/desk/editor`);
      expect(await readBack(two, 'ada', 'desk/editor')).toBe(404);
      expect(await search(two, 'ada', 'editor')).toEqual([]);
    });

    it('a fact is never visible to another caller on any node', async () => {
      await store(one, 'bob', 'home/city', 'lives in Ulm');
      for (const node of [one, two]) {
        expect(await readBack(node, 'bob:', 'home/city')).toBe(404);
        expect(await search(node, 'bob2', 'city Ulm')).toEqual([]);
      }
    });
  });

  describe('snapshots', () => {
    it('a node restarts from its snapshot, which is gone as soon as any node forgets a fact in it', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'helmdeck-node-snapshots-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const start = async () => {
        const node = await testServer({ env: { ...env, HELMDECK_DATA_DIR: folder } });
        onTestFinished(() => node.close());
        return node;
      };
      const files = () => readdirSync(join(folder, 'snapshots'));
      const rows = Array.from({ length: 520 }, (_, number) => ({
        key: `s/${number}`,
        value: `marble number ${number}`,
      }));
      const first = await start();
      for (let from = 0; from < rows.length; from += 100)
        expect(
          (await first.call('sid', 'POST', `${MEMORY}/store/batch`, { facts: rows.slice(from, from + 100) }))
            .status,
        ).toBe(200);
      await search(first, 'sid', 'marble');
      await first.close();
      expect(files(), 'written on shutdown').toHaveLength(1);

      const second = await start();
      expect(await search(second, 'sid', 's/7')).toContain('marble number 7');
      await one.call('sid', 'DELETE', `${MEMORY}/facts/s/7`);
      await until(() => files().length === 0);
      expect(await search(second, 'sid', 's/7')).not.toContain('marble number 7');
      await second.close();
      // A late notice of the deletion may remove the next snapshot as well.
      await expect
        .poll(async () => {
          const again = await start();
          await search(again, 'sid', 'marble');
          await again.close();
          return files().length;
        })
        .toBe(1);

      await one.call('sid', 'DELETE', `${MEMORY}/facts/s/8`); // while the node is down
      const third = await start();
      expect(await search(third, 'sid', 's/8')).not.toContain('marble number 8');
      expect(files()).toEqual([]);
    });
  });

  describe('OAuth', () => {
    const revokedOn = (node: TestServer, token: string) =>
      expect.poll(async () => (await listTools(node, token)).status, { timeout: 20_000 }).toBe(401);

    it('an application registers, is allowed, connects and refreshes on whichever node, and a reuse on either ends it on both', async () => {
      const app = await application(one);
      const code = (await app.allowed(await person(two))).searchParams.get('code')!;
      const other = await application(two);
      expect(other.clientId).toBe(app.clientId);
      const first = await other.redeem(code, { code_verifier: app.verifier });
      expect(first.status).toBe(200);
      for (const node of [one, two])
        expect((await listTools(node, first.body.access_token)).status).toBe(200);
      const second = await app.refresh(first.body.refresh_token);
      expect((await other.refresh(second.body.refresh_token)).status).toBe(200);
      expect((await app.refresh(first.body.refresh_token)).body.error).toBe('invalid_grant');
      for (const node of [one, two]) await revokedOn(node, second.body.access_token);
    });

    it('a code or a refresh token that two nodes get at the same time works at most once, and ends the connection', async () => {
      const [app, other] = [await application(one), await application(two)];
      const code = (await app.allowed(await person(one))).searchParams.get('code')!;
      const both = await Promise.all([app.redeem(code), other.redeem(code, { code_verifier: app.verifier })]);
      const redeemed = both.filter(({ status }) => status === 200);
      expect(redeemed).toHaveLength(1);
      await revokedOn(one, redeemed[0]!.body.access_token);
      const next = await app.redeem((await app.allowed(await person(two))).searchParams.get('code')!);
      const token = next.body.refresh_token;
      const refreshes = await Promise.all([app.refresh(token), other.refresh(token)]);
      expect(refreshes.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
      for (const node of [one, two]) await revokedOn(node, next.body.access_token);
    });
  });

  describe('recall counts', () => {
    const ask = async (node: TestServer, subject: string) => {
      expect(await search(node, subject, 'tea')).toEqual(['drinks tea']);
    };
    const countOn = async (node: TestServer, subject: string) => {
      const response = await node.call(subject, 'GET', `${MEMORY}/facts/drink`);
      return ((await response.json()) as { recalled_count: number }).recalled_count;
    };
    const flush = (node: TestServer, subject: string) => node.memory!.parts.recallCounts.flush({ subject });

    it('recalls on both nodes add up, also when both write at the same time', async () => {
      await store(one, 'amy', 'drink', 'drinks tea');
      for (let round = 1; round <= 5; round++) {
        await Promise.all([ask(one, 'amy'), ask(two, 'amy'), ask(two, 'amy')]);
        await Promise.all([flush(one, 'amy'), flush(two, 'amy')]);
        for (const node of [one, two]) await expect.poll(() => countOn(node, 'amy')).toBe(3 * round);
      }
    });

    it('a fact that is forgotten on one node takes along what the other counted and has not written', async () => {
      await store(one, 'kim', 'drink', 'drinks tea');
      await Promise.all([ask(one, 'kim'), ask(two, 'kim')]);
      await Promise.all([flush(one, 'kim'), flush(two, 'kim')]);
      await ask(two, 'kim');
      await one.call('kim', 'DELETE', `${MEMORY}/facts/drink`);
      await flush(two, 'kim');
      await store(one, 'kim', 'drink', 'drinks tea');
      for (const node of [one, two]) await expect.poll(() => countOn(node, 'kim')).toBe(0);
    });
  });

  it('the image loader thread reads a large memory over its own connection, and later changes are followed as usual', async () => {
    const many = Array.from({ length: 1_000 }, (_, number) => ({
      key: `many/${number}`,
      value: `filler ${number}`,
    }));
    for (let first = 0; first < many.length; first += 100) {
      const facts = many.slice(first, first + 100);
      expect((await one.call('lea', 'POST', `${MEMORY}/store/batch`, { facts })).status).toBe(200);
    }
    const { parts } = one.memory!;
    const keys = (await parts.directory.find({ subject: 'lea' }))!;
    const loader = startImageLoader(db, parts.store, parts.now);
    onTestFinished(() => loader.close());
    const loaded = (await loader.load(keys))!;
    expect(loaded.image.index.liveDocuments()).toBe(many.length);
    expect(loaded.position).toEqual(await parts.store.position(keys.ns));
    expect(await search(two, 'lea', 'filler 77')).toContain('filler 77');
    await store(one, 'lea', 'late', 'xylophone');
    expect(await search(two, 'lea', 'xylophone')).toEqual(['xylophone']);
  });

  it('a caller who is erased on one node and stores new facts is served by the other within two seconds', async () => {
    await store(one, 'eve', 'k', 'before');
    expect(await readBack(two, 'eve', 'k')).toBe('before');
    await one.call('eve', 'POST', `${MEMORY}/forget`, { scope: 'erase' });
    expect(await readBack(two, 'eve', 'k')).toBe(404);
    await store(one, 'eve', 'k', 'after');
    await expect.poll(() => readBack(two, 'eve', 'k')).toBe('after');
    await store(two, 'eve', 'k2', 'and on');
    expect(await readBack(one, 'eve', 'k2')).toBe('and on');
  });

  it('a token that is revoked on one node stops working on the other', async () => {
    const { token, record } = await one.auth.mint({
      caller: { subject: 'rev' },
      scopes: ['memory:read', 'memory:write'],
      ttlSeconds: 600,
    });
    await one.memory!.tokens.add(record);
    const headers = { authorization: `Bearer ${token}` };
    const status = async () => (await fetch(`${two.url}${MEMORY}/facts`, { headers })).status;
    expect(await status()).toBe(200);
    await one.memory!.tokens.revoke(record.jti);
    await expect.poll(status).toBe(401);
  });

  it('a space made on one node is used on the other, and a grant that is taken back on one ends access and streams on the other', async () => {
    const admin = { authorization: `Bearer ${await one.token('admin', { scopes: ['admin'] })}` };
    const grants = '/api/v1/spaces/shared/grants/ines';
    const body = { slug: 'shared' };
    expect((await one.call(undefined, 'POST', '/api/v1/spaces', body, admin)).status).toBe(201);
    expect((await one.call(undefined, 'PUT', grants, { role: 'reader' }, admin)).status).toBe(200);
    const read = async () =>
      (await two.call('ines', 'GET', `${MEMORY}/facts/where?space=shared`)).status;
    const fact = { key: 'where', value: 'The team meets in Ulm.' };
    await one.call(undefined, 'POST', `${MEMORY}/store?space=shared`, fact, admin);
    await expect.poll(read).toBe(200);
    const stream = (await two.call('ines', 'GET', `${MEMORY}/events?space=shared`)).body!.getReader();
    await stream.read();
    await one.call(undefined, 'DELETE', grants, undefined, admin);
    await expect.poll(read).toBe(404);
    await one.call(undefined, 'POST', `${MEMORY}/store?space=shared`, { ...fact, key: 'when' }, admin);
    expect((await stream.read()).done).toBe(true);
    await one.call(undefined, 'DELETE', '/api/v1/spaces/shared', undefined, admin);
    const list = async () =>
      ((await (await two.call(undefined, 'GET', '/api/v1/spaces', undefined, admin)).json()) as { spaces: [] })
        .spaces;
    await expect.poll(list).toEqual([]);
  });

  describe('people', () => {
    const send = async (node: TestServer, method: string, path: string, body?: object, headers = {}) => {
      const response = await node.call(undefined, method, `/api/v1/${path}`, body, headers);
      return { status: response.status, json: (await response.json()) as Record<string, never> };
    };
    const logIn = (node: TestServer, username: string, password: string, from: string) =>
      send(node, 'POST', 'auth/login', { username, password }, { 'x-forwarded-for': from });

    it('a person invited on one node joins, is disabled and removed on the other, and no node lets them in afterwards', async () => {
      const admin = { authorization: `Bearer ${await one.token('admin', { scopes: ['admin'] })}` };
      const invited = await send(one, 'POST', 'users', { name: 'pam' }, admin);
      const { user, invitation } = invited.json as unknown as {
        user: { id: string };
        invitation: { url: string };
      };
      const joining = {
        invitation: new URL(invitation.url).hash.slice(1),
        password: 'a long enough password',
      };
      expect((await send(two, 'POST', 'auth/invitation/accept', joining)).status).toBe(200);
      expect((await send(one, 'POST', 'auth/invitation/accept', joining)).status).toBe(401);
      const { json } = await logIn(one, 'pam', joining.password, '203.0.113.5');
      const pam = { authorization: `Bearer ${json.token}` };
      const status = async (node: TestServer) =>
        (await send(node, 'GET', 'memory/facts', undefined, pam)).status;
      expect([await status(one), await status(two)]).toEqual([200, 200]);
      await send(two, 'PATCH', `users/${user.id}`, { state: 'disabled', quota_facts: 3 }, admin);
      expect(await status(two)).toBe(401);
      await expect.poll(() => status(one)).toBe(401);
      expect((await logIn(one, 'pam', joining.password, '203.0.113.5')).status).toBe(401);
      expect((await send(two, 'DELETE', `users/${user.id}`, undefined, admin)).status).toBe(200);
      await expect.poll(() => one.memory!.accounts.of({ subject: 'pam' })).toBeUndefined();
    });

    it('failed logins on both nodes count together: the sixth is locked out on each of them, and other addresses are not', async () => {
      const from = '203.0.113.77';
      const guesses = await Promise.all(
        [one, two, one, two, one, two].map((node) => logIn(node, 'admin', 'wrong', from)),
      );
      expect(guesses.map(({ status }) => status).sort()).toEqual([401, 401, 401, 401, 401, 429]);
      for (const node of [one, two]) {
        expect((await logIn(node, 'admin', 'correct horse', from)).status).toBe(429);
        expect((await logIn(node, 'admin', 'correct horse', '203.0.113.78')).status).toBe(200);
      }
    });
  });

  describe('change notifications', () => {
    it('server-sent events of one node report what was stored, forgotten and erased on the other', async () => {
      await store(one, 'lis', 'first', 'x');
      const stream = await two.call('lis', 'GET', `${MEMORY}/events`);
      const reader = stream.body!.getReader();
      let text = '';
      const reading = (async () => {
        for (;;) {
          const { value, done } = await reader.read();
          if (done) return;
          text += Buffer.from(value).toString('utf8');
        }
      })();
      // The node may not have subscribed to the database yet.
      for (let i = 0; !text.includes('event: store'); i++) {
        await store(one, 'lis', 'observed/key', `v${i}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      expect(text).toContain('"key":"observed/key"');
      const runner = await one.token('lis', { scopes: ['packs:run', 'memory:read', 'memory:write'] });
      const headers = { authorization: `Bearer ${runner}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ key: 'k' });
      await fetch(`${one.url}/api/v1/packs/test.note`, { method: 'POST', headers, body });
      await until(() => text.includes('event: run'));
      expect(text).toContain('"key":"pack_history/test.note/');
      await one.call('lis', 'DELETE', `${MEMORY}/facts/first`);
      await until(() => text.includes('event: forget'));
      await one.call('lis', 'POST', `${MEMORY}/forget`, { scope: 'erase' });
      await until(() => text.includes('event: erase'));
      await reader.cancel();
      await reading;
    });

    it.each(PROTOCOLS)(
      'an MCP client (%s) on one node is notified of resources changed on the other, and of none of other callers',
      async (way) => {
        const subject = `far-${way}`;
        const uris = ['helmdeck://my-memory', 'helmdeck://facts/a/b'];
        const client = await connectClient(two, way, subject);
        const received: string[] = [];
        client.setNotificationHandler(
          'notifications/resources/updated',
          ({ params }) => void received.push(params.uri),
        );
        if (way === '2026-07-28') await client.listen({ resourceSubscriptions: uris });
        else for (const uri of uris) await client.subscribeResource({ uri });
        await store(one, `${subject}-other`, 'a/b', 'not yours');
        await store(one, subject, 'a/b', 'by REST on the other node');
        await until(() => received.includes(uris[0]!) && received.includes(uris[1]!));
        expect(received.toSorted()).toEqual(uris.toSorted());
        await client.close();
      },
    );
  });

  it('an MCP session opened on one node continues on both through a round robin, for its caller only', async () => {
    const nodes = [one, two];
    let sent = 0;
    const send = async (subject: string, message: object, session?: string) => {
      const node = nodes[sent++ % nodes.length]!;
      const response = await node.call(
        subject,
        'POST',
        '/api/v1/mcp',
        { jsonrpc: '2.0', id: 1, ...message },
        {
          accept: 'application/json, text/event-stream',
          ...(session === undefined ? {} : { 'mcp-session-id': session }),
        },
      );
      return { status: response.status, headers: response.headers, text: await response.text() };
    };
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    const session = (await send('mcp', { method: 'initialize', params })).headers.get('mcp-session-id')!;
    const call = (at: number) => ({
      method: 'tools/call',
      params: { name: 'memory_store', arguments: { key: `robin/${at}`, value: 'stored' } },
    });
    for (let at = 0; at < 6; at++) {
      const { status, text } = await send('mcp', call(at), session);
      expect([status, text]).toEqual([200, expect.stringContaining(`"key":"robin/${at}"`)]);
    }
    for (const _ of nodes) expect((await send('mcp2', call(0), session)).status).toBe(404);
  });

  it.each([
    ['accept', { deleted: 1 }],
    ['decline', 'invalid_input: The user did not agree'],
    ['cancel', 'invalid_input: The user could not be asked'],
  ] as const)(
    'the answer "%s" of a user reaches the node that asked through the other one',
    async (action, outcome) => {
      const subject = `asked-${action}`;
      await store(one, subject, 'k', 'v');
      const client = new Client({ name: 't', version: '1' }, { capabilities: { elicitation: { form: {} } } });
      client.setRequestHandler('elicitation/create', async () => ({ action, content: { confirm: true } }));
      const answersToTheOther: typeof fetch = (input, init) => {
        const isAnswer = typeof init?.body === 'string' && !('method' in JSON.parse(init.body));
        return fetch(isAnswer ? String(input).replace(one.url, two.url) : input, init);
      };
      const requestInit = { headers: { authorization: `Bearer ${await one.token(subject)}` } };
      const url = new URL(`${one.url}/api/v1/mcp`);
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit, fetch: answersToTheOther }));
      const result = await client.callTool({ name: 'memory_forget', arguments: { scope: 'facts' } });
      if (typeof outcome === 'object') expect(result.structuredContent).toMatchObject(outcome);
      else expect(result.content).toEqual([{ type: 'text', text: expect.stringContaining(outcome) }]);
      await client.close();
    },
  );

  describe('jobs and pipelines', () => {
    const scoped = async (node: TestServer, method: string, path: string, body?: object) => {
      const token = await node.token('worker', { scopes: ['packs:run', 'pipelines:run', 'memory:write'] });
      const response = await fetch(`${node.url}/api/v1/${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: body && JSON.stringify(body),
      });
      return (await response.json()) as Record<string, unknown> & { steps: { status: string }[] };
    };

    it('a job that runs on one node is reported as running by the other and can be cancelled there', async () => {
      const { job_id } = await scoped(one, 'POST', 'packs/test.later', { forMs: 60_000 });
      expect(await scoped(two, 'GET', `jobs/${job_id}`)).toMatchObject({ status: 'running' });
      expect(await scoped(two, 'DELETE', `jobs/${job_id}`)).toMatchObject({ status: 'cancelled' });
      expect(await scoped(one, 'GET', `jobs/${job_id}`)).toMatchObject({ status: 'cancelled' });
    });

    it('a pipeline run on one node can be read, followed by events and cancelled on the other', async () => {
      const steps = [{ id: 'slow', pack: 'test.slow', input: { forMs: 60_000 } }];
      const { id } = await scoped(one, 'POST', 'pipelines', { name: 'slow one', steps });
      const { run_id } = await scoped(two, 'POST', `pipelines/${id}/run`, {});
      const readRun = () => scoped(one, 'GET', `pipelines/runs/${run_id}`);
      await expect.poll(async () => (await readRun()).steps[0]!.status).toBe('running');
      const token = await one.token('worker', { scopes: ['pipelines:run'] });
      const stream = fetch(`${one.url}/api/v1/pipelines/runs/${run_id}/events`, {
        headers: { authorization: `Bearer ${token}` },
      }).then((response) => response.text());
      expect(await scoped(one, 'POST', `pipelines/runs/${run_id}/cancel`)).toMatchObject({
        status: 'cancelled',
      });
      expect(await stream).toContain('"status":"cancelled"');
    });

    it('a pipeline run continues on another node when its node is closed', async () => {
      const leaving = await testServer({ env, socket: true, packs: TEST_PACKS });
      const steps = [
        { id: 'quick', pack: 'test.slow', input: { forMs: 1 } },
        { id: 'slow', pack: 'test.slow', input: { forMs: 3_000 } },
      ];
      const { id } = await scoped(leaving, 'POST', 'pipelines', { name: 'handed over', steps });
      const { run_id } = await scoped(leaving, 'POST', `pipelines/${id}/run`, {});
      const readRun = () => scoped(one, 'GET', `pipelines/runs/${run_id}`);
      await expect.poll(async () => (await readRun()).steps[1]!.status).toBe('running');
      await leaving.close();
      await expect.poll(async () => (await readRun()).status).toBe('succeeded');
    });
  });

  it('one of the two nodes holds the lease of the janitor', async () => {
    const ids = [one, two].map((node) => node.memory!.parts.leases.processId);
    const holder = () => one.memory!.parts.store.sharing!.leaseHolder('janitor');
    // The holder renews the lease; a node that was blocked may be late.
    await expect.poll(holder).toSatisfy((id: string) => ids.includes(id));
  });

  it('a node without a key rejects a database written with one, and two nodes without a key exclude each other', async () => {
    const { HELMDECK_MEMORY_KEY: _, ...keyless } = env;
    const withoutKey = await testServer({ env: keyless });
    expect(withoutKey.memoryProblem).toMatchObject({ reason: 'wrong_key' });
    await withoutKey.close();
    const otherEnv = { ...keyless, HELMDECK_DB: otherDb };
    const first = await testServer({ env: otherEnv });
    await store(first, 'ada', 'k', 'kept');
    for (const other of [otherEnv, { ...otherEnv, HELMDECK_MEMORY_KEY: env.HELMDECK_MEMORY_KEY }]) {
      const second = await testServer({ env: other });
      expect(second.memoryProblem).toMatchObject({ reason: 'ephemeral_elsewhere' });
      await second.close();
    }
    expect(await readBack(first, 'ada', 'k')).toBe('kept');
    await first.close();
    const next = await testServer({ env: otherEnv });
    expect(next.memoryProblem).toBeUndefined();
    expect(await readBack(next, 'ada', 'k')).toBe(404);
    await next.close();
  });
}
