import { createHash, randomBytes } from 'node:crypto';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';

export const ORIGIN = 'https://memory.example.org';
export const CALLBACK = 'https://claude.ai/api/mcp/auth_callback';
/** What a browser sends with the requests of a page of the server. */
export const PAGE = { origin: ORIGIN, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
const ADMIN_PASSWORD = 'correct horse';

/** A server under a public name, called inside the process; more settings in `env`. */
export function oauthServer(
  env: Record<string, string> = {},
  options: Omit<Parameters<typeof testServer>[0], 'env'> = {},
): Promise<TestServer> {
  return testServer({
    ...options,
    env: { HELMDECK_PUBLIC_URL: ORIGIN, HELMDECK_ADMIN_PASSWORD: ADMIN_PASSWORD, ...env },
  });
}

/** A request to the server by its public name. */
export async function send(
  server: TestServer,
  method: string,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const headers = { host: new URL(ORIGIN).host, ...(init.headers as Record<string, string>) };
  return server.app.fetch(new Request(ORIGIN + path, { method, ...init, headers }));
}

/** A person at a browser: what its pages send with the session cookie. */
export async function person(server: TestServer, username = 'admin', password = ADMIN_PASSWORD) {
  const signedIn = await send(server, 'POST', '/api/v1/auth/session', {
    headers: PAGE,
    body: JSON.stringify({ username, password }),
  });
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
  const headers = { ...PAGE, cookie };
  return {
    headers,
    call: (method: string, path: string, body?: unknown, more: Record<string, string> = {}) =>
      send(server, method, path, {
        headers: { ...headers, ...more },
        body: body === undefined ? undefined : JSON.stringify(body),
      }),
  };
}

export type Person = Awaited<ReturnType<typeof person>>;

/** An application that registered; it asks, is allowed, and redeems. */
export async function application(server: TestServer, redirectUris: string[] = [CALLBACK], name = 'Claude') {
  const registered = await send(server, 'POST', '/oauth/register', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: name, redirect_uris: redirectUris }),
  });
  const { client_id: clientId } = (await registered.json()) as { client_id: string };
  const verifier = randomBytes(32).toString('base64url');
  const asks = (changes: Record<string, string | undefined> = {}) => {
    const parameters: Record<string, string | undefined> = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUris[0],
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: 'the-state',
      resource: `${ORIGIN}/api/v1/mcp`,
      ...changes,
    };
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
    return `?${new URLSearchParams(given as [string, string][])}`;
  };
  const post = async (path: string, form: Record<string, string>) => {
    const response = await send(server, 'POST', path, { body: new URLSearchParams(form) });
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
  };
  return {
    clientId,
    verifier,
    asks,
    post,
    /** Sent back by the person's browser after they allowed it. */
    async allowed(who: Person, changes?: Record<string, string | undefined>) {
      const response = await who.call('POST', '/api/v1/oauth/consent', {
        query: asks(changes),
        decision: 'allow',
      });
      const { redirect_to } = (await response.json()) as { redirect_to: string };
      return new URL(redirect_to);
    },
    redeem: (code: string, changes: Record<string, string> = {}) =>
      post('/oauth/token', {
        grant_type: 'authorization_code',
        code,
        client_id: clientId,
        redirect_uri: redirectUris[0]!,
        code_verifier: verifier,
        ...changes,
      }),
    refresh: (token: string, changes: Record<string, string> = {}) =>
      post('/oauth/token', {
        grant_type: 'refresh_token',
        refresh_token: token,
        client_id: clientId,
        ...changes,
      }),
  };
}

/** Lists tools with an access token; the status, and the challenge of a refusal. */
export async function listTools(server: TestServer, token: string | undefined, path = '/api/v1/mcp') {
  const response = await send(server, 'POST', path, {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  return { status: response.status, challenge: response.headers.get('www-authenticate') };
}
