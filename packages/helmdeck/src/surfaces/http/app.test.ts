import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../testing/test-server.ts';

const MESSAGE = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
/** A request that needs a token, on each surface. */
const SURFACES: [name: string, method: string, path: string, body?: object][] = [
  ['REST', 'GET', '/api/v1/memory/facts'],
  ['MCP', 'POST', '/api/v1/mcp', MESSAGE],
  ['QMD', 'POST', '/api/v1/mcp/qmd', MESSAGE],
];
const ACCEPT = { accept: 'application/json, text/event-stream' };

let server: TestServer;
const lines: Record<string, unknown>[] = [];
const line = (fields: object) => void lines.push(fields as Record<string, unknown>);
beforeAll(async () => {
  server = await testServer({
    log: { isEnabled: () => true, debug: line, info: line, warn() {}, error() {} },
  });
});
afterAll(() => server.close());

describe.each(SURFACES)('serving %s requests', (_name, method, path, body) => {
  const call = (subject: string | undefined, headers: Record<string, string> = {}) =>
    server.call(subject, method, path, body, { ...ACCEPT, ...headers });

  it('a request without a token is rejected in the same way on every surface', async () => {
    const response = await call(undefined);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="helmdeck"');
    expect(await response.json()).toMatchObject({ error: 'missing_bearer' });
  });

  it('a request with a revoked token is rejected', async () => {
    const { token, record } = await server.auth.mint({
      caller: { subject: 'ada' },
      scopes: ['memory:read'],
      ttlSeconds: 60,
    });
    await server.memory!.tokens.add(record);
    const authorization = `Bearer ${token}`;
    expect((await call(undefined, { authorization })).status).toBe(200);
    await server.memory!.tokens.revoke(record.jti);
    expect(await (await call(undefined, { authorization })).json()).toMatchObject({ error: 'token_revoked' });
  });

  it("the client's request id is in the response and the log, and metrics count the request under its route", async () => {
    const response = await call('ada', { 'x-request-id': `from-client-${method}` });
    expect(response.headers.get('x-request-id')).toBe(`from-client-${method}`);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(lines.at(-1)).toEqual({
      req_id: `from-client-${method}`,
      route: path,
      method,
      status: 200,
      ms: expect.any(Number),
    });
    const metrics = await (await server.call(undefined, 'GET', '/metrics')).text();
    expect(metrics).toContain(`route="${path}",method="${method}",status="200"`);
  });

  it('a request with an unsupported method gets 405 with the supported ones', async () => {
    const response = await server.call(undefined, 'PUT', path);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')!.split(', ')).toContain(method);
  });
});
