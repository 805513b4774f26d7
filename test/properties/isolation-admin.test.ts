import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { callAs, everyRoute, routeName, textOf, type Who } from '../support/every-route.ts';

const ADMIN: Who = { subject: 'root', scopes: ['admin'] };
const TENANT_ADMIN: Who = { subject: 'root', tenant: 'acme', scopes: ['admin'] };
const ADA: Who = { subject: 'ada' };
const get = (path: string) => ({ method: 'GET', path });
const store = (key: string) => ({
  method: 'POST',
  path: '/api/v1/memory/store',
  body: { key, value: `the ${key}` },
});

/** What an admin is also told of each caller. */
const ACTIVITY = { tokens: expect.any(Number), last_call_at: null, last_write_at: expect.any(String) };

describe('admins', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer();
    await callAs(server, ADA, store('secret-plan'));
    for (const [key, value] of [
      ['secret-plan/a', 'Staging has 3 replicas.'],
      ['secret-plan/b', 'Staging has 5 replicas.'],
    ])
      await callAs(server, ADA, { method: 'POST', path: '/api/v1/memory/store', body: { key, value } });
    const proposed = { key: 'proposed', value: 'A secret-plan', propose: true };
    await callAs(server, ADA, { method: 'POST', path: '/api/v1/memory/store', body: proposed });
    await callAs(server, ADA, get('/api/v1/memory/search?q=secret-plan'));
    await callAs(server, { subject: 'ada', tenant: 'acme' }, store('acme-plan'));
  });
  afterAll(() => server.close());

  const lastRecord = async () => (await server.memory!.audit.list(undefined, 1))[0];

  it.each(
    everyRoute('secret-plan', 'x')
      .filter(({ route }) => route.takesCaller)
      .map((probe) => [routeName(probe.route), probe] as const),
  )('for an admin, %s with ?caller= shows that caller and is audited', async (_name, probe) => {
    const answer = await callAs(server, ADMIN, { ...probe, path: `${probe.path}?caller=ada` });
    expect(answer.status).toBe(200);
    const text = await textOf(answer);
    expect(text).not.toContain('acme-plan');
    if (!/\/(stats|facets|events|defaults|activity|run-records|candidates)$/.test(probe.path))
      expect(text).toMatch(/secret-plan/);
    expect(await lastRecord()).toMatchObject({
      action: 'read',
      actor: 'root',
      target: 'ada',
      detail: probe.route.path,
    });
  });

  it('an admin without ?caller= sees only their own memory, and nothing is audited', async () => {
    const before = await lastRecord();
    const answer = await callAs(server, ADMIN, get('/api/v1/memory/facts'));
    expect(await answer.json()).toEqual({ facts: [] });
    expect(await lastRecord()).toEqual(before);
  });

  it('an admin of a tenant sees only callers of that tenant', async () => {
    const answer = await callAs(server, TENANT_ADMIN, get('/api/v1/memory/facts?caller=ada'));
    const text = await answer.text();
    expect(text).toContain('acme-plan');
    expect(text).not.toContain('secret-plan');
    const callers = await callAs(server, TENANT_ADMIN, get('/api/v1/memory/callers'));
    expect(await callers.json()).toEqual({ callers: [{ namespace: 'ada', count: 1, ...ACTIVITY }] });
  });

  it("an admin of a tenant sees and revokes only that tenant's tokens", async () => {
    const mint = async (who: Who) => {
      const answer = await callAs(server, who, {
        method: 'POST',
        path: '/api/v1/tokens',
        body: { name: 'laptop' },
      });
      return ((await answer.json()) as { jti: string }).jti;
    };
    const [plain, acme] = [await mint(ADA), await mint({ subject: 'ada', tenant: 'acme' })];
    const seen = await (await callAs(server, TENANT_ADMIN, get('/api/v1/tokens'))).text();
    expect(seen).toContain(acme);
    expect(seen).not.toContain(plain);
    const revoke = (jti: string) =>
      callAs(server, TENANT_ADMIN, { method: 'DELETE', path: `/api/v1/tokens/${jti}` });
    expect(await (await revoke(plain)).json()).toEqual({ revoked: true, known: false, tokens: 0 });
    expect(await (await revoke(acme)).json()).toEqual({ revoked: true, known: true, tokens: 1 });
    const isRevoked = async (who: Who, jti: string) =>
      !new RegExp(`${jti}[^}]*"revoked_at":null`).test(
        await textOf(await callAs(server, who, get('/api/v1/tokens'))),
      );
    expect(await isRevoked(ADA, plain)).toBe(false);
    expect(await isRevoked({ subject: 'ada', tenant: 'acme' }, acme)).toBe(true);
  });

  it.each(['', 'x'.repeat(257), 'a%00b'])(
    'an admin who passes the invalid caller "%s" gets 400, not 401',
    async (caller) => {
      const answer = await callAs(server, ADMIN, get(`/api/v1/memory/facts?caller=${caller}`));
      expect(answer.status).toBe(400);
    },
  );

  it('an admin may forget for a caller, and the audit records it without the key', async () => {
    await callAs(server, ADA, store('to-forget'));
    const body = { scope: 'key:to-forget', caller: 'ada' };
    const answer = await callAs(server, ADMIN, { method: 'POST', path: '/api/v1/memory/forget', body });
    expect(await answer.json()).toEqual({ scope: 'key:to-forget', deleted: 1 });
    const record = await lastRecord();
    expect(record).toMatchObject({
      action: 'forget',
      actor: 'root',
      target: 'ada',
      detail: 'key: 1 deleted',
    });
  });

  it('an admin sees a paged list of callers, largest first, and other callers see only themselves', async () => {
    for (const key of ['a', 'b', 'c', 'd', 'e']) await callAs(server, { subject: 'busy' }, store(key));
    const first = await callAs(server, ADMIN, get('/api/v1/memory/callers?limit=1'));
    expect(await first.json()).toEqual({
      callers: [{ namespace: 'busy', count: 5, ...ACTIVITY }],
      next_cursor: '1',
    });
    const second = await callAs(server, ADMIN, get('/api/v1/memory/callers?limit=1&cursor=1'));
    expect(await second.json()).toEqual({ callers: [{ namespace: 'ada', count: 3, ...ACTIVITY }] });
    const mine = await callAs(server, ADA, get('/api/v1/memory/callers'));
    expect(await mine.json()).toEqual({ callers: [{ namespace: 'ada', count: 3 }] });
    const stranger = await callAs(server, { subject: 'stranger' }, get('/api/v1/memory/callers'));
    expect(await stranger.json()).toEqual({ callers: [{ namespace: 'stranger', count: 0 }] });
  });
});

describe('the anonymous caller', () => {
  it('the anonymous caller and a subject named "unknown" have separate memories in one database', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'helmdeck-unknown-'));
    const env = { HELMDECK_DB: join(folder, 'x.db'), HELMDECK_MEMORY_KEY: 'a'.repeat(64) };
    const host = { host: 'localhost' };
    try {
      let server = await testServer({ env: { ...env, HELMDECK_DISABLE_AUTH: '1' } });
      for (const key of ['x', 'y'])
        await server.call(undefined, 'POST', '/api/v1/memory/store', { key, value: 'anonymous' }, host);
      const mine = await server.call(undefined, 'GET', '/api/v1/memory/mine', undefined, host);
      expect(await mine.json()).toMatchObject({ scope: 'caller=unknown', categories: [{ count: 2 }] });
      const self = await server.call(undefined, 'GET', '/api/v1/memory/callers', undefined, host);
      expect(await self.json()).toEqual({ callers: [{ namespace: 'unknown', count: 2 }] });
      await server.close();

      server = await testServer({ env });
      const facts = await server.call('unknown', 'GET', '/api/v1/memory/facts');
      expect(await facts.json()).toEqual({ facts: [] });
      const callers = await server.call('unknown', 'GET', '/api/v1/memory/callers');
      expect(await callers.json()).toEqual({ callers: [{ namespace: 'unknown', count: 0 }] });
      await server.call('unknown', 'POST', '/api/v1/memory/forget', { scope: 'erase' });
      await server.close();

      server = await testServer({ env: { ...env, HELMDECK_DISABLE_AUTH: '1' } });
      const still = await server.call(undefined, 'GET', '/api/v1/memory/facts/x', undefined, host);
      expect(still.status).toBe(200);
      await server.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
