import { EmbeddingError, unitVector } from './embedder.ts';

// Reads the response of an OpenAI-compatible embeddings endpoint.

const rubbish = (what: string) =>
  new EmbeddingError('rubbish', `The embeddings endpoint returned ${what}.`, {
    fix: 'Check that HELMDECK_EMBEDDINGS_URL is the base of an OpenAI-compatible API and that the model makes embeddings.',
  });

/** The unit vectors of a response to `count` texts, in the order of the texts. */
export function readEmbeddings(body: string, count: number): Float32Array[] {
  const items = itemsOf(body);
  if (items.length !== count) throw rubbish(`${items.length} vectors for ${count} texts`);
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  for (const [position, item] of items.entries()) {
    const { index = position, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown };
    if (!isPosition(index, count) || vectors[index]) throw rubbish('vectors with a wrong or repeated index');
    const vector = Array.isArray(embedding) ? unitVector(embedding) : undefined;
    if (!vector) throw rubbish('something that is not a vector of numbers');
    vectors[index] = vector;
  }
  const dimensions = vectors[0]?.length;
  if (vectors.some((vector) => vector!.length !== dimensions))
    throw rubbish('vectors of different dimensions');
  return vectors as Float32Array[];
}

function itemsOf(body: string): unknown[] {
  let response: unknown;
  try {
    response = JSON.parse(body);
  } catch {
    throw rubbish('something that is not JSON');
  }
  const data = (response as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) throw rubbish('JSON without vectors');
  return data;
}

const isPosition = (index: unknown, count: number): index is number =>
  Number.isInteger(index) && (index as number) >= 0 && (index as number) < count;

/** Reads a response body up to a limit. */
export async function readBody(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    // Throwing out of the loop cancels the stream, which closes the connection.
    if (bytes > maxBytes) throw rubbish(`more than ${Math.round(maxBytes / 1_048_576)} MiB`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
