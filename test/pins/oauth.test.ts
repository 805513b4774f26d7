import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../../packages/helmdeck/src/surfaces/rest/routes.ts';
import { fakeClock, type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { routeName } from '../support/every-route.ts';
import {
  application,
  CALLBACK,
  listTools,
  ORIGIN,
  oauthServer,
  type Person,
  person,
  send,
} from '../support/oauth-person.ts';

const clock = fakeClock(Date.UTC(2026, 0, 1, 12));
let server: TestServer;
let ada: Person;
/** The routes whose response was compared with its schema. */
const compared = new Set<string>();

beforeAll(async () => {
  server = await oauthServer({}, { now: clock.now });
  ada = await person(server);
});
afterAll(() => server.close());

/** The JSON of a response, which must match the documented schema. */
async function json(name: string, answer: Promise<Response>, status = 200): Promise<Record<string, unknown>> {
  const response = await answer;
  expect(response.status).toBe(status);
  const body = await response.json();
  ROUTES.find((route) => routeName(route) === name)!.response!.parse(body);
  compared.add(name);
  return body as Record<string, unknown>;
}
const get = (path: string) => send(server, 'GET', path);
const form = (path: string, fields: Record<string, string>) =>
  send(server, 'POST', path, { body: new URLSearchParams(fields) });

const DEFAULT_SCOPES = ['memory:read', 'memory:write', 'packs:run', 'pipelines:run'];
const RESOURCE = '/.well-known/oauth-protected-resource';

describe('JSON of OAuth', () => {
  it('the metadata of the server and of every MCP URL is pinned', async () => {
    const resource = (path: string, scopes: string[]) => ({
      resource: ORIGIN + path,
      authorization_servers: [ORIGIN],
      scopes_supported: scopes,
      bearer_methods_supported: ['header'],
      resource_name: 'Helmdeck',
    });
    expect(await json(`GET ${RESOURCE}`, get(RESOURCE))).toEqual(resource('', DEFAULT_SCOPES));
    const scopes: Record<string, string[]> = {
      '/api/v1/mcp': DEFAULT_SCOPES,
      '/api/v1/mcp/sse': DEFAULT_SCOPES,
      '/api/v1/mcp/sse/message': DEFAULT_SCOPES,
      '/api/v1/mcp/memory': ['memory:read', 'memory:write'],
      '/api/v1/mcp/search': ['memory:read'],
      '/api/v1/mcp/qmd': ['memory:read'],
      '/api/v1/mcp/qmd/sse': ['memory:read'],
      '/api/v1/mcp/qmd/sse/message': ['memory:read'],
    };
    for (const [path, expected] of Object.entries(scopes))
      expect(await json(`GET ${RESOURCE}/{key}`, get(RESOURCE + path))).toEqual(resource(path, expected));
    expect((await get(`${RESOURCE}/api/v1/memory`)).status).toBe(404);
    const expected = {
      issuer: ORIGIN,
      authorization_endpoint: `${ORIGIN}/oauth/authorize`,
      token_endpoint: `${ORIGIN}/oauth/token`,
      registration_endpoint: `${ORIGIN}/oauth/register`,
      revocation_endpoint: `${ORIGIN}/oauth/revoke`,
      scopes_supported: DEFAULT_SCOPES,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    };
    for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])
      expect(await json(`GET ${path}`, get(path))).toEqual(expected);
  });

  it('registration, consent, tokens and revocation have the pinned JSON', async () => {
    const registration = send(server, 'POST', '/oauth/register', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Claude',
        redirect_uris: [CALLBACK],
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: ['authorization_code', 'refresh_token'],
        scope: 'memory:read',
      }),
    });
    const client = await json('POST /oauth/register', registration, 201);
    expect(client).toEqual({
      client_id: expect.stringMatching(/^app_[\w-]{32}$/),
      client_id_issued_at: 1_767_268_800,
      client_name: 'Claude',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    const app = await application(server);
    expect(app.clientId).toBe(client.client_id);
    const query = app.asks({ scope: 'memory:read memory:write' });
    const shown = ada.call('GET', `/api/v1/oauth/consent?query=${encodeURIComponent(query)}`);
    expect(await json('GET /api/v1/oauth/consent', shown)).toEqual({
      client: { id: app.clientId, name: 'Claude' },
      redirect_host: 'claude.ai',
      scopes: ['memory:read', 'memory:write'],
      resource: `${ORIGIN}/api/v1/mcp`,
      memory: 'admin',
      spaces: [],
    });
    const decided = ada.call('POST', '/api/v1/oauth/consent', { query, decision: 'allow' });
    const { redirect_to } = await json('POST /api/v1/oauth/consent', decided);
    const at = new URL(redirect_to as string);
    expect(Object.fromEntries(at.searchParams)).toEqual({
      code: expect.stringMatching(/^[\w-]{43}$/),
      state: 'the-state',
      iss: ORIGIN,
    });
    const redeemed = form('/oauth/token', {
      grant_type: 'authorization_code',
      code: at.searchParams.get('code')!,
      client_id: app.clientId,
      redirect_uri: CALLBACK,
      code_verifier: app.verifier,
    });
    const tokens = await json('POST /oauth/token', redeemed);
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^[0-9a-f-]{36}\.1\.[\w-]{22}$/),
      scope: 'memory:read memory:write',
    });
    const claims = JSON.parse(
      Buffer.from(String(tokens.access_token).split('.')[1]!, 'base64url').toString(),
    );
    expect(claims).toEqual({
      iss: 'helmdeck',
      sub: 'admin',
      aud: `${ORIGIN}/api/v1/mcp`,
      name: 'Claude',
      client: 'Claude',
      scopes: ['memory:read', 'memory:write'],
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      iat: 1_767_268_800,
      exp: 1_767_272_400,
    });
    const listed = (await (await ada.call('GET', '/api/v1/tokens')).json()) as { tokens: { jti: string }[] };
    expect(listed.tokens.find(({ jti }) => jti === claims.jti)).toEqual({
      jti: claims.jti,
      subject: 'admin',
      name: 'Claude',
      client: 'Claude',
      scopes: ['memory:read', 'memory:write'],
      created_at: '2026-01-01T12:00:00.000Z',
      expires_at: '2026-04-01T12:00:00.000Z',
      last_used_at: null,
      revoked_at: null,
      application: {
        client_id: app.clientId,
        redirect_host: 'claude.ai',
        resource: `${ORIGIN}/api/v1/mcp`,
      },
    });
    const revoked = await form('/oauth/revoke', {
      token: String(tokens.access_token),
      client_id: app.clientId,
    });
    expect([revoked.status, await revoked.text()]).toEqual([200, '']);
    compared.add('POST /oauth/revoke'); // has no body
    expect((await listTools(server, String(tokens.access_token))).status).toBe(401);
    expect((await form('/oauth/revoke', { token: 'unknown' })).status).toBe(200);
    expect([...compared].sort()).toEqual(
      ROUTES.filter(({ tag }) => tag === 'OAuth')
        .map(routeName)
        .sort(),
    );
  });

  it('errors have the pinned JSON, with the message where OAuth clients look for it', async () => {
    const response = await form('/oauth/token', { grant_type: 'password' });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: 'unsupported_grant_type',
      message: 'This grant type is not supported.',
      hint: 'Use authorization_code or refresh_token.',
      request_id: expect.any(String),
      error_description: 'This grant type is not supported.',
    });
  });

  it('without a token, MCP URLs say where to get one', async () => {
    const challengeAt = async (path: string) => (await listTools(server, undefined, path)).challenge;
    expect(await challengeAt('/api/v1/mcp/search')).toBe(
      `Bearer realm="helmdeck", resource_metadata="${ORIGIN}${RESOURCE}/api/v1/mcp/search", scope="memory:read"`,
    );
    expect(await challengeAt('/api/v1/mcp')).toBe(
      `Bearer realm="helmdeck", resource_metadata="${ORIGIN}${RESOURCE}/api/v1/mcp", scope="${DEFAULT_SCOPES.join(' ')}"`,
    );
  });

  it('with an identity provider the documents name that one, and this server issues no tokens to applications', async () => {
    const other = await oauthServer({
      HELMDECK_JWKS_URL: 'https://idp.example/jwks',
      HELMDECK_JWT_ISSUER: 'https://idp.example',
      HELMDECK_JWT_AUDIENCE: 'helmdeck-api',
    });
    const plain = await testServer();
    try {
      const document = await send(other, 'GET', `${RESOURCE}/api/v1/mcp`);
      expect(await document.json()).toMatchObject({ authorization_servers: ['https://idp.example'] });
      expect((await listTools(other, undefined)).challenge).toContain('resource_metadata=');
      const paths = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];
      for (const path of paths) expect((await send(other, 'GET', path)).status).toBe(404);
      expect((await send(other, 'POST', '/oauth/token', { body: new URLSearchParams() })).status).toBe(404);
      for (const path of [RESOURCE, `${RESOURCE}/api/v1/mcp`, ...paths]) {
        const none = await plain.call(undefined, 'GET', path);
        expect([none.status, none.headers.get('content-type')]).toEqual([404, 'application/json']);
      }
    } finally {
      await other.close();
      await plain.close();
    }
  });
});
