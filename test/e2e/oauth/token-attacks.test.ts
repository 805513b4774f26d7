import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock, type TestServer } from '../../../packages/helmdeck/src/testing/index.ts';
import {
  application,
  listTools,
  ORIGIN,
  oauthServer,
  type Person,
  person,
  send,
} from '../../support/oauth-person.ts';

const clock = fakeClock(Date.UTC(2026, 0, 1, 12));
let server: TestServer;
let ada: Person;
beforeAll(async () => {
  server = await oauthServer({}, { now: clock.now });
  ada = await person(server);
});
beforeEach(() => clock.advance(120_000)); // for the limit of registrations
afterAll(() => server.close());

const consent = (query: string) =>
  ada.call('GET', `/api/v1/oauth/consent?query=${encodeURIComponent(query)}`);
const errorOf = async (response: Response) => ((await response.json()) as { error?: string }).error;

describe('tokens', () => {
  async function connected(changes: Record<string, string | undefined> = {}) {
    const app = await application(server);
    const { body } = await app.redeem((await app.allowed(ada, changes)).searchParams.get('code')!);
    return { app, access: body.access_token as string, refresh: body.refresh_token as string };
  }

  it('a token for one MCP URL is refused at every other address, and one for the server only outside of MCP', async () => {
    const memory = await connected({ resource: `${ORIGIN}/api/v1/mcp/memory` });
    const paths = [
      '/api/v1/mcp',
      '/api/v1/mcp/sse',
      '/api/v1/mcp/memory',
      '/api/v1/mcp/search',
      '/api/v1/mcp/qmd',
    ];
    const statuses = async (token: string) =>
      Promise.all(paths.map(async (path) => (await listTools(server, token, path)).status));
    expect(await statuses(memory.access)).toEqual([401, 401, 200, 401, 401]);
    const all = await connected({ resource: `${ORIGIN}/` });
    expect(await statuses(all.access)).toEqual([200, 200, 200, 200, 200]);
    const none = await connected({ resource: undefined });
    expect(await statuses(none.access)).toEqual([200, 200, 200, 200, 200]);
    for (const token of [memory.access, all.access]) {
      const rest = await send(server, 'GET', '/api/v1/memory/facts', {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(rest.status).toBe(401);
      const session = await send(server, 'POST', '/api/v1/auth/session', {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(session.status).toBe(401);
      expect(session.headers.get('set-cookie')).toBeNull();
    }
    expect((await connectedProblem({ resource: 'https://evil.example/mcp' })).problem.error).toBe(
      'invalid_target',
    );
  });

  it('a resource that a client writes in another way is the same one, and what only looks like it is none', async () => {
    const resourceOf = async (resource: string) =>
      (await (await consent((await application(server)).asks({ resource }))).json()) as {
        resource: string;
        problem?: { error: string };
      };
    for (const same of [
      `${ORIGIN}/api/v1/mcp/`,
      'HTTPS://Memory.Example.ORG/api/v1/mcp',
      'https://memory.example.org:443/api/v1/mcp',
    ]) {
      const { resource, problem } = await resourceOf(same);
      expect({ resource, problem }).toEqual({ resource: `${ORIGIN}/api/v1/mcp`, problem: undefined });
    }
    for (const other of [
      `${ORIGIN}//api/v1/mcp`,
      `${ORIGIN}/api/v1/mcp//`,
      `${ORIGIN}/api/v1/mcp?x`,
      `${ORIGIN}/api/v1/mcp#x`,
      `${ORIGIN}/api/v1/memory`,
      `${ORIGIN}.evil.example/api/v1/mcp`,
      `${ORIGIN}@evil.example/api/v1/mcp`,
      'https://ada@memory.example.org/api/v1/mcp',
      'http://memory.example.org/api/v1/mcp',
      '/api/v1/mcp',
      'x',
    ])
      expect((await resourceOf(other)).problem?.error).toBe('invalid_target');
  });

  const connectedProblem = async (changes: Record<string, string>) =>
    (await (await consent((await application(server)).asks(changes))).json()) as {
      problem: { error: string };
    };

  it('a refresh whose answer was lost can be repeated for 30 seconds, and gives the same refresh token', async () => {
    const { app, refresh } = await connected();
    const first = await app.refresh(refresh);
    clock.advance(29_999);
    const again = await app.refresh(refresh);
    expect(again).toMatchObject({ status: 200, body: { refresh_token: first.body.refresh_token } });
    for (const { body } of [first, again])
      expect((await listTools(server, body.access_token)).status).toBe(200);
    clock.advance(1); // the repetition has not prolonged the time
    expect((await app.refresh(refresh)).body.error).toBe('invalid_grant');
    expect((await app.refresh(first.body.refresh_token)).body.error).toBe('invalid_grant');
    for (const { body } of [first, again])
      expect((await listTools(server, body.access_token)).status).toBe(401);
  });

  it('a refresh token that is used again after 30 seconds ends the connection, for the thief and the owner', async () => {
    const { app, access, refresh } = await connected();
    const second = await app.refresh(refresh);
    expect(second.status).toBe(200);
    clock.advance(30_000);
    expect((await app.refresh(refresh)).body.error).toBe('invalid_grant');
    expect((await app.refresh(second.body.refresh_token)).body.error).toBe('invalid_grant');
    for (const token of [access, second.body.access_token])
      expect((await listTools(server, token)).status).toBe(401);
  });

  it('a refresh token ends the connection at once if the one after it was used', async () => {
    const { app, refresh } = await connected();
    const second = await app.refresh(refresh);
    const third = await app.refresh(second.body.refresh_token);
    expect(third.status).toBe(200);
    expect((await app.refresh(refresh)).body.error).toBe('invalid_grant');
    expect((await listTools(server, third.body.access_token)).status).toBe(401);
  });

  it('many refreshes with one token at the same time get one and the same next token', async () => {
    const { app, refresh } = await connected();
    const answers = await Promise.all(Array.from({ length: 5 }, () => app.refresh(refresh)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
  });

  it('a refresh cannot be repeated after the person disconnected the application', async () => {
    const { app, access, refresh } = await connected();
    expect((await app.refresh(refresh)).status).toBe(200);
    await app.post('/oauth/revoke', { token: access });
    expect((await app.refresh(refresh)).body.error).toBe('invalid_grant');
  });

  it('a forged refresh token is refused and ends nothing', async () => {
    const { app, access, refresh } = await connected();
    const [jti, , mac] = refresh.split('.');
    for (const forged of [`${jti}.2.${mac}`, `${jti}.1.${'A'.repeat(22)}`, 'x', `${jti}.0.${mac}`])
      expect((await app.refresh(forged)).body.error).toBe('invalid_grant');
    expect((await app.refresh(refresh, { client_id: 'app_other' })).body.error).toBe('invalid_grant');
    expect((await listTools(server, access)).status).toBe(200);
    expect((await app.refresh(refresh)).status).toBe(200);
  });

  it('an application cannot end the connection of another one', async () => {
    const { app, access, refresh } = await connected();
    for (const token of [access, refresh])
      expect((await app.post('/oauth/revoke', { token, client_id: 'app_other' })).status).toBe(200);
    expect((await listTools(server, access)).status).toBe(200);
    await app.post('/oauth/revoke', { token: refresh, client_id: app.clientId });
    expect((await listTools(server, access)).status).toBe(401);
  });

  it('an access token ends after an hour, a connection that is not used after 90 days, one that is used does not', async () => {
    const { app, access, refresh } = await connected();
    clock.advance(3_600_000);
    expect(await listTools(server, access)).toEqual({
      status: 401,
      challenge: `Bearer realm="helmdeck", error="invalid_token", resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/api/v1/mcp", scope="memory:read memory:write packs:run pipelines:run"`,
    });
    clock.advance(80 * 86_400_000);
    const next = await app.refresh(refresh);
    expect(next.status).toBe(200);
    clock.advance(80 * 86_400_000);
    const last = await app.refresh(next.body.refresh_token);
    expect((await listTools(server, last.body.access_token)).status).toBe(200);
    clock.advance(90 * 86_400_000);
    expect((await app.refresh(last.body.refresh_token)).body.error).toBe('invalid_grant');
    ada = await person(server);
    expect(await errorOf(await consent(app.asks()))).toBe('invalid_client'); // dropped as well
  });

  it('disconnecting in the web UI, and revoking all tokens of the person, end access and refresh at once', async () => {
    const list = async () =>
      (
        (await (await ada.call('GET', '/api/v1/tokens')).json()) as {
          tokens: { jti: string; application?: object; revoked_at: string | null }[];
        }
      ).tokens;
    const one = await connected();
    const shown = (await list()).find(({ application }) => application !== undefined)!;
    expect(shown.application).toEqual({
      client_id: one.app.clientId,
      redirect_host: 'claude.ai',
      resource: `${ORIGIN}/api/v1/mcp`,
    });
    expect((await ada.call('DELETE', `/api/v1/tokens/${shown.jti}`)).status).toBe(200);
    expect((await listTools(server, one.access)).status).toBe(401);
    expect((await one.app.refresh(one.refresh)).body.error).toBe('invalid_grant');
    const two = await connected();
    clock.advance(1_000);
    await server.memory!.tokens.refuse({ caller: { subject: 'admin' }, issuedUntilMs: clock.now() });
    expect((await listTools(server, two.access)).status).toBe(401);
    expect((await two.app.refresh(two.refresh)).body.error).toBe('invalid_grant');
    clock.advance(1_000);
    ada = await person(server);
  });

  it('a tool that needs more scopes answers 403 with all of them in one challenge', async () => {
    const { access } = await connected({ scope: 'memory:read' });
    const call = (name: string) =>
      send(server, 'POST', '/api/v1/mcp', {
        headers: {
          authorization: `Bearer ${access}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: {} },
        }),
      });
    const refused = await call('http_fetch');
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer realm="helmdeck", error="insufficient_scope", resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/api/v1/mcp", scope="packs:run"`,
    );
    expect((await call('memory_store')).headers.get('www-authenticate')).toContain('scope="memory:propose"');
    expect((await call('memory_recall')).status).toBe(200);
  });
});
