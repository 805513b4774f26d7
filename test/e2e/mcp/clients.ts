import {
  Client,
  type ClientOptions,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { TestServer } from '../../../packages/helmdeck/src/testing/test-server.ts';

/** What a client can speak: both versions of Streamable HTTP, and the older HTTP+SSE transport. */
export const PROTOCOLS = ['2026-07-28', '2025', 'sse'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export interface ConnectOptions extends ClientOptions {
  path?: string;
  scopes?: readonly string[];
  tenant?: string;
  token?: string;
}

/** A client of the official SDK, connected over a real socket. */
export async function connectClient(
  server: TestServer,
  protocol: Protocol,
  subject: string,
  options: ConnectOptions = {},
): Promise<Client> {
  const {
    path = protocol === 'sse' ? '/api/v1/mcp/sse' : '/api/v1/mcp',
    scopes,
    tenant,
    token,
    ...rest
  } = options;
  const bearer = token ?? (await server.token(subject, { scopes, tenant, client: 'sdk' }));
  const requestInit = { headers: { authorization: `Bearer ${bearer}` } };
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      ...(protocol === '2026-07-28' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}),
      ...rest,
    },
  );
  const url = new URL(server.url + path);
  if (protocol === 'sse') {
    await client.connect(new SSEClientTransport(url, { requestInit }));
    return client;
  }
  // Clients of the older protocol open their notification stream after connecting, without waiting for it.
  const listening = Promise.withResolvers<void>();
  const observedFetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method === 'GET') listening.resolve();
    return response;
  };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit, fetch: observedFetch }));
  if (protocol === '2025') await listening.promise;
  return client;
}

/** Calls a tool; a failure is one line of text. */
export async function callTool(client: Client, name: string, input: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: input });
  const [block] = result.content as { type: string; text: string }[];
  return {
    isError: result.isError === true,
    text: block!.text,
    structured: result.structuredContent as Record<string, never>,
  };
}

export async function readJson(client: Client, uri: string): Promise<Record<string, unknown>> {
  const { contents } = await client.readResource({ uri });
  return JSON.parse((contents[0] as { text: string }).text) as Record<string, unknown>;
}

/** Polls until the condition holds; the default timeout allows for a busy machine. */
export async function until(holds: () => boolean, ms = 60_000): Promise<void> {
  const endMs = Date.now() + ms;
  while (!holds()) {
    if (Date.now() > endMs) throw new Error('the condition did not hold within the timeout');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
