import { EmbeddingError } from './embedder.ts';

/** Longer Retry-After values are capped: the endpoint may recover sooner. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** Maps an HTTP error response to an `EmbeddingError`. The body is not read: it may repeat texts and keys. */
export function errorFromResponse(response: Response, nowMs: number): EmbeddingError {
  const { status } = response;
  const summary = `The embeddings endpoint returned ${status}`;
  const retryAfterMs = retryAfter(response.headers.get('retry-after'), nowMs);
  if (status === 429)
    return new EmbeddingError('rate_limited', `${summary}: too many requests.`, {
      retryAfterMs,
      fix: 'Wait; Helmdeck slows down automatically.',
    });
  if (status === 408 || status === 504) return new EmbeddingError('timeout', `${summary}.`, { retryAfterMs });
  if (status >= 500)
    return new EmbeddingError('unreachable', `${summary}.`, {
      retryAfterMs,
      fix: 'Check the log of the endpoint.',
    });
  return new EmbeddingError('refused', ...refused(status, summary));
}

function refused(status: number, summary: string): [message: string, details: { fix: string }] {
  if (status >= 300 && status < 400)
    return [
      `${summary}: a redirect.`,
      { fix: 'Set HELMDECK_EMBEDDINGS_URL to its target, if you trust it.' },
    ];
  if (status === 401 || status === 403)
    return [`${summary}: it rejected the key.`, { fix: 'Check HELMDECK_EMBEDDINGS_API_KEY.' }];
  if (status === 404 || status === 405)
    return [
      `${summary}: no such path or model.`,
      {
        fix: 'Check that HELMDECK_EMBEDDINGS_URL ends in /v1 and that the endpoint has HELMDECK_EMBEDDINGS_MODEL.',
      },
    ];
  return [`${summary}.`, { fix: 'Check HELMDECK_EMBEDDINGS_MODEL and the log of the endpoint.' }];
}

/** The Retry-After header as a duration: it is a number of seconds or a date. */
function retryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const waitMs = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), MAX_RETRY_AFTER_MS);
}
