import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/test-server.ts';

/** A Helmdeck behind a proxy that records the MCP methods called and can be taken down. */
export interface RecordedServer {
  url: string;
  helmdeck: TestServer;
  /** `POST /api/v1/mcp initialize` and the like, oldest first. */
  calls: string[];
  /** Closes Helmdeck and starts it again, on the same database. */
  restart(): Promise<void>;
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

export async function startRecordedServer(env: Record<string, string> = {}): Promise<RecordedServer> {
  let helmdeck = await testServer({ socket: true, env });
  const calls: string[] = [];
  const proxy = createServer((incoming, outgoing) => {
    forward(helmdeck.url, calls, incoming, outgoing).catch(() => outgoing.destroy());
  });
  const listen = (port: number) => new Promise<void>((ready) => proxy.listen(port, '127.0.0.1', ready));
  await listen(0);
  const { port } = proxy.address() as AddressInfo;
  const goDown = async () => {
    proxy.closeAllConnections();
    await new Promise((closed) => proxy.close(closed));
  };
  return {
    url: `http://127.0.0.1:${port}`,
    get helmdeck() {
      return helmdeck;
    },
    calls,
    async restart() {
      await helmdeck.close();
      helmdeck = await testServer({ socket: true, env });
    },
    goDown,
    comeBack: () => listen(port),
    async close() {
      if (proxy.listening) await goDown();
      await helmdeck.close();
    },
  };
}

async function forward(to: string, calls: string[], incoming: IncomingMessage, outgoing: ServerResponse) {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const path = new URL(incoming.url ?? '/', to).pathname;
  calls.push([incoming.method, path, rpcMethod(body)].filter(Boolean).join(' '));
  const { method, headers, url } = incoming;
  const upstream = request(to + url, { method, headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.on('error', () => outgoing.destroy());
    response.pipe(outgoing);
  });
  upstream.on('error', () => outgoing.destroy());
  outgoing.on('close', () => upstream.destroy());
  upstream.end(body);
}

function rpcMethod(body: Buffer): string | undefined {
  try {
    return (JSON.parse(body.toString('utf8')) as { method?: string }).method;
  } catch {
    return undefined;
  }
}
