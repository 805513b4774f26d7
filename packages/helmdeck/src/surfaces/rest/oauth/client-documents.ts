import { AppError } from '../../../errors.ts';
import type { RegisteredClient } from '../../../memory/oauth/registered-clients.ts';
import type { EgressPolicy } from '../../../packs/egress/egress-policy.ts';
import { exchange } from '../../../packs/egress/http-exchange.ts';
import { type Resolve, systemResolve } from '../../../packs/egress/system-resolve.ts';
import { BoundedMap } from '../../../runtime/bounded-map.ts';
import { clientMetadata } from './client-metadata.ts';

/** Reads client id metadata documents: the id of such an application is the URL of a document that describes it. */
export interface ClientDocuments {
  /** Throws `invalid_client` if there is no document, or it is not one of this application. */
  read(clientId: string): Promise<RegisteredClient>;
}

const LIMITS = Object.freeze({ maxBytes: 5_120, timeoutMs: 5_000, maxUrlChars: 2_048 });
const MAX_CACHED = 200;
const MIN_CACHE_MS = 60_000;
const MAX_CACHE_MS = 86_400_000;
const DEFAULT_CACHE_MS = 3_600_000;

const RULES = 'The document must be public, at most 5 kB of JSON, and name its own URL as client_id.';
const UNREACHABLE =
  'If this server cannot reach the internet, set HELMDECK_OAUTH_CLIENT_DOCUMENTS=off: applications then register instead.';

export interface ClientDocumentOptions {
  policy: EgressPolicy;
  userAgent: string;
  now: () => number;
  resolve?: Resolve;
}

export function createClientDocuments(options: ClientDocumentOptions): ClientDocuments {
  const cached = new BoundedMap<string, { metadata: RegisteredClient; expiresMs: number }>(MAX_CACHED);
  return {
    async read(clientId) {
      const known = cached.get(clientId);
      if (known && options.now() < known.expiresMs) return known.metadata;
      const { metadata, cacheMs } = await fetchDocument(clientId, options);
      cached.set(clientId, { metadata, expiresMs: options.now() + cacheMs });
      return metadata;
    },
  };
}

/** Whether a client id is the URL of a document, and not one that this server gave out. */
export const isDocumentUrl = (clientId: string) => /^https?:/i.test(clientId);

async function fetchDocument(clientId: string, { policy, userAgent, resolve }: ClientDocumentOptions) {
  const url = documentUrl(clientId, policy);
  let body: Uint8Array;
  let cacheControl = '';
  try {
    policy.assertUrl(url);
    // Redirects are not followed: the document must be at its own URL.
    const response = await exchange(
      { url, method: 'GET', headers: { accept: 'application/json', 'user-agent': userAgent } },
      {
        resolve: resolve ?? systemResolve,
        assertAddress: policy.assertAddress,
        maxBytes: LIMITS.maxBytes,
        signal: AbortSignal.timeout(LIMITS.timeoutMs),
      },
    );
    if (response.status !== 200) throw unreadable(`it answered with status ${response.status}`);
    if (response.truncated) throw unreadable(`it is larger than ${LIMITS.maxBytes} bytes`);
    body = response.body;
    cacheControl = response.headers['cache-control'] ?? '';
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'invalid_client') throw thrown;
    // One answer for every failure: it must not tell which addresses inside the network exist.
    throw unreadable('it could not be fetched', thrown, UNREACHABLE);
  }
  const document = parsed(body);
  if (document.client_id !== clientId) throw unreadable('its client_id is not its own URL');
  const { error, metadata } = clientMetadata(document);
  if (error !== undefined) throw unreadable(error);
  return { metadata, cacheMs: cacheTimeMs(cacheControl) };
}

function documentUrl(clientId: string, policy: EgressPolicy): URL {
  const isUrl = clientId.length <= LIMITS.maxUrlChars && URL.canParse(clientId);
  const url = isUrl ? new URL(clientId) : undefined;
  // The URL is compared as text, so it must be written as everyone writes it.
  if (!url || url.href !== clientId || url.pathname === '/' || clientId.includes('#') || url.username !== '')
    throw new AppError('invalid_client', 'The client id is not the URL of a client metadata document.');
  if (url.protocol !== 'https:' && !policy.isListed(url))
    throw new AppError('invalid_client', 'A client metadata document must be at an https URL.');
  return url;
}

function parsed(body: Uint8Array): Record<string, unknown> {
  try {
    const document: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (typeof document === 'object' && document !== null) return document as Record<string, unknown>;
  } catch {
    // Answered below.
  }
  throw unreadable('it is not a JSON object');
}

function unreadable(why: string, cause?: unknown, hint = RULES): AppError {
  return new AppError('invalid_client', `The client metadata document cannot be used: ${why}.`, {
    hint,
    cause,
  });
}

function cacheTimeMs(cacheControl: string): number {
  if (/\bno-(store|cache)\b/i.test(cacheControl)) return MIN_CACHE_MS;
  const seconds = /\bmax-age=(\d{1,9})\b/i.exec(cacheControl)?.[1];
  if (seconds === undefined) return DEFAULT_CACHE_MS;
  return Math.min(MAX_CACHE_MS, Math.max(MIN_CACHE_MS, Number(seconds) * 1000));
}
