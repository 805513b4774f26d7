import { type Embedder, toEmbeddingError } from '../../recall/vectors/embedder.ts';
import { MAX_QUERY_BUDGET_MS } from '../../recall/vectors/query-vector.ts';
import type { Check } from '../../surfaces/cli/deps.ts';
import { type Config, isLoopback } from '../config/config.ts';
import { createEmbedder, type EmbedderDeps } from '../create-embedder.ts';
import { fail, ok, warn } from './check-result.ts';

// Checks that the configured embeddings work, fast enough and over a secure transport.

const NAME = 'Embeddings';
/** Sent to the endpoint as a test; contains nothing of any fact. */
const SAMPLE_TEXT = 'Is anybody there?';
const TIMEOUT_MS = 30_000;

/** Embeds one sentence, as a search would, and measures how long that takes. */
export async function checkEmbeddings(config: Config, parts: EmbedderDeps): Promise<Check[]> {
  const embedder = createEmbedder(config, parts);
  if (!embedder) return [ok(NAME, 'None: search goes by words alone.')];
  try {
    return [...checkTransport(config), await checkResponse(embedder, parts.now)];
  } finally {
    await embedder.close();
  }
}

async function checkResponse(embedder: Embedder, now: () => number): Promise<Check> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    await embedder.embed([SAMPLE_TEXT], 'query', signal); // the first call loads the model
    const startMs = now();
    const [vector] = await embedder.embed([SAMPLE_TEXT], 'query', signal);
    const tookMs = Math.round(now() - startMs);
    const message = `${embedder.id} answers with ${vector!.length} dimensions in ${tookMs} ms.`;
    if (tookMs <= MAX_QUERY_BUDGET_MS) return ok(NAME, message);
    const fix = `Searches wait ${MAX_QUERY_BUDGET_MS} ms at most and then go by words alone: use a faster endpoint or a smaller model.`;
    return warn(NAME, message, fix);
  } catch (thrown) {
    const { message, fix } = toEmbeddingError(thrown);
    return fail(
      NAME,
      `${embedder.id}: ${message}`,
      fix ?? 'Try again; until it works, searches go by words alone.',
    );
  }
}

function checkTransport({ embeddings }: Config): Check[] {
  if (embeddings?.provider !== 'openai') return [];
  const { protocol, hostname } = new URL(embeddings.baseUrl);
  if (protocol === 'https:' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'))) return [];
  return [
    warn(
      NAME,
      'The text of facts, and the API key if set, is sent to another machine unencrypted.',
      'Use an https URL in HELMDECK_EMBEDDINGS_URL, unless you trust the network in between.',
    ),
  ];
}
