import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../surfaces/rest/routes.ts';
import { type TestServer, testServer } from '../testing/test-server.ts';

const SECRET = 'test-secret-test-secret-test-secret-32';
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-off-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Routes that are about memory; the others must keep working. */
const MEMORY_ROUTES = ROUTES.filter(
  ({ path }) => path.startsWith('/api/v1/memory') || path.startsWith('/api/v1/audit'),
);
const BODIES: Record<string, unknown> = {
  'POST /api/v1/memory/store': { key: 'a', value: 'b' },
  'POST /api/v1/memory/store/batch': { facts: [{ key: 'a', value: 'b' }] },
  'POST /api/v1/memory/forget': { scope: 'all' },
  'POST /api/v1/memory/import': '{"key":"a","value":"b"}\n',
  'PATCH /api/v1/memory/facts/{key}': { tags: ['a'] },
  'POST /api/v1/memory/facts/{key}/promote': { space: 'a' },
  'POST /api/v1/memory/{agent_id}': { tier: 'working', key: 'a', value: 'b' },
};

async function admin(server: TestServer) {
  return { authorization: `Bearer ${await server.token('admin', { scopes: ['admin'] })}` };
}

describe.each([
  ['an invalid key', () => ({ HELMDECK_MEMORY_KEY: 'nonsense' }), 'key_invalid', 503],
  [
    'a file that is not a database',
    () => {
      writeFileSync(join(folder, 'letter.txt'), 'Dear Sir or Madam, '.repeat(500));
      return { HELMDECK_DB: join(folder, 'letter.txt') };
    },
    undefined,
    503,
  ],
  ['a back-end that does not exist', () => ({ HELMDECK_DB: 'mongodb://x' }), 'unknown_backend', 503],
  ['HELMDECK_MEMORY=off', () => ({ HELMDECK_MEMORY: 'off' }), 'disabled', 200],
] as const)('memory off because of %s', (_name, env, reason, readyStatus) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer({ env: env() });
  });
  afterAll(() => server.close());

  it.each(MEMORY_ROUTES.map((route) => [route.method, route.path]))(
    'while memory is off, %s %s returns 503 with a hint',
    async (method, path) => {
      const headers = {
        ...(await admin(server)),
        ...(path.endsWith('/import') ? { 'content-type': 'application/x-ndjson' } : {}),
      };
      const answer = await server.call(
        undefined,
        method,
        path.replaceAll(/\{.*?\}/g, 'a') +
          (method === 'DELETE' && path.includes('agent_id') ? '?tier=working' : ''),
        BODIES[`${method} ${path}`],
        headers,
      );
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({
        error: 'memory_unavailable',
        hint: expect.stringMatching(/\w/),
        ...(reason ? { reason } : {}),
      });
    },
  );

  it(`while memory is off, /readyz returns ${readyStatus} with the reason and /healthz stays 200`, async () => {
    const ready = await server.call(undefined, 'GET', '/readyz');
    expect(ready.status).toBe(readyStatus);
    const { status, memory } = (await ready.json()) as { status: string; memory: Record<string, string> };
    if (readyStatus === 200)
      expect({ status, memory }).toEqual({ status: 'ready', memory: { state: 'disabled' } });
    else
      expect({ status, memory }).toMatchObject({
        status: 'unready',
        memory: { state: 'off', message: expect.stringMatching(/\w/) },
      });
    expect(JSON.stringify(memory)).not.toContain(folder);
    expect((await server.call(undefined, 'GET', '/healthz')).status).toBe(200);
    expect((await server.call(undefined, 'GET', '/version')).status).toBe(200);
    expect((await server.call('ada', 'GET', '/api/v1/auth/session')).status).toBe(200);
  });

  it('the metrics report that memory is off', async () => {
    const text = await (await server.call(undefined, 'GET', '/metrics')).text();
    expect(text).toMatch(/^helmdeck_memory_on 0$/m);
  });
});

describe('/metrics', () => {
  const start = (env: Record<string, string>) => testServer({ env });
  const status = async (server: TestServer, authorization?: string) =>
    (await server.call(undefined, 'GET', '/metrics', undefined, authorization ? { authorization } : {}))
      .status;

  it('/metrics is open on loopback and names routes by pattern, never a key or a caller', async () => {
    const server = await start({});
    await server.call('canary-subject', 'POST', '/api/v1/memory/store', { key: 'canary-key', value: 'x' });
    await server.call('canary-subject', 'GET', '/api/v1/memory/facts/canary-key');
    await server.call('canary-subject', 'GET', '/no/such/canary-key');
    const text = await (await server.call(undefined, 'GET', '/metrics')).text();
    expect(text).toContain('route="/api/v1/memory/facts/{key}",method="GET",status="200"');
    expect(text).not.toContain('canary');
    await server.close();
  });

  it('/metrics on other addresses needs an admin or the metrics token', async () => {
    const server = await start({
      HELMDECK_ADDR: '0.0.0.0:0',
      HELMDECK_METRICS_TOKEN: 'metrics-token',
      HELMDECK_JWT_SECRET: SECRET,
    });
    expect(await status(server)).toBe(401);
    expect(await status(server, 'Bearer wrong')).toBe(401);
    expect(await status(server, `Bearer ${await server.token('ada')}`)).toBe(403);
    expect(await status(server, 'Bearer metrics-token')).toBe(200);
    expect(await status(server, (await admin(server)).authorization)).toBe(200);
    await server.close();
  });

  it('/metrics on other addresses without a metrics token is for admins only', async () => {
    const server = await start({ HELMDECK_ADDR: '0.0.0.0:0' });
    expect(await status(server, 'Bearer undefined')).toBe(401);
    expect(await status(server, (await admin(server)).authorization)).toBe(200);
    await server.close();
  });
});
