import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAuth } from '../../packages/helmdeck/src/surfaces/http/auth.ts';
import { createSandbox, type Running, type Sandbox } from '../e2e/helmdeck-process.ts';
import { startPostgres } from '../support/services/postgres.ts';
import { startRedis } from '../support/services/redis.ts';
import { createGate, type Gate, writeGatedPack } from './gated-pack.ts';

const SECRET = 'drain-test-secret-drain-test-secret-32';
const MEMORY = '/api/v1/memory';
const POLL = { timeout: 20_000 };
const RUNS = 16;
const STORES = 8;
const SEARCHES = 8;

const postgres = await startPostgres({ durable: true });
const redis = await startRedis();
afterAll(async () => {
  for (const service of [postgres, redis]) if (typeof service !== 'string') await service.stop();
});

/** The address of each back-end; undefined for the default, a file. */
const BACK_ENDS: Record<string, { db?: string; missing?: string; lasts: boolean }> = {
  SQLite: { lasts: true },
  'in-memory': { db: 'memory:', lasts: false },
  PostgreSQL:
    typeof postgres === 'string' ? { missing: postgres, lasts: true } : { db: postgres.url(), lasts: true },
  Redis: typeof redis === 'string' ? { missing: redis, lasts: true } : { db: redis.url(), lasts: true },
};

let sandbox: Sandbox;
let server: Running;
let token: string;
beforeEach(async () => {
  sandbox = createSandbox();
  const packs = join(sandbox.dir, 'packs');
  mkdirSync(packs);
  writeGatedPack(packs);
  Object.assign(sandbox.env, {
    HELMDECK_PACKS_DIR: packs,
    HELMDECK_DATA_DIR: join(sandbox.dir, 'data'),
    HELMDECK_JWT_SECRET: SECRET,
    HELMDECK_MEMORY_KEY: 'cd'.repeat(32),
    HELMDECK_RATE_LIMIT: 'off',
    HELMDECK_LOG_LEVEL: 'error',
  });
  const auth = createAuth({ hs256Secret: SECRET, now: Date.now, isRevoked: () => false });
  const scopes = ['memory:read', 'memory:write', 'packs:run', 'pipelines:run'];
  token = (await auth.mint({ caller: { subject: 'ada' }, scopes, ttlSeconds: 3600 })).token;
});
afterEach(() => sandbox.remove());

function send(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  return fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: body && JSON.stringify(body),
  });
}

/** Starts runs of the gated pack, and waits until all are under way. */
async function startRuns(gates: Gate[]): Promise<Promise<Response>[]> {
  const runs = gates.map(({ path }) => send('POST', '/api/v1/packs/test.gated', { gate: path }));
  await expect.poll(() => gates.every((gate) => gate.isReached()), POLL).toBe(true);
  return runs;
}

/** Sends one request after another until the server says that it closes; returns the statuses. */
async function untilClosed(sendOne: (at: number) => Promise<Response>): Promise<Set<number>> {
  const statuses = new Set<number>();
  for (let at = 0; ; at++) {
    const answer = await sendOne(at);
    await answer.text();
    statuses.add(answer.status);
    if (answer.headers.get('connection') === 'close') return statuses;
  }
}

const createGates = (count: number) =>
  Array.from({ length: count }, (_, at) => createGate(sandbox.dir, `gate${at}`));

/** Over a connection of its own, as a load balancer asks. */
async function readiness() {
  const response = await fetch(`${server.url}/readyz`);
  return {
    status: response.status,
    connection: response.headers.get('connection'),
    body: await response.json(),
  };
}

for (const [name, { db, missing, lasts }] of Object.entries(BACK_ENDS)) {
  if (missing !== undefined) it.skip(`a SIGTERM on ${name}: ${missing}`);
  else {
    it(`after a SIGTERM on ${name}, 32 requests under way are answered, /readyz is 503, and then the process ends`, async () => {
      if (db !== undefined) sandbox.env.HELMDECK_DB = db;
      server = await sandbox.serve();
      const gates = createGates(RUNS);
      const runs = await startRuns(gates);
      const acknowledged: string[] = [];
      const store = async (writer: number, at: number) => {
        const key = `drain/${writer}/${at}`;
        const answer = await send('POST', `${MEMORY}/store`, { key, value: `kept ${at}` });
        if (answer.status === 200) acknowledged.push(key);
        return answer;
      };
      const working = [
        ...Array.from({ length: STORES }, (_, writer) => untilClosed((at) => store(writer, at))),
        ...Array.from({ length: SEARCHES }, () => untilClosed(() => send('GET', `${MEMORY}/search?q=kept`))),
      ];
      await expect.poll(() => acknowledged.length, POLL).toBeGreaterThan(STORES);
      const exited = once(server.child, 'exit');
      server.child.kill('SIGTERM');

      await expect.poll(readiness, POLL).toEqual({
        status: 503,
        connection: 'close',
        body: { status: 'unready', reason: 'draining', memory: { state: 'on' } },
      });
      const late = await send('POST', `${MEMORY}/store`, { key: 'drain/late', value: 'kept too' });
      expect([late.status, late.headers.get('connection')]).toEqual([200, 'close']);
      for (const gate of gates) gate.open();
      for (const statuses of await Promise.all(working)) expect([...statuses]).toEqual([200]);
      for (const run of await Promise.all(runs)) {
        expect([run.status, run.headers.get('connection')]).toEqual([200, 'close']);
        expect(await run.json()).toMatchObject({ output: { passed: true } });
      }
      expect(await exited).toEqual([0, null]);
      expect(server.err()).toBe('');
      if (!lasts) return;

      server = await sandbox.serve();
      for (const key of [...acknowledged, 'drain/late'])
        expect((await send('GET', `${MEMORY}/facts/${key}`)).status).toBe(200);
    });
  }
}

describe('streams after a signal', () => {
  const ACCEPT = { accept: 'application/json, text/event-stream' };
  const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });

  it('every stream gets its end after a SIGINT, and MCP calls under way get their response first', async () => {
    server = await sandbox.serve();
    const [direct, overSse, inPipeline] = createGates(3);
    const clientInfo = { name: 'x', version: '1' };
    const initialize = rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    const opened = await send('POST', '/api/v1/mcp', initialize, ACCEPT);
    const session = { ...ACCEPT, 'mcp-session-id': opened.headers.get('mcp-session-id')! };
    await opened.text();
    const legacy = await send('GET', '/api/v1/mcp/sse');
    const reader = legacy.body!.getReader();
    const [, target] = /data: (\S+)/.exec(new TextDecoder().decode((await reader.read()).value))!;
    const steps = [{ id: 'one', pack: 'test.gated', input: { gate: inPipeline!.path } }];
    const pipeline = (await (await send('POST', '/api/v1/pipelines', { name: 'p', steps })).json()) as {
      id: string;
    };
    const started = await send('POST', `/api/v1/pipelines/${pipeline.id}/run`, {});
    const { run_id } = (await started.json()) as { run_id: string };
    const streams = [
      await send('GET', `${MEMORY}/events`),
      await send('GET', `/api/v1/pipelines/runs/${run_id}/events`),
      await send('GET', '/api/v1/mcp', undefined, session),
    ];
    const gated = ({ path }: Gate) => rpc('tools/call', { name: 'test_gated', arguments: { gate: path } });
    const called = send('POST', '/api/v1/mcp', gated(direct!), session);
    expect((await send('POST', target!, gated(overSse!))).status).toBe(202);
    await expect
      .poll(() => direct!.isReached() && overSse!.isReached() && inPipeline!.isReached(), POLL)
      .toBe(true);

    const exited = once(server.child, 'exit');
    server.child.kill('SIGINT');
    // Their end, and not a broken connection: that would be thrown.
    for (const stream of streams) await stream.text();
    direct!.open();
    overSse!.open();
    expect(await (await called).text()).toContain('"passed":true');
    let rest = '';
    for (let part = await reader.read(); !part.done; part = await reader.read())
      rest += new TextDecoder().decode(part.value);
    expect(rest).toContain('"passed":true');
    expect(await exited).toEqual([0, null]);
  });

  it('a second signal ends the process at once', async () => {
    server = await sandbox.serve();
    const [gate] = createGates(1);
    const [run] = await startRuns([gate!]);
    const broken = run!.then(
      ({ status }) => status,
      () => 'broken',
    );
    const exited = once(server.child, 'exit');
    server.child.kill('SIGTERM');
    await expect.poll(async () => (await readiness()).status, POLL).toBe(503);
    // One Ctrl-C may arrive more than once, so a repeat within half a second does not count yet.
    const again = setInterval(() => server.child.kill('SIGTERM'), 200);
    expect(await exited).toEqual([1, null]);
    clearInterval(again);
    expect(await broken).toBe('broken');
  });

  it('a run that takes longer than the grace period is cancelled and its request answered', async () => {
    server = await sandbox.serve();
    const [run] = await startRuns(createGates(1));
    const exited = once(server.child, 'exit');
    server.child.kill('SIGTERM');
    const answer = await run!;
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ error: 'resource_exhausted', reason: 'closing' });
    expect(await exited).toEqual([0, null]);
  });
});
