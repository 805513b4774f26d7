import { type BuildOptions, buildServer, type Server } from '../server/build.ts';
import { loadConfig } from '../server/config/config.ts';
import { listen } from '../server/http/listen.ts';
import { DEFAULT_SCOPES } from '../surfaces/http/auth.ts';

/** A server with shortcuts for tests. */
export interface TestServer extends Server {
  url: string;
  /** Mints a token of this server. */
  token(
    subject: string,
    claims?: { tenant?: string; scopes?: readonly string[]; client?: string; ttlSeconds?: number },
  ): Promise<string>;
  /** Sends a request as a subject; a body that is not a string is sent as JSON. */
  call(
    subject: string | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Response>;
}

const SECRET = 'test-secret-test-secret-test-secret-32';

/** Builds a real server with its own database, in memory by default, and optionally listens on a socket. */
export async function testServer(
  options: { env?: Record<string, string>; socket?: boolean } & Partial<BuildOptions> = {},
): Promise<TestServer> {
  const env = {
    HELMDECK_DB: 'memory:',
    HELMDECK_ADDR: '127.0.0.1:0',
    HELMDECK_JWT_SECRET: SECRET,
    HELMDECK_LOG_LEVEL: 'silent',
    ...options.env,
  };
  const { config } = loadConfig(env);
  const noop = () => {};
  const { env: _, socket: __, ...build } = options;
  const server = await buildServer(config, {
    ...build,
    log: options.log ?? {
      isEnabled: () => false,
      debug: noop,
      info: noop,
      warn: noop,
      error: noop,
    },
  });
  const listening = options.socket ? await listen(server, config) : undefined;
  const url = listening?.url ?? 'http://127.0.0.1:3000';
  const token: TestServer['token'] = async (subject, claims = {}) => {
    const { tenant, client, scopes = DEFAULT_SCOPES, ttlSeconds = 3600 } = claims;
    return (await server.auth.mint({ caller: { subject, tenant }, scopes, ttlSeconds, client })).token;
  };
  return {
    ...server,
    url,
    token,
    async call(subject, method, path, body, headers = {}) {
      const json = body !== undefined && typeof body !== 'string';
      const request = new Request(url + path, {
        method,
        headers: {
          ...(subject === undefined ? {} : { authorization: `Bearer ${await token(subject)}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: json ? JSON.stringify(body) : (body as string | undefined),
      });
      return listening ? fetch(request) : server.app.fetch(request);
    },
    close: () => (listening ? listening.close() : server.close()),
  };
}
