import { beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from '../../packages/helmdeck/src/testing/test-server.ts';
import { application, listTools, person } from './oauth-person.ts';

const MEMORY = '/api/v1/memory';

/** Tests of tokens, applications, accounts and spaces on two nodes that share a database. */
export function peopleOnTwoNodes(nodes: () => [TestServer, TestServer]): void {
  let one: TestServer;
  let two: TestServer;
  beforeAll(() => {
    [one, two] = nodes();
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

    it('a code that two nodes get at the same time works once, and ends the connection', async () => {
      const [app, other] = [await application(one), await application(two)];
      const code = (await app.allowed(await person(one))).searchParams.get('code')!;
      const both = await Promise.all([app.redeem(code), other.redeem(code, { code_verifier: app.verifier })]);
      const redeemed = both.filter(({ status }) => status === 200);
      expect(redeemed).toHaveLength(1);
      await revokedOn(one, redeemed[0]!.body.access_token);
    });

    it('registrations of one network count together, whichever node they reach, and those of others do not', async () => {
      const register = async (node: TestServer, from: string) => {
        const body = { client_name: 'Flood', redirect_uris: ['https://flood.example/'] };
        return (await node.call(undefined, 'POST', '/oauth/register', body, { 'x-forwarded-for': from }))
          .status;
      };
      const flood = async (node: TestServer) => {
        const statuses = [];
        for (let count = 0; count < 55; count++) statuses.push(await register(node, '203.0.113.20'));
        return statuses;
      };
      const statuses = (await Promise.all([flood(one), flood(two)])).flat();
      expect(new Set(statuses)).toEqual(new Set([201, 429]));
      expect(await register(two, '203.0.113.21')).toBe(201);
    });

    it('a refresh that is repeated on the other node, at the same time or afterwards, gives the same next token', async () => {
      const [app, other] = [await application(one), await application(two)];
      const first = await app.redeem((await app.allowed(await person(two))).searchParams.get('code')!);
      const token = first.body.refresh_token;
      const refreshes = await Promise.all([app.refresh(token), other.refresh(token)]);
      refreshes.push(await other.refresh(token), await app.refresh(token));
      expect(refreshes.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(new Set(refreshes.map(({ body }) => body.refresh_token)).size).toBe(1);
      for (const node of [one, two])
        for (const { body } of refreshes) expect((await listTools(node, body.access_token)).status).toBe(200);
    });
  });

  it('a space made on one node is used on the other, and a grant that is taken back on one ends access and streams on the other', async () => {
    const admin = { authorization: `Bearer ${await one.token('admin', { scopes: ['admin'] })}` };
    const grants = '/api/v1/spaces/shared/grants/ines';
    const body = { slug: 'shared' };
    expect((await one.call(undefined, 'POST', '/api/v1/spaces', body, admin)).status).toBe(201);
    expect((await one.call(undefined, 'PUT', grants, { role: 'reader' }, admin)).status).toBe(200);
    const read = async () => (await two.call('ines', 'GET', `${MEMORY}/facts/where?space=shared`)).status;
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
      (
        (await (await two.call(undefined, 'GET', '/api/v1/spaces', undefined, admin)).json()) as {
          spaces: [];
        }
      ).spaces;
    await expect.poll(list).toEqual([]);
  });

  it('a token that is revoked on one node stops working on the other', async () => {
    const { token, record } = await one.auth.mint({
      caller: { subject: 'rev' },
      scopes: ['memory:read', 'memory:write'],
      ttlSeconds: 600,
    });
    await one.memory!.tokens.add(record);
    const headers = { authorization: `Bearer ${token}` };
    const status = async () => (await fetch(`${two.url}/api/v1/memory/facts`, { headers })).status;
    expect(await status()).toBe(200);
    await one.memory!.tokens.revoke(record.jti);
    await expect.poll(status).toBe(401);
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

    it('streams that are open on one node end when the account is disabled on the other, those of its applications too', async () => {
      const admin = { authorization: `Bearer ${await one.token('admin', { scopes: ['admin'] })}` };
      const invited = (await send(one, 'POST', 'users', { name: 'sue' }, admin)).json as unknown as {
        user: { id: string };
        invitation: { url: string };
      };
      const password = 'a long enough password';
      const invitation = new URL(invited.invitation.url).hash.slice(1);
      await send(two, 'POST', 'auth/invitation/accept', { invitation, password });
      const app = await application(two);
      const allowed = await app.allowed(await person(two, 'sue', password));
      const { body } = await app.redeem(allowed.searchParams.get('code')!);
      const { json } = await logIn(one, 'sue', password, '203.0.113.6');
      const streams = await Promise.all(
        [
          ['/api/v1/memory/events', String(json.token)],
          ['/api/v1/mcp/sse', body.access_token as string],
        ].map(async ([path, token]) => {
          const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
          const response = await fetch(one.url + path, { headers });
          expect(response.status).toBe(200);
          return response.body!.getReader();
        }),
      );
      await send(two, 'PATCH', `users/${invited.user.id}`, { state: 'disabled' }, admin);
      for (const stream of streams) for (let ended = false; !ended; ) ended = (await stream.read()).done;
      expect((await listTools(one, body.access_token)).status).toBe(401);
      expect((await app.refresh(body.refresh_token)).body.error).toBe('invalid_grant');
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
}
