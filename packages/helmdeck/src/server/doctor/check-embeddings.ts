import { type Embedder, toEmbeddingError } from '../../recall/vectors/embedder.ts';
import type { Check } from '../../surfaces/cli/deps.ts';
import { type Config, isLoopback } from '../config/config.ts';
import { type EmbedderParts, embedderOf } from '../embedder-of.ts';
import { fail, ok, warn } from './check-result.ts';

const NAME = 'Embeddings';
/** Nobody's fact: what is sent to see whether the endpoint answers. */
const SAMPLE = 'Is anybody there?';
const PATIENCE_MS = 30_000;
/** What a search waits for the vector of its query. */
const QUERY_BUDGET_MS = 300;

/** Has one sentence embedded, as a search would. */
export async function checkEmbeddings(config: Config, parts: EmbedderParts): Promise<Check[]> {
  const embedder = embedderOf(config, parts);
  if (!embedder) return [ok(NAME, 'None: search goes by words alone.')];
  try {
    return [...checkTransport(config), await checkAnswer(embedder, parts.now)];
  } finally {
    await embedder.close();
  }
}

async function checkAnswer(embedder: Embedder, now: () => number): Promise<Check> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    await embedder.embed([SAMPLE], 'query', signal); // the first one loads the model
    const startMs = now();
    const [vector] = await embedder.embed([SAMPLE], 'query', signal);
    const tookMs = Math.round(now() - startMs);
    const message = `${embedder.id} answers with ${vector!.length} dimensions in ${tookMs} ms.`;
    if (tookMs <= QUERY_BUDGET_MS) return ok(NAME, message);
    const fix = `Searches wait ${QUERY_BUDGET_MS} ms and then go by words alone: use a nearer endpoint or a smaller model.`;
    return warn(NAME, message, fix);
  } catch (thrown) {
    const { message, fix } = toEmbeddingError(thrown);
    return fail(
      NAME,
      `${embedder.id}: ${message}`,
      fix ?? 'Try again; searches go by words alone meanwhile.',
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
      'The text of facts, and the key if there is one, goes to another machine unencrypted.',
      'Use an https URL in HELMDECK_EMBEDDINGS_URL, unless the network between is your own.',
    ),
  ];
}
