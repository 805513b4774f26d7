import {
  Client,
  type ClientOptions,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { TestServer } from '../../../packages/helmdeck/src/testing/test-server.ts';

/** The ways a client reaches the server: both eras of Streamable HTTP, and the transport before it. */
export const WAYS = ['2026-07-28', '2025', 'sse'] as const;
export type Way = (typeof WAYS)[number];

export interface ConnectOptions extends ClientOptions {
  path?: string;
  scopes?: readonly string[];
  tenant?: string;
  token?: string;
}

/** An official client, connected over a real socket. */
export async function connectClient(
  server: TestServer,
  way: Way,
  subject: string,
  options: ConnectOptions = {},
): Promise<Client> {
  const {
    path = way === 'sse' ? '/api/v1/mcp/sse' : '/api/v1/mcp',
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
      ...(way === '2026-07-28' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}),
      ...rest,
    },
  );
  const url = new URL(server.url + path);
  if (way === 'sse') {
    await client.connect(new SSEClientTransport(url, { requestInit }));
    return client;
  }
  // Clients of the older protocol open their stream for notifications after they are connected, and wait for nothing.
  const listening = Promise.withResolvers<void>();
  const noticing: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method === 'GET') listening.resolve();
    return response;
  };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit, fetch: noticing }));
  if (way === '2025') await listening.promise;
  return client;
}

/** What a tool answered, as a program reads it. */
export async function callTool(client: Client, name: string, input: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: input });
  const [block] = result.content as { type: string; text: string }[];
  const json = JSON.parse(block!.text) as Record<string, unknown>;
  return {
    isError: result.isError === true,
    json,
    structured: result.structuredContent as Record<string, never>,
  };
}

export async function readJson(client: Client, uri: string): Promise<Record<string, unknown>> {
  const { contents } = await client.readResource({ uri });
  return JSON.parse((contents[0] as { text: string }).text) as Record<string, unknown>;
}

/** Waits until something holds, for as long as a busy machine may need. */
export async function until(holds: () => boolean, ms = 20_000): Promise<void> {
  const endMs = Date.now() + ms;
  while (!holds()) {
    if (Date.now() > endMs) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
