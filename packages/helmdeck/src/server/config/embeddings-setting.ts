import { BUILTIN_MODEL } from '../../recall/vectors/builtin-model/builtin-embedder.ts';

/** The source of embedding vectors: the built-in model or an OpenAI-compatible endpoint. */
export type EmbeddingsSetting =
  | { provider: 'builtin' }
  | { provider: 'openai'; baseUrl: string; model: string; apiKey?: string };

export interface EmbeddingsVariables {
  url?: string;
  model?: string;
  apiKey?: string;
}

const MAX_MODEL_LENGTH = 200;

/** Validates the HELMDECK_EMBEDDINGS_* variables; undefined if unset, an error message that begins with the variable's name if invalid. */
export function readEmbeddingsSetting({
  url,
  model,
  apiKey,
}: EmbeddingsVariables): EmbeddingsSetting | string | undefined {
  if (url === undefined) return undefined;
  if (url === 'builtin') {
    if (model === undefined || model === BUILTIN_MODEL) return { provider: 'builtin' };
    return `EMBEDDINGS_MODEL can only be ${BUILTIN_MODEL} when HELMDECK_EMBEDDINGS_URL is builtin.`;
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return 'EMBEDDINGS_URL must be builtin, or an http or https URL such as http://127.0.0.1:11434/v1.';
  const { username, password, hash } = new URL(url);
  if (username || password)
    return 'EMBEDDINGS_URL must not contain a user name or a password; set HELMDECK_EMBEDDINGS_API_KEY.';
  if (hash) return 'EMBEDDINGS_URL must not contain a "#".';
  if (model === undefined)
    return 'EMBEDDINGS_MODEL must name the model of HELMDECK_EMBEDDINGS_URL, for example nomic-embed-text.';
  if (model.length > MAX_MODEL_LENGTH || /[\p{Cc}\p{Cs}]/u.test(model))
    return `EMBEDDINGS_MODEL must be a name of at most ${MAX_MODEL_LENGTH} printable characters.`;
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
    return 'EMBEDDINGS_API_KEY contains a character that is not allowed in an API key.';
  return { provider: 'openai', baseUrl: url.replace(/\/+$/, ''), model, apiKey };
}
