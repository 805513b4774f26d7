import { createBuiltinEmbedder } from '../recall/vectors/builtin-model/builtin-embedder.ts';
import type { Embedder } from '../recall/vectors/embedder.ts';
import { createOpenAiEmbedder } from '../recall/vectors/openai-embedder.ts';
import type { Config } from './config/config.ts';

export interface EmbedderDeps {
  fetch: typeof globalThis.fetch;
  now: () => number;
}

/** Creates the configured embedder, without connecting or loading a model; undefined if search goes by words alone. */
export function createEmbedder(
  { embeddings }: Pick<Config, 'embeddings'>,
  parts: EmbedderDeps,
): Embedder | undefined {
  if (!embeddings) return undefined;
  if (embeddings.provider === 'builtin') return createBuiltinEmbedder();
  const { baseUrl, model, apiKey } = embeddings;
  return createOpenAiEmbedder({ baseUrl, model, apiKey, ...parts });
}
