import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createBuiltinEmbedder } from '../../packages/helmdeck/src/recall/vectors/builtin-model/builtin-embedder.ts';
import type { Embedder } from '../../packages/helmdeck/src/recall/vectors/embedder.ts';

// A fake of Ollama's `/v1/embeddings` endpoint, backed by the built-in model, with a switch for each kind of failure.
// To run it alone: `npx node test/support/embeddings-server.ts 11434`.

/** How the server fails, if at all. */
export type FailureMode =
  | 'none'
  | 'down'
  | 'slow'
  | 'rate_limited'
  | 'broken'
  | 'refusing'
  | 'redirecting'
  | 'rubbish'
  | 'wrong_count'
  | 'not_a_number'
  | 'zeros'
  | 'other_dimension'
  | 'endless';

export interface EmbeddingsServer {
  /** The base URL, with `/v1`. */
  readonly url: string;
  failureMode: FailureMode;
  /** The delay of `slow`. */
  slowMs: number;
  /** The `Retry-After` of `rate_limited`. */
  retryAfter: string;
  /** The requests received, newest last. */
  readonly requests: { model: string; input: string[]; authorization: string | undefined }[];
  /** A request with such a text fails with status 400. */
  refuses: (text: string) => boolean;
  close(): Promise<void>;
}

/** Starts the server with an embedder, or with one of its own that `close` closes. */
export async function startEmbeddingsServer(port = 0, embedder?: Embedder): Promise<EmbeddingsServer> {
  const model = embedder ?? createBuiltinEmbedder();
  const http = createServer((request, response) => {
    respond(request, response, self, model).catch(() => response.destroy());
  });
  await new Promise<void>((ready) => http.listen(port, '127.0.0.1', ready));
  const self: EmbeddingsServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`,
    failureMode: 'none',
    slowMs: 1_000,
    retryAfter: '1',
    requests: [],
    refuses: () => false,
    async close() {
      http.closeAllConnections();
      await new Promise((closed) => http.close(closed));
      if (!embedder) await model.close();
    },
  };
  return self;
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  server: EmbeddingsServer,
  model: Embedder,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (request.method !== 'POST' || request.url !== '/v1/embeddings') return send(response, 404, '{}');
  const body = JSON.parse(Buffer.concat(chunks).toString()) as { model: string; input: string | string[] };
  const input = [body.input].flat();
  server.requests.push({ model: body.model, input, authorization: request.headers.authorization });
  if (server.failureMode === 'slow') await delay(server.slowMs);
  const fail = FAILURES[server.failureMode];
  if (fail) return fail(response, server);
  if (input.some((text) => server.refuses(text))) return send(response, 400, '{"error":"no"}');
  const vectors = (await model.embed(input, 'document')).map((vector) => [...vector]);
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
  corrupt(server.failureMode, data);
  // Reversed, because the API does not guarantee the order.
  send(response, 200, JSON.stringify({ object: 'list', model: body.model, data: data.reverse() }));
}

const FAILURES: Partial<Record<FailureMode, (response: ServerResponse, server: EmbeddingsServer) => void>> = {
  down: (response) => response.destroy(),
  rate_limited: (response, { retryAfter }) =>
    send(response, 429, '{"error":"slow down"}', { 'retry-after': retryAfter }),
  broken: (response) => send(response, 500, '{"error":"out of memory"}'),
  refusing: (response) => send(response, 401, '{"error":"who are you?"}'),
  redirecting: (response) => send(response, 307, '', { location: 'http://127.0.0.1:1/v1/embeddings' }),
  rubbish: (response) => send(response, 200, '<html>It works!</html>'),
  endless: (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      while (!response.destroyed && response.write(' '.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  },
};

function corrupt(failureMode: FailureMode, data: { index: number; embedding: (number | null)[] }[]): void {
  const first = data[0];
  if (!first) return;
  if (failureMode === 'wrong_count') data.push({ ...first, index: data.length });
  if (failureMode === 'not_a_number') first.embedding[0] = null; // how JSON encodes NaN
  if (failureMode === 'zeros') first.embedding.fill(0);
  if (failureMode === 'other_dimension')
    for (const item of data) item.embedding = item.embedding.slice(0, 100);
}

function send(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

if (process.argv[1] === import.meta.filename) {
  const { url } = await startEmbeddingsServer(Number(process.argv[2] ?? 11_434));
  console.log(`Serving ${url}/embeddings with the built-in model.`);
}
