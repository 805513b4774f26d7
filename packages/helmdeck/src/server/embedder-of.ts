import { createBuiltinEmbedder } from '../recall/vectors/builtin-embedder.ts';
import type { Embedder } from '../recall/vectors/embedder.ts';
import { createOpenAiEmbedder } from '../recall/vectors/openai-embedder.ts';
import type { Config } from './config/config.ts';

export interface EmbedderParts {
  fetch: typeof globalThis.fetch;
  now: () => number;
}

/** The configured embedder; undefined when search goes by words alone. Neither connects nor loads anything yet. */
export function embedderOf(
  { embeddings }: Pick<Config, 'embeddings'>,
  parts: EmbedderParts,
): Embedder | undefined {
  if (!embeddings) return undefined;
  if (embeddings.provider === 'builtin') return createBuiltinEmbedder();
  const { baseUrl, model, apiKey } = embeddings;
  return createOpenAiEmbedder({ baseUrl, model, apiKey, ...parts });
}
