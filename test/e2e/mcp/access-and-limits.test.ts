import { request } from 'node:http';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/test-server.ts';
import { callTool, connectClient } from './clients.ts';

let server: TestServer;
let open: TestServer;
beforeAll(async () => {
  server = await testServer({ socket: true });
  open = await testServer({ socket: true, env: { HELMDECK_DISABLE_AUTH: '1' } });
});
afterAll(async () => {
  await server.close();
  await open.close();
});

const PATHS = [
  '/api/v1/mcp',
  '/api/v1/mcp/memory',
  '/api/v1/mcp/sse',
  '/api/v1/mcp/qmd',
  '/api/v1/mcp/qmd/sse',
];
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const ACCEPT = { accept: 'application/json, text/event-stream' };
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};

/** Sends headers that `fetch` forbids, and returns the status. */
async function raw(
  url: string,
  headers: Record<string, string>,
  body = JSON.stringify(ping),
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...ACCEPT, ...headers },
    });
    sent.on('response', (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe.each(PATHS)('the endpoint %s', (path) => {
  it('an MCP endpoint requires a bearer token and ignores cookies', async () => {
    const token = await server.token('ada');
    const attempts: Record<string, string>[] = [
      {},
      { cookie: `helmdeck_session=${token}`, 'sec-fetch-site': 'same-origin' },
    ];
    for (const headers of attempts) {
      for (const method of ['POST', 'GET']) {
        const answer = await server.call(
          undefined,
          method,
          path,
          method === 'POST' ? ping : undefined,
          headers,
        );
        expect(answer.status).toBe(401);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="helmdeck"');
        expect(await answer.json()).toMatchObject({
          error: 'missing_bearer',
          request_id: answer.headers.get('x-request-id'),
        });
      }
    }
    const bad = await server.call(undefined, 'POST', path, ping, { authorization: 'Bearer nonsense' });
    expect(await bad.json()).toMatchObject({ error: 'invalid_token' });
  });

  it('an MCP endpoint rejects foreign origins and host names (DNS rebinding)', async () => {
    const authorization = `Bearer ${await server.token('ada')}`;
    const host = new URL(server.url).host;
    const evil = 'evil.example:3000';
    expect(await raw(server.url + path, { authorization, host, origin: `http://${host}` })).toBe(200);
    expect(await raw(server.url + path, { authorization, host, origin: 'http://evil.example' })).toBe(403);
    expect(await raw(server.url + path, { authorization, host, origin: 'null' })).toBe(403);
    expect(await raw(server.url + path, { authorization, host: evil, origin: `http://${evil}` })).toBe(403);
    expect(await raw(open.url + path, { host: evil })).toBe(403);
    expect(await raw(open.url + path, { host: new URL(open.url).host })).toBe(200);
  });

  it('an MCP endpoint accepts only JSON, and at most 1 MiB', async () => {
    const send = (body: string, type = 'application/json') =>
      server.call('ada', 'POST', path, body, { 'content-type': type, ...ACCEPT });
    expect((await send(JSON.stringify(ping), 'text/plain')).status).toBe(415);
    expect((await send('x'.repeat(1_048_577))).status).toBe(413);
    expect((await send('{')).status).toBe(400);
    expect((await send('')).status).toBe(400);
    expect((await server.call('ada', 'PUT', path, ping)).status).toBe(405);
    expect((await server.call('ada', 'HEAD', path)).status).toBe(405);
  });

  it('an MCP endpoint serves a client that sends neither a session nor a protocol version', async () => {
    const answer = await server.call('ada', 'POST', path, ping, ACCEPT);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('"result":{}');
  });
});

describe('sessions', () => {
  it('a session belongs to one caller and one endpoint', async () => {
    const opened = await server.call('ada', 'POST', '/api/v1/mcp', initialize, ACCEPT);
    await opened.body!.cancel();
    const id = opened.headers.get('mcp-session-id')!;
    const send = (who: string, path: string, method = 'POST') =>
      server.call(who, method, path, method === 'POST' ? ping : undefined, {
        ...ACCEPT,
        'mcp-session-id': id,
      });
    expect((await send('ada', '/api/v1/mcp')).status).toBe(200);
    for (const method of ['POST', 'GET', 'DELETE']) {
      const refused = await send('bob', '/api/v1/mcp', method);
      expect(refused.status).toBe(404);
      expect(await refused.json()).toMatchObject({ error: 'not_found', reason: 'unknown_session' });
    }
    expect((await send('ada', '/api/v1/mcp/memory')).status).toBe(404);
    expect((await send('ada', '/api/v1/mcp', 'DELETE')).status).toBe(200);
    expect((await send('ada', '/api/v1/mcp')).status).toBe(404);
    expect((await server.call('ada', 'GET', '/api/v1/mcp', undefined, ACCEPT)).status).toBe(405);
  });

  it('a session over HTTP+SSE belongs to one caller and one endpoint', async () => {
    const opened = await server.call('ada', 'GET', '/api/v1/mcp/sse');
    expect(opened.headers.get('content-type')).toBe('text/event-stream');
    expect(opened.headers.get('x-accel-buffering')).toBe('no');
    const reader = opened.body!.getReader();
    const first = new TextDecoder().decode((await reader.read()).value);
    const [, target] = /^event: endpoint\ndata: (\/api\/v1\/mcp\/sse\/message\?sessionId=[\w-]+)\n\n$/.exec(
      first,
    )!;
    expect((await server.call('bob', 'POST', target!, ping)).status).toBe(404);
    expect((await server.call('ada', 'POST', `${target}x`, ping)).status).toBe(404);
    expect((await server.call('ada', 'POST', '/api/v1/mcp/sse/message', ping)).status).toBe(400);
    expect((await server.call('ada', 'POST', target!, { no: 'message' })).status).toBe(400);
    expect((await server.call('ada', 'POST', target!, ping)).status).toBe(202);
    expect(new TextDecoder().decode((await reader.read()).value)).toContain('"result":{}');
    await reader.cancel();
  });
});

it('the scopes of a token decide which tools are listed and may be called', async () => {
  const reader = await connectClient(server, '2026-07-28', 'reader', { scopes: ['memory:read'] });
  const names = (await reader.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(['memory_corpus', 'memory_history', 'memory_recall', 'memory_inbox']);
  expect(await callTool(reader, 'memory_store', { key: 'a', value: 'b' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^insufficient_scope: /),
  });
  expect(await callTool(reader, 'http_fetch', { url: 'https://example.com' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^insufficient_scope: /),
  });
  const vault = await connectClient(server, '2026-07-28', 'reader', { scopes: ['packs:run', 'vault:read'] });
  expect((await vault.listTools()).tools.map(({ name }) => name)).toContain('vault_read');
  await expect(vault.readResource({ uri: 'helmdeck://my-memory' })).rejects.toMatchObject({ code: -32003 });
  expect((await vault.listResources()).resources[0]!.uri).toBe('helmdeck://my-memory');
  await Promise.all([reader.close(), vault.close()]);
});

describe('the memory profile', () => {
  let client: Client;
  beforeAll(async () => {
    client = await connectClient(server, '2025', 'small', { path: '/api/v1/mcp/memory' });
  });
  afterAll(() => client.close());

  it('has five tools whose input schemas take less than 4 KiB, and no tool for programs', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'memory_confirm',
      'memory_forget',
      'memory_history',
      'memory_recall',
      'memory_store',
    ]);
    const bytes = tools.reduce((sum, tool) => sum + Buffer.byteLength(JSON.stringify(tool.inputSchema)), 0);
    expect(bytes).toBeLessThan(4096);
    for (const name of ['http_fetch', 'memory_corpus'])
      await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(`no such tool: "${name}"`);
    await expect(client.callTool({ name: 'memory_recal', arguments: {} })).rejects.toThrow(
      'Did you mean memory_recall?',
    );
  });

  it('says which arguments are required, and keeps store and recall loaded in clients that load tools on demand', async () => {
    const { tools } = await client.listTools();
    const about = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
    expect(about.memory_store!.inputSchema.required).toEqual(['key', 'value']);
    expect(about.memory_forget!.inputSchema.required).toEqual(['scope']);
    expect(JSON.stringify(tools)).not.toContain('"additionalProperties":{}');
    const always = tools.filter(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true);
    expect(always.map(({ name }) => name)).toEqual(['memory_recall', 'memory_store']);
    for (const { _meta } of always) expect(_meta?.['anthropic/searchHint']).toEqual(expect.any(String));
  });

  it('a number, a list or null as models write them is understood', async () => {
    const input = { key: 'tea', value: 'The user drinks tea.', tags: 'drinks, morning', category: null };
    expect(await callTool(client, 'memory_store', input)).toMatchObject({ isError: false });
    const { structured } = await callTool(client, 'memory_recall', { query: 'tea', limit: '5' });
    expect(structured).toMatchObject({ results: [{ key: 'tea', tags: ['drinks', 'morning'] }] });
    expect(await callTool(client, 'memory_recall', { query: 'tea', limit: 'five' })).toMatchObject({
      isError: true,
    });
  });
});

it('the metrics count MCP requests by route, never by caller or session', async () => {
  const text = await (await server.call(undefined, 'GET', '/metrics')).text();
  expect(text).toContain('route="/api/v1/mcp",method="POST",status="200"');
  expect(text).not.toMatch(/\bada\b|sessionId/);
});

it('an unknown method is 404 in protocol version 2026-07-28', async () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = { jsonrpc: '2.0', id: 1, method: 'no/such', params: { _meta } };
  const headers = { ...ACCEPT, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'no/such' };
  const answer = await server.call('ada', 'POST', '/api/v1/mcp', body, headers);
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ id: 1, error: { code: -32601 } });
});

it('a caller may open 64 streams, and another one after closing one', async () => {
  const client = await connectClient(server, '2026-07-28', 'listener');
  const uri = 'helmdeck://my-memory';
  const open = await Promise.all(
    Array.from({ length: 64 }, () => client.listen({ resourceSubscriptions: [uri] })),
  );
  await expect(client.listen({ resourceSubscriptions: [uri] })).rejects.toThrow();
  const other = await connectClient(server, '2026-07-28', 'somebody');
  await (await other.listen({ resourceSubscriptions: [uri] })).close();
  await open[0]!.close();
  const canListen = () =>
    client.listen({ resourceSubscriptions: [uri] }).then(
      (one) => one.close().then(() => true),
      () => false,
    );
  await expect.poll(canListen).toBe(true);
  await Promise.all([...open.map((each) => each.close()), other.close()]);
  await client.close();
});

it('a caller above the rate limit gets rate_limited as a tool result', async () => {
  const slow = await testServer({ socket: true, env: { HELMDECK_RATE_LIMIT: '1' } });
  try {
    const client = await connectClient(slow, '2025', 'hasty');
    const stores = Array.from({ length: 6 }, (_, at) =>
      callTool(client, 'memory_store', { key: `k${at}`, value: 'v' }),
    );
    const refused = (await Promise.all(stores)).filter(({ isError }) => isError);
    expect(refused.length).toBeGreaterThan(0);
    for (const { text } of refused)
      expect(text).toMatch(/^rate_limited: .* Try again in (a second|\d+ seconds)\.$/);
    await client.close();
  } finally {
    await slow.close();
  }
});
