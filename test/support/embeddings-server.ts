import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createBuiltinEmbedder } from '../../packages/helmdeck/src/recall/vectors/builtin-embedder.ts';
import type { Embedder } from '../../packages/helmdeck/src/recall/vectors/embedder.ts';

// Ollama and its like, as far as `/v1/embeddings` goes, with the built-in model behind it and a switch for each bad day.
// On its own: `npx node test/support/embeddings-server.ts 11434`.

/** What the server does instead of answering properly. */
export type Mood =
  | 'well'
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
  /** With `/v1`. */
  readonly url: string;
  mood: Mood;
  /** How long `slow` takes. */
  slowMs: number;
  /** The `Retry-After` of `rate_limited`. */
  retryAfter: string;
  /** What was asked, newest last. */
  readonly requests: { model: string; input: string[]; authorization: string | undefined }[];
  /** A batch with such a text is answered with 400. */
  refuses: (text: string) => boolean;
  close(): Promise<void>;
}

/** Without an embedder it makes one of its own; with one it leaves it open. */
export async function startEmbeddingsServer(port = 0, embedder?: Embedder): Promise<EmbeddingsServer> {
  const model = embedder ?? createBuiltinEmbedder();
  const http = createServer((request, response) => {
    answer(request, response, self, model).catch(() => response.destroy());
  });
  await new Promise<void>((ready) => http.listen(port, '127.0.0.1', ready));
  const self: EmbeddingsServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`,
    mood: 'well',
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

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  server: EmbeddingsServer,
  model: Embedder,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (request.method !== 'POST' || request.url !== '/v1/embeddings') return send(response, 404, '{}');
  const asked = JSON.parse(Buffer.concat(chunks).toString()) as { model: string; input: string | string[] };
  const input = [asked.input].flat();
  server.requests.push({ model: asked.model, input, authorization: request.headers.authorization });
  if (server.mood === 'slow') await delay(server.slowMs);
  const bad = BAD_ANSWERS[server.mood];
  if (bad) return bad(response, server);
  if (input.some((text) => server.refuses(text))) return send(response, 400, '{"error":"no"}');
  const vectors = (await model.embed(input, 'document')).map((vector) => [...vector]);
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
  spoil(server.mood, data);
  // Nobody promises that they come in order.
  send(response, 200, JSON.stringify({ object: 'list', model: asked.model, data: data.reverse() }));
}

const BAD_ANSWERS: Partial<Record<Mood, (response: ServerResponse, server: EmbeddingsServer) => void>> = {
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

function spoil(mood: Mood, data: { index: number; embedding: (number | null)[] }[]): void {
  const first = data[0];
  if (!first) return;
  if (mood === 'wrong_count') data.push({ ...first, index: data.length });
  if (mood === 'not_a_number') first.embedding[0] = null; // what JSON makes of NaN
  if (mood === 'zeros') first.embedding.fill(0);
  if (mood === 'other_dimension') for (const item of data) item.embedding = item.embedding.slice(0, 100);
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
  console.log(`Answering ${url}/embeddings with the built-in model.`);
}
