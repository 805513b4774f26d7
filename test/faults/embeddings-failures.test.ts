import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBuiltinEmbedder } from '../../packages/helmdeck/src/recall/vectors/builtin-model/builtin-embedder.ts';
import { createEmbedQueue, type EmbedQueue } from '../../packages/helmdeck/src/recall/vectors/embed-queue.ts';
import { createOpenAiEmbedder } from '../../packages/helmdeck/src/recall/vectors/openai-embedder.ts';
import { quantise } from '../../packages/helmdeck/src/recall/vectors/quantised.ts';
import { createQueryVectors } from '../../packages/helmdeck/src/recall/vectors/query-vector.ts';
import { createVectorTable } from '../../packages/helmdeck/src/recall/vectors/vector-table.ts';
import {
  type EmbeddingsServer,
  type FailureMode,
  startEmbeddingsServer,
} from '../support/embeddings-server.ts';

// Embed queue, query vectors and vector table over a real socket with the real model, while the endpoint fails.

const FACTS = [
  'Releases go out through the deployment pipeline, never by hand',
  'The team meets on Tuesdays at ten',
  'Her cat is called Minka and sleeps on the sofa',
  'Invoices are paid within thirty days',
];

const model = createBuiltinEmbedder();
let server: EmbeddingsServer;
let queue: EmbedQueue;
let saved: Map<string, Float32Array>;
let onPause: () => void;

const makeEmbedder = () =>
  createOpenAiEmbedder({
    baseUrl: server.url,
    model: 'all-minilm',
    fetch: globalThis.fetch,
    now: Date.now,
  });

beforeAll(async () => {
  server = await startEmbeddingsServer(0, model);
});
afterAll(async () => {
  await server.close();
  await model.close();
});
beforeEach(() => {
  Object.assign(server, { failureMode: 'none', refuses: () => false });
  saved = new Map();
  onPause = () => {};
});
afterEach(() => queue?.close());

function start(): void {
  queue = createEmbedQueue({
    embedder: makeEmbedder(),
    save: async (id, vector) => void saved.set(id, vector),
    log: { info() {}, warn() {} },
    now: Date.now,
    delay: async () => onPause(),
  });
  for (const [slot, text] of FACTS.entries()) queue.add({ id: `${slot}`, text });
}

describe('the embed queue', () => {
  it.each<FailureMode>([
    'down',
    'broken',
    'rate_limited',
    'refusing',
    'redirecting',
    'rubbish',
    'wrong_count',
    'not_a_number',
    'zeros',
  ])('all facts get their vectors once an endpoint that failed with "%s" recovers', async (failureMode) => {
    server.failureMode = failureMode;
    let pauses = 0;
    onPause = () => {
      if (++pauses === 3) server.failureMode = 'none';
    };
    start();
    await queue.drained();
    expect([...saved.keys()].sort()).toEqual(['0', '1', '2', '3']);
    expect(queue.status()).toMatchObject({ state: 'idle', waiting: 0, done: 4, failed: 0 });
  });

  it('if the endpoint rejects one text, the other facts get their vectors', async () => {
    server.refuses = (text) => text.includes('Minka');
    start();
    await queue.drained();
    expect([...saved.keys()].sort()).toEqual(['0', '1', '3']);
    expect(queue.status()).toMatchObject({ done: 3, failed: 1, lastError: { kind: 'refused' } });
    expect(JSON.stringify(queue.status())).not.toContain('Minka');
  });
});

describe('query vectors', () => {
  it('a search finds facts without a common word, and is degraded while the endpoint is down', async () => {
    start();
    await queue.drained();
    const table = createVectorTable(384);
    for (const [id, vector] of saved) table.set(Number(id), quantise(vector));
    let nowMs = 0;
    const queries = createQueryVectors({ embedder: makeEmbedder(), now: () => nowMs, budgetMs: 30_000 });
    const vector = await queries.of('how do we ship to production?', 'anna');
    expect(table.nearest(vector as Float32Array, 1).slots[0]).toBe(0);

    server.failureMode = 'down';
    for (const query of ['a', 'b', 'c', 'd', 'e']) expect(await queries.of(query, 'anna')).toBe('degraded');
    server.failureMode = 'none';
    expect(await queries.of('pets', 'anna')).toBe('degraded');
    nowMs = 10_000;
    expect(table.nearest((await queries.of('pets', 'anna')) as Float32Array, 1).slots[0]).toBe(2);

    server.failureMode = 'other_dimension';
    expect(await queries.of('bills', 'anna')).toBe('degraded');
  });
});
