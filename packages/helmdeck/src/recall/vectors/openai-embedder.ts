import { cutText, type Embedder, EmbeddingError, type EmbeddingPurpose } from './embedder.ts';
import { errorFromResponse } from './embeddings-error.ts';
import { readBody, readEmbeddings } from './embeddings-response.ts';
import { prefixesOf } from './model-prefixes.ts';

export interface OpenAiEmbedderOptions {
  /** With `/v1`, as in `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  model: string;
  apiKey?: string;
  fetch: typeof globalThis.fetch;
  now: () => number;
  /** Timeout of one request; a search stops waiting for its query vector long before. */
  timeoutMs?: Partial<Record<EmbeddingPurpose, number>>;
}

const TIMEOUT_MS = { query: 10_000, document: 60_000 };
/** Longer texts are cut: no model reads more, and some reject them. */
const MAX_TEXT_UNITS = 8_000;
const MAX_BATCH_TEXTS = 64;
const MAX_BATCH_UNITS = 100_000;
/** Keeps a response below a megabyte, because it is parsed on the main thread: a few milliseconds. */
const MAX_BATCH_NUMBERS = 32_768;
/** The size of the first batch, before the dimensions are known. */
const FIRST_BATCH_TEXTS = 8;
const MAX_RESPONSE_BYTES = 16 * 1_048_576;

/** Embeds through any OpenAI-compatible endpoint: Ollama, llama.cpp, vLLM, LM Studio, OpenAI itself. */
export function createOpenAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  const { model } = options;
  const prefixes = prefixesOf(model);
  const closing = new AbortController();
  let dimensions: number | undefined;

  async function embedBatch(
    texts: string[],
    purpose: EmbeddingPurpose,
    signal?: AbortSignal,
  ): Promise<Float32Array[]> {
    const timeout = AbortSignal.timeout(options.timeoutMs?.[purpose] ?? TIMEOUT_MS[purpose]);
    const signals = [timeout, closing.signal, ...(signal ? [signal] : [])];
    const input = texts.map((text) => prefixes[purpose] + text);
    const vectors = readEmbeddings(
      await post(options, { model, input }, AbortSignal.any(signals)),
      texts.length,
    );
    dimensions ??= vectors[0]!.length;
    if (vectors[0]!.length !== dimensions)
      throw new EmbeddingError(
        'rubbish',
        `The embeddings endpoint returned ${vectors[0]!.length} dimensions, but ${dimensions} before.`,
        { fix: 'Restart Helmdeck, if the model was changed on purpose.' },
      );
    return vectors;
  }

  return {
    id: `openai:${model}`,
    async embed(texts, purpose, signal) {
      const vectors: Float32Array[] = [];
      while (vectors.length < texts.length)
        vectors.push(...(await embedBatch(nextBatch(texts, vectors.length, dimensions), purpose, signal)));
      return vectors;
    },
    async close() {
      closing.abort();
    },
  };
}

function nextBatch(texts: readonly string[], start: number, dimensions: number | undefined): string[] {
  const maxTexts = dimensions
    ? Math.min(MAX_BATCH_TEXTS, Math.max(1, Math.floor(MAX_BATCH_NUMBERS / dimensions)))
    : FIRST_BATCH_TEXTS;
  const batch: string[] = [];
  let units = 0;
  for (let at = start; at < texts.length && batch.length < maxTexts; at++) {
    // Some endpoints reject a batch with an empty text.
    const text = cutText(texts[at]!, MAX_TEXT_UNITS).trim() || '-';
    units += text.length;
    if (batch.length > 0 && units > MAX_BATCH_UNITS) break;
    batch.push(text);
  }
  return batch;
}

async function post(options: OpenAiEmbedderOptions, body: object, signal: AbortSignal): Promise<string> {
  const { baseUrl, apiKey, fetch, now } = options;
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/embeddings`;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
      },
      body: JSON.stringify(body),
      // A redirect would send texts and key to a host that was not configured.
      redirect: 'manual',
      signal,
    });
    if (response.ok) return await readBody(response, MAX_RESPONSE_BYTES);
    await response.body?.cancel();
    throw errorFromResponse(response, now());
  } catch (thrown) {
    if (thrown instanceof EmbeddingError) throw thrown;
    if (signal.aborted)
      throw new EmbeddingError('timeout', 'The embeddings endpoint did not answer in time.', {
        fix: 'Check whether it is overloaded, or use a smaller model.',
      });
    // Without the original message and cause: both may contain the URL with its credentials.
    throw new EmbeddingError('unreachable', 'The embeddings endpoint cannot be reached.', {
      fix: 'Check HELMDECK_EMBEDDINGS_URL and whether the endpoint runs.',
    });
  }
}
