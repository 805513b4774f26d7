import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../packages/helmdeck/src/surfaces/http/auth.ts';
import { fakeClock, type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';

const clock = fakeClock(Date.UTC(2026, 0, 1, 12));
const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const JWT = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/);
const HEX64 = expect.stringMatching(/^[0-9a-f]{64}$/);
let server: TestServer;
let admin: Record<string, string>;

beforeAll(async () => {
  server = await testServer({ now: clock.now, env: { HELMDECK_ADMIN_PASSWORD: 'correct horse' } });
  admin = { authorization: `Bearer ${await server.token('root', { scopes: ['admin'] })}` };
});
afterAll(() => server.close());

const json = async (method: string, path: string, body?: unknown, headers: Record<string, string> = admin) =>
  (await server.call(undefined, method, path, body, headers)).json();

describe('JSON of authentication, tokens and audit', () => {
  it('the list of scopes is pinned', () => {
    expect(SCOPES).toEqual([
      'memory:read',
      'memory:write',
      'memory:propose',
      'memory:review',
      'spaces:write',
      'packs:run',
      'pipelines:run',
      'vault:read',
      'vault:write',
      'admin',
    ]);
  });

  it('POST /auth/login returns the pinned JSON', async () => {
    const body = { username: 'admin', password: 'correct horse' };
    expect(await json('POST', '/api/v1/auth/login', body, {})).toEqual({
      token: JWT,
      subject: 'admin',
      expires_at: '2026-01-02T00:00:00.000Z',
    });
  });

  it('GET /auth/session returns the pinned JSON', async () => {
    const authorization = `Bearer ${await server.token('ada', { client: 'cursor' })}`;
    expect(await json('GET', '/api/v1/auth/session', undefined, { authorization })).toEqual({
      subject: 'ada',
      caller: 'ada',
      scopes: ['memory:read', 'memory:write', 'packs:run', 'pipelines:run'],
      client: 'cursor',
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      expires_at: '2026-01-01T13:00:00.000Z',
    });
  });

  it('a minted token has the pinned claims', async () => {
    const token = await server.token('ada', { tenant: 'acme', client: 'cursor' });
    const [header, claims] = token
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(claims).toEqual({
      iss: 'helmdeck',
      sub: 'ada',
      tenant: 'acme',
      client: 'cursor',
      scopes: ['memory:read', 'memory:write', 'packs:run', 'pipelines:run'],
      jti: UUID,
      iat: 1_767_268_800,
      exp: 1_767_272_400,
    });
  });

  it('POST, GET and DELETE /tokens return the pinned JSON', async () => {
    const body = {
      name: 'laptop',
      client: 'cursor',
      scopes: ['memory:read'],
      ttl_seconds: 3600,
      subject: 'ada',
    };
    const token = {
      jti: UUID,
      subject: 'ada',
      name: 'laptop',
      client: 'cursor',
      scopes: ['memory:read'],
      created_at: '2026-01-01T12:00:00.000Z',
      expires_at: '2026-01-01T13:00:00.000Z',
      last_used_at: null,
      revoked_at: null,
    };
    const minted = (await json('POST', '/api/v1/tokens', body)) as { jti: string; token: string };
    expect(minted).toEqual({ ...token, token: JWT });
    const headers = { authorization: `Bearer ${minted.token}` };
    clock.advance(1000);
    expect(await json('GET', '/api/v1/tokens', undefined, headers)).toEqual({
      tokens: [{ ...token, last_used_at: '2026-01-01T12:00:01.000Z' }],
    });
    clock.advance(1000);
    expect(await json('DELETE', `/api/v1/tokens/${minted.jti}`)).toEqual({
      revoked: true,
      known: true,
      tokens: 1,
    });
    const { tokens } = (await json('GET', '/api/v1/tokens')) as { tokens: { jti: string }[] };
    expect(tokens.find(({ jti }) => jti === minted.jti)).toEqual({
      ...token,
      last_used_at: '2026-01-01T12:00:01.000Z',
      revoked_at: '2026-01-01T12:00:02.000Z',
    });
    expect(await json('GET', '/api/v1/memory/facts', undefined, headers)).toEqual({
      error: 'token_revoked',
      message: 'The token was revoked.',
      hint: '"helmdeck connect <client> --write" gives a client a new token, "helmdeck token mint" mints one.',
      request_id: UUID,
    });
  });

  it('GET /audit and /audit/verify return the pinned JSON', async () => {
    const { records } = (await json('GET', '/api/v1/audit?limit=2')) as { records: object[] };
    expect(records).toEqual([
      {
        n: 3,
        at: '2026-01-01T12:00:02.000Z',
        action: 'token.revoke',
        actor: 'root',
        target: 'ada',
        detail: expect.stringMatching(/^jti [0-9a-f-]{36}$/),
        prev: HEX64,
        hash: HEX64,
      },
      {
        n: 2,
        at: '2026-01-01T12:00:00.000Z',
        action: 'token.mint',
        actor: 'root',
        target: 'ada',
        detail: expect.stringMatching(/^jti [0-9a-f-]{36} scopes memory:read$/),
        prev: HEX64,
        hash: HEX64,
      },
    ]);
    expect(await json('GET', '/api/v1/audit/verify')).toEqual({ ok: true, records: 3 });
  });

  it('GET /audit returns only the records with the given actor, target and action, page by page', async () => {
    const listed = async (query: string) => {
      const page = (await json('GET', `/api/v1/audit?${query}`)) as {
        records: { n: number }[];
        next_cursor?: string;
      };
      return { numbers: page.records.map(({ n }) => n), cursor: page.next_cursor };
    };
    expect(await listed('action=login')).toEqual({ numbers: [1] });
    expect(await listed('actor=root&target=ada&limit=1')).toEqual({ numbers: [3], cursor: '3' });
    expect(await listed('actor=root&target=ada&limit=1&cursor=3')).toMatchObject({ numbers: [2] });
    expect(await listed('action=token.mint&target=root')).toEqual({ numbers: [] });
  });

  it('GET /backups returns the pinned JSON, and is refused to the admin of a tenant', async () => {
    expect(await json('GET', '/api/v1/backups')).toEqual({ possible: false, schedule: null });
    const authorization = `Bearer ${await server.token('root', { scopes: ['admin'], tenant: 'acme' })}`;
    expect(await json('GET', '/api/v1/backups', undefined, { authorization })).toMatchObject({
      error: 'insufficient_scope',
    });
  });
});

describe('JSON of the server itself', () => {
  it('/healthz, /readyz, /version and the receipt keys return the pinned JSON', async () => {
    expect(await json('GET', '/healthz', undefined, {})).toEqual({ status: 'ok' });
    expect(await json('GET', '/readyz', undefined, {})).toEqual({ status: 'ready', memory: { state: 'on' } });
    expect(await json('GET', '/version', undefined, {})).toEqual({
      name: 'helmdeck',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    expect(await json('GET', '/.well-known/helmdeck-receipts.json', undefined, {})).toEqual({
      keys: [
        {
          public_key: expect.stringMatching(/^MCowBQYDK2VwAyEA[\w+/]{43}=$/),
          since: '2026-01-01T12:00:00.000Z',
        },
      ],
    });
  });

  it('an error without a token has the pinned envelope and the request id', async () => {
    const headers = { 'x-request-id': 'request-0001' };
    const answer = await server.call(undefined, 'GET', '/api/v1/memory/facts', undefined, headers);
    expect(await answer.json()).toEqual({
      error: 'missing_bearer',
      message: 'There is no bearer token.',
      hint: 'Send the header "Authorization: Bearer <token>".',
      request_id: 'request-0001',
    });
    expect(answer.headers.get('x-request-id')).toBe('request-0001');
  });

  it.each(['short', 'with space in it', 'x'.repeat(65), '<script>alert'])(
    'the invalid request id "%s" is replaced by a UUID',
    async (id) => {
      const answer = await server.call(undefined, 'GET', '/healthz', undefined, { 'x-request-id': id });
      expect(answer.headers.get('x-request-id')).toEqual(UUID);
    },
  );

  it('accounts, invitations and ways to sign in return the pinned JSON', async () => {
    const user = {
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: 'grace',
      subject: 'grace',
      display_name: 'Grace',
      role: 'member',
      state: 'invited',
      created_at: '2026-01-01T12:00:02.000Z',
      last_sign_in_at: null,
      last_seen_at: null,
      invitation_expires_at: '2026-01-04T12:00:02.000Z',
      usage: { facts: 0, bytes: 0 },
      quota: { facts: null, bytes: null },
    };
    const added = await json('POST', '/api/v1/users', { name: 'grace', display_name: 'Grace' });
    const link = /^http:\/\/127\.0\.0\.1:3000\/invitation#[0-9a-f]{32}\.[\w-]{43}$/;
    expect(added).toEqual({
      user,
      invitation: { url: expect.stringMatching(link), expires_at: '2026-01-04T12:00:02.000Z' },
    });
    const { user: grace, invitation: made } = added as { user: { id: string }; invitation: { url: string } };
    const invitation = new URL(made.url).hash.slice(1);
    expect(await json('POST', '/api/v1/auth/invitation', { invitation }, {})).toEqual({
      name: 'grace',
      display_name: 'Grace',
      expires_at: '2026-01-04T12:00:02.000Z',
    });
    const accept = { invitation, password: 'correct horse battery' };
    expect(await json('POST', '/api/v1/auth/invitation/accept', accept, {})).toEqual({
      subject: 'grace',
      caller: 'grace',
      scopes: [
        'memory:read',
        'memory:write',
        'memory:review',
        'spaces:write',
        'packs:run',
        'pipelines:run',
        'vault:read',
        'vault:write',
      ],
      client: 'browser',
      jti: UUID,
      account: { display_name: 'Grace', role: 'member', has_password: true },
      expires_at: '2026-01-02T00:00:02.000Z',
    });
    expect(await json('PATCH', `/api/v1/users/${grace.id}`, { quota_facts: 5, quota_bytes: 6 })).toEqual({
      ...user,
      state: 'active',
      last_sign_in_at: '2026-01-01T12:00:02.000Z',
      last_seen_at: '2026-01-01T12:00:02.000Z',
      invitation_expires_at: null,
      quota: { facts: 5, bytes: 6 },
    });
    const authorization = `Bearer ${await server.token('grace', { client: 'browser' })}`;
    const change = { current_password: accept.password, new_password: 'another horse battery' };
    expect(await json('POST', '/api/v1/auth/password', change, { authorization })).toEqual({
      sessions_ended: 1,
    });
    expect(await json('GET', '/api/v1/users?limit=1')).toEqual({
      users: [expect.objectContaining({ name: 'grace' })],
    });
    expect(await json('DELETE', `/api/v1/users/${grace.id}`)).toEqual({
      id: grace.id,
      name: 'grace',
      receipt: expect.objectContaining({ receipt_id: UUID }),
    });
    expect(await json('GET', '/api/v1/auth/methods', undefined, {})).toEqual({ password: true, oidc: null });
  });
});
