import { BUILTIN_MODEL } from '../../recall/vectors/builtin-embedder.ts';

/** Where vectors come from. */
export type EmbeddingsSetting =
  | { provider: 'builtin' }
  | { provider: 'openai'; baseUrl: string; model: string; apiKey?: string };

export interface EmbeddingsVariables {
  url?: string;
  model?: string;
  apiKey?: string;
}

const MAX_MODEL_LENGTH = 200;

/** The setting; undefined when there is none; a sentence that begins with the name of the variable when one is wrong. */
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
    return 'EMBEDDINGS_URL must not hold a name or a password; set HELMDECK_EMBEDDINGS_API_KEY.';
  if (hash) return 'EMBEDDINGS_URL must not hold a "#".';
  if (model === undefined)
    return 'EMBEDDINGS_MODEL must name the model of HELMDECK_EMBEDDINGS_URL, for example nomic-embed-text.';
  if (model.length > MAX_MODEL_LENGTH || /[\p{Cc}\p{Cs}]/u.test(model))
    return `EMBEDDINGS_MODEL must be a name of at most ${MAX_MODEL_LENGTH} printable characters.`;
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
    return 'EMBEDDINGS_API_KEY holds a character that cannot be in a key.';
  return { provider: 'openai', baseUrl: url.replace(/\/+$/, ''), model, apiKey };
}
