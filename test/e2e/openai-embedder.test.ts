import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Embedder,
  EmbeddingError,
  unitVector,
} from '../../packages/helmdeck/src/recall/vectors/embedder.ts';
import { readEmbeddings } from '../../packages/helmdeck/src/recall/vectors/embeddings-response.ts';
import { prefixesOf } from '../../packages/helmdeck/src/recall/vectors/model-prefixes.ts';
import {
  createOpenAiEmbedder,
  type OpenAiEmbedderOptions,
} from '../../packages/helmdeck/src/recall/vectors/openai-embedder.ts';
import {
  type EmbeddingsServer,
  type FailureMode,
  startEmbeddingsServer,
} from '../support/embeddings-server.ts';
import { freePort } from '../support/services/free-port.ts';

/** Vectors that are fast to compute and distinguish texts; the real model has its own tests. */
const letters: Embedder = {
  id: 'test:letters',
  embed: async (texts) =>
    texts.map((text) => {
      const counts = new Float32Array(384);
      for (const letter of text) counts[letter.codePointAt(0)! % 384]! += 1;
      return unitVector(counts)!;
    }),
  close: async () => {},
};

const KEY = 'sk-very-secret';
const TEXT = 'something private';
let server: EmbeddingsServer;
beforeAll(async () => {
  server = await startEmbeddingsServer(0, letters);
});
afterAll(() => server.close());
beforeEach(() => {
  server.failureMode = 'none';
  server.requests.length = 0;
});

const make = (more: Partial<OpenAiEmbedderOptions> = {}) =>
  createOpenAiEmbedder({ baseUrl: server.url, model: 'm', fetch: globalThis.fetch, now: () => 0, ...more });

const failure = async (promise: Promise<unknown>): Promise<EmbeddingError> => {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(EmbeddingError);
  return thrown as EmbeddingError;
};

describe('createOpenAiEmbedder', () => {
  it('the embedder returns the vectors in the order of the texts, in batches of at most 64', async () => {
    const texts = Array.from({ length: 150 }, (_, i) => `text number ${i} ${'x'.repeat(i + 1)}`);
    const vectors = await make().embed(texts, 'document');
    const expected = await letters.embed(texts, 'document');
    for (const [at, vector] of vectors.entries())
      expect(vector.reduce((sum, x, i) => sum + x * expected[at]![i]!, 0)).toBeCloseTo(1, 5);
    expect(server.requests.every(({ input }) => input.length <= 64)).toBe(true);
    expect(await make().embed([], 'query')).toEqual([]);
  });

  it('the embedder has an id of provider and model, and sends the API key only if there is one', async () => {
    const embedder = make({ model: 'some-model', apiKey: KEY, baseUrl: `${server.url}/` });
    expect(embedder.id).toBe('openai:some-model');
    await embedder.embed(['a'], 'query');
    await make().embed(['a'], 'query');
    expect(server.requests).toEqual([
      { model: 'some-model', input: ['a'], authorization: `Bearer ${KEY}` },
      { model: 'm', input: ['a'], authorization: undefined },
    ]);
  });

  it('the embedder truncates long texts, replaces empty ones, and limits the size of a batch', async () => {
    const embedder = make();
    const long = `${'x'.repeat(7_999)}😀tail`;
    await embedder.embed([long, '', ' \n', '\ud800'], 'document');
    expect(server.requests[0]!.input).toEqual(['x'.repeat(7_999), '-', '-', '\ufffd']);
    await embedder.embed(new Array<string>(40).fill('y'.repeat(8_000)), 'document');
    const sizes = server.requests.map(({ input }) => input.join('').length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100_000);
  });

  it.each([
    ['nomic-embed-text', 'search_query: a', 'search_document: a'],
    ['nomic-ai/nomic-embed-text-v1.5:latest', 'search_query: a', 'search_document: a'],
    ['intfloat/multilingual-e5-large', 'query: a', 'passage: a'],
    ['multilingual-e5-large-instruct', 'a', 'a'],
    ['mxbai-embed-large', 'Represent this sentence for searching relevant passages: a', 'a'],
    ['text-embedding-3-small', 'a', 'a'],
  ])('the embedder adds the prefixes that %s was trained with', async (model, query, document) => {
    const embedder = make({ model });
    await embedder.embed(['a'], 'query');
    await embedder.embed(['a'], 'document');
    expect(server.requests.flatMap(({ input }) => input)).toEqual([query, document]);
    expect(`${prefixesOf(model).query}a`).toBe(query);
  });
});

describe('failures of the endpoint', () => {
  it.each<[FailureMode, EmbeddingError['kind']]>([
    ['down', 'unreachable'],
    ['broken', 'unreachable'],
    ['rate_limited', 'rate_limited'],
    ['refusing', 'refused'],
    ['redirecting', 'refused'],
    ['rubbish', 'rubbish'],
    ['wrong_count', 'rubbish'],
    ['not_a_number', 'rubbish'],
    ['zeros', 'rubbish'],
    ['endless', 'rubbish'],
    ['slow', 'timeout'],
  ])('failure "%s" becomes an error "%s" without the text and the API key', async (failureMode, kind) => {
    server.failureMode = failureMode;
    const error = await failure(
      make({ apiKey: KEY, timeoutMs: { document: failureMode === 'slow' ? 50 : 20_000 } }).embed(
        [TEXT, 'b'],
        'document',
      ),
    );
    expect(error.kind).toBe(kind);
    const shown = JSON.stringify([error.message, error.fix, error.stack, error.cause, String(error)]);
    expect(shown).not.toContain(KEY);
    expect(shown).not.toContain(TEXT);
  });

  it('an endpoint that refuses the connection is unreachable', async () => {
    const embedder = make({ baseUrl: `http://127.0.0.1:${await freePort()}/v1` });
    expect((await failure(embedder.embed(['a'], 'query'))).kind).toBe('unreachable');
  });

  it('a base URL without /v1 is refused, with a fix that names /v1', async () => {
    const error = await failure(make({ baseUrl: server.url.replace('/v1', '') }).embed(['a'], 'query'));
    expect(error).toMatchObject({ kind: 'refused', fix: expect.stringContaining('/v1') });
  });

  it.each([
    ['7', 7_000],
    ['Thu, 01 Jan 1970 00:01:00 GMT', 60_000],
    ['999999', 3_600_000],
    ['soon', undefined],
  ])('Retry-After: %s becomes a retry delay of %s ms', async (retryAfter, expected) => {
    Object.assign(server, { failureMode: 'rate_limited', retryAfter });
    expect((await failure(make().embed(['a'], 'query'))).retryAfterMs).toBe(expected);
  });

  it('the embedder rejects vectors of another dimension than the first one', async () => {
    const embedder = make();
    await embedder.embed(['a'], 'query');
    server.failureMode = 'other_dimension';
    expect((await failure(embedder.embed(['a'], 'query'))).kind).toBe('rubbish');
    server.failureMode = 'none';
    expect(await embedder.embed(['a'], 'query')).toHaveLength(1);
  });

  it('a running request ends when it is cancelled or the embedder is closed', async () => {
    Object.assign(server, { failureMode: 'slow', slowMs: 60_000 });
    const abort = new AbortController();
    const embedder = make();
    const both = [
      failure(embedder.embed(['a'], 'query', abort.signal)),
      failure(embedder.embed(['b'], 'query')),
    ];
    abort.abort();
    expect((await both[0]!).kind).toBe('timeout');
    await embedder.close();
    expect((await both[1]!).kind).toBe('timeout');
  });
});

describe('readEmbeddings', () => {
  const vector = (embedding: unknown, index?: unknown) => ({ embedding, index });
  const read = (data: unknown, count = 2) => readEmbeddings(JSON.stringify({ data }), count);

  it('a response is sorted by its indexes, or taken in order without them', () => {
    const [x, y] = [Float32Array.of(1, 0), Float32Array.of(0, 1)];
    expect(read([vector([0, 2], 1), vector([5, 0], 0)])).toEqual([x, y]);
    expect(read([vector([5, 0]), vector([0, 2])])).toEqual([x, y]);
  });

  it.each([
    ['a repeated index', [vector([1], 0), vector([1], 0)]],
    ['an index out of range', [vector([1], 0), vector([1], 2)]],
    ['an index that is not a number', [vector([1], 0), vector([1], '1')]],
    ['different dimensions', [vector([1], 0), vector([1, 2], 1)]],
    ['an empty vector', [vector([], 0), vector([], 1)]],
    ['strings instead of numbers', [vector(['1'], 0), vector([1], 1)]],
    ['numbers that overflow', [vector([1e308, 1e308], 0), vector([1, 1], 1)]],
    ['a string instead of a vector', [vector('AAAA', 0), vector([1], 1)]],
    ['null instead of a vector', [null, vector([1], 1)]],
    ['no data', undefined],
  ])('a response with %s is rejected', (_name, data) => {
    expect(() => read(data)).toThrow(EmbeddingError);
  });
});
