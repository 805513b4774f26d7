import { EmbeddingError } from './embedder.ts';

/** However long an endpoint wants to be left alone, somebody may have repaired it by then. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** What an answer without vectors means. Its body is not read: it may repeat texts and keys. */
export function refusalOf(response: Response, nowMs: number): EmbeddingError {
  const { status } = response;
  const say = `The embeddings endpoint answered ${status}`;
  const retryAfterMs = retryAfter(response.headers.get('retry-after'), nowMs);
  if (status === 429)
    return new EmbeddingError('rate_limited', `${say}: it is asked too often.`, {
      retryAfterMs,
      fix: 'Wait; Helmdeck slows down by itself.',
    });
  if (status === 408 || status === 504) return new EmbeddingError('timeout', `${say}.`, { retryAfterMs });
  if (status >= 500)
    return new EmbeddingError('unreachable', `${say}.`, {
      retryAfterMs,
      fix: 'Look into the log of the endpoint.',
    });
  return new EmbeddingError('refused', ...refused(status, say));
}

function refused(status: number, say: string): [message: string, details: { fix: string }] {
  if (status >= 300 && status < 400)
    return [
      `${say}: a redirect.`,
      { fix: 'Set HELMDECK_EMBEDDINGS_URL to where it leads, if you trust that.' },
    ];
  if (status === 401 || status === 403)
    return [`${say}: it does not accept the key.`, { fix: 'Check HELMDECK_EMBEDDINGS_API_KEY.' }];
  if (status === 404 || status === 405)
    return [
      `${say}: there is no such address or model.`,
      {
        fix: 'Check that HELMDECK_EMBEDDINGS_URL ends in /v1 and that the endpoint has HELMDECK_EMBEDDINGS_MODEL.',
      },
    ];
  return [`${say}.`, { fix: 'Check HELMDECK_EMBEDDINGS_MODEL; look into the log of the endpoint.' }];
}

/** The header as a duration: it is a number of seconds or a date. */
function retryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const waitMs = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), MAX_RETRY_AFTER_MS);
}
