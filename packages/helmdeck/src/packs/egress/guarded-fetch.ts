import type { PackFetch, PackFetchAnswer, PackFetchInit } from '../../engine/pack/pack-services.ts';
import { AppError } from '../../errors.ts';
import {
  type FilledText,
  fillPlaceholders,
  type OutgoingText,
  placeholderNames,
  placeholdersIn,
} from '../../vault/placeholders.ts';
import { createScrubber, type Scrubber, type SentSecret } from '../../vault/scrub.ts';
import type { Secret } from '../../vault/vault.ts';
import { deny, type EgressPolicy } from './egress-policy.ts';
import { type Exchange, exchange, type HttpResponse } from './http-exchange.ts';
import { checkedHeaders, crossOriginHeaders, visibleHeaders } from './outgoing-headers.ts';
import { type Resolve, systemResolve } from './system-resolve.ts';

export const FETCH_LIMITS = Object.freeze({
  maxBytes: 16 * 1024 * 1024,
  timeoutMs: 30_000,
  maxRedirects: 5,
  maxUrlChars: 8_192,
});

export interface GuardedFetchOptions {
  policy: EgressPolicy;
  /** The caller's secret of this name, if it may be sent. */
  secret?(name: string): Promise<Secret | undefined>;
  /** The caller's secrets that are bound to a host. An earlier request may have stored one there, so none is let through. */
  secretsBoundTo?(host: string): Promise<readonly SentSecret[]>;
  /** Values of the run that came from other runs: placeholders in them are text, never filled in. */
  foreignData?: readonly unknown[];
  /** An origin that the operator configured: requests to it are not guarded, redirects to others are. */
  trustedOrigin?: string;
  userAgent: string;
  resolve?: Resolve;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * Outgoing HTTP for packs: `EgressPolicy` decides which hosts it reaches, placeholders are replaced by secrets of the
 * vault, and secrets are scrubbed from the response.
 */
export function createGuardedFetch(options: GuardedFetchOptions): PackFetch {
  return async (url, init = {}) => {
    const method = checkedMethod(init.method ?? 'GET');
    const target = parseUrl(url);
    assertReachable(target, options); // before secrets are read
    const text: OutgoingText = { url, headers: checkedHeaders(init.headers ?? {}), body: init.body };
    const literal = new Set(placeholderNames(JSON.stringify(options.foreignData ?? [])));
    const filled = fillPlaceholders(text, await secretsFor(text, literal, options), literal);
    assertSafeToSend(target, filled, options);
    const timeout = AbortSignal.timeout(
      Math.min(init.timeoutMs ?? FETCH_LIMITS.timeoutMs, FETCH_LIMITS.timeoutMs),
    );
    const signal = init.signal ? AbortSignal.any([timeout, init.signal]) : timeout;
    const first: Exchange = {
      url: parseUrl(filled.url),
      method,
      headers: { 'user-agent': options.userAgent, accept: '*/*', ...checkedFilledHeaders(filled.headers) },
      body: filled.body,
    };
    const { secretHeaders, secretBody } = filled;
    try {
      const places = { secrets: filled.secrets, secretHeaders, secretBody };
      const { response, bound } = await follow(first, places, { ...options, init, signal });
      return await scrubbed(response, createScrubber([...filled.secrets, ...bound]));
    } catch (thrown) {
      throw toFetchError(thrown, timeout.aborted);
    }
  };
}

/** The parts of a request that contain a secret. */
interface SecretPlaces {
  secrets: readonly SentSecret[];
  secretHeaders: ReadonlySet<string>;
  secretBody: boolean;
}

/** Sends a request and follows redirects; each hop is checked like the first request. Returns the secrets bound to any of the hosts. */
async function follow(
  first: Exchange,
  secretPlaces: SecretPlaces,
  options: GuardedFetchOptions & { init: PackFetchInit; signal: AbortSignal },
): Promise<{ response: HttpResponse; bound: readonly SentSecret[] }> {
  const maxBytes = Math.min(options.init.maxBytes ?? FETCH_LIMITS.maxBytes, FETCH_LIMITS.maxBytes);
  let hop = first;
  const bound: SentSecret[] = [];
  for (let redirects = 0; ; redirects++) {
    const own = (await options.secretsBoundTo?.(hop.url.hostname)) ?? [];
    if (own.length > 0) assertNoRange(hop.headers);
    bound.push(...own);
    const response = await exchange(hop, {
      resolve: options.resolve ?? systemResolve,
      assertAddress: isTrusted(hop.url, options) ? () => {} : options.policy.assertAddress,
      maxBytes,
      signal: options.signal,
    });
    const { location } = response.headers;
    if (!REDIRECTS.includes(response.status) || location === undefined) return { response, bound };
    if (redirects === FETCH_LIMITS.maxRedirects) {
      throw new AppError(
        'handler_failed',
        `The server redirects more than ${FETCH_LIMITS.maxRedirects} times.`,
        {
          reason: 'too_many_redirects',
        },
      );
    }
    const next = redirected(hop, response.status, location, secretPlaces);
    if (next.url.origin !== hop.url.origin)
      await assertNoSecret(next.url, [...secretPlaces.secrets, ...bound]);
    hop = next;
    assertReachable(hop.url, options);
  }
}

/** A server can put what it was sent into the address that it redirects to. */
async function assertNoSecret(url: URL, secrets: readonly SentSecret[]): Promise<void> {
  const scrubber = createScrubber(secrets);
  const texts = [url.href, decodedOrEmpty(url.href)];
  for (const text of texts)
    if ((await scrubber.text(text)) !== text)
      deny('The server redirects to another origin, with a secret in the address.');
}

function decodedOrEmpty(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function redirected(
  hop: Exchange,
  status: number,
  location: string,
  { secretBody, secretHeaders }: SecretPlaces,
): Exchange {
  if (!URL.canParse(location, hop.url.href))
    throw new AppError('handler_failed', 'The server redirects to an invalid URL.');
  const url = new URL(location, hop.url);
  const becomesGet = status === 303 ? hop.method !== 'HEAD' : status <= 302 && hop.method === 'POST';
  const { 'content-type': _, ...withoutType } = hop.headers;
  const next = becomesGet ? { url, method: 'GET', headers: withoutType } : { ...hop, url };
  if (url.origin === hop.url.origin) return next;
  if (next.body !== undefined && secretBody)
    deny('The server redirects to another origin, and the body contains a secret.');
  return { ...next, headers: crossOriginHeaders(next.headers, secretHeaders) };
}

const isTrusted = (url: URL, { trustedOrigin }: GuardedFetchOptions) =>
  trustedOrigin !== undefined && url.origin === trustedOrigin;

function assertReachable(url: URL, options: GuardedFetchOptions): void {
  if (!isTrusted(url, options)) options.policy.assertUrl(url);
}

async function secretsFor(
  text: OutgoingText,
  literal: ReadonlySet<string>,
  { secret }: GuardedFetchOptions,
): Promise<Map<string, Secret>> {
  const found = new Map<string, Secret>();
  for (const name of placeholdersIn(text, literal)) {
    const value = await secret?.(name);
    if (value) found.set(name, value);
  }
  return found;
}

function parseUrl(text: string): URL {
  if (typeof text !== 'string' || text.length > FETCH_LIMITS.maxUrlChars || !URL.canParse(text))
    throw new AppError('invalid_input', 'url is not a URL.', { reason: 'bad_url' });
  return new URL(text);
}

function checkedMethod(method: string): string {
  const upper = method.toUpperCase();
  if (METHODS.includes(upper)) return upper;
  throw new AppError('invalid_input', `method must be one of ${METHODS.join(', ')}.`, {
    reason: 'bad_method',
  });
}

/** A secret must be encrypted in transit, and a partial response could contain half of it, which no scrubber finds. */
function assertSafeToSend(url: URL, { headers, secrets }: FilledText, options: GuardedFetchOptions): void {
  if (secrets.length === 0) return;
  if (url.protocol !== 'https:' && !isTrusted(url, options) && !options.policy.isListed(url))
    throw new AppError('credential_invalid', 'A secret can only be sent over https.', {
      reason: 'not_encrypted',
      hint: 'Use https; the operator can list an internal host in HELMDECK_EGRESS_ALLOWLIST.',
    });
  assertNoRange(headers);
}

function assertNoRange(headers: Readonly<Record<string, string>>): void {
  if (!('range' in headers)) return;
  throw new AppError('invalid_input', 'A request to a host that has a secret cannot have a range.', {
    reason: 'bad_header',
    hint: 'Omit the range header.',
  });
}

/** Checks headers again after they were filled in: a secret can contain characters that no header may. */
function checkedFilledHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  try {
    return checkedHeaders(headers);
  } catch (thrown) {
    throw new AppError(
      'credential_invalid',
      'A secret contains characters that cannot be sent in a header.',
      {
        reason: 'unusable',
        cause: thrown,
      },
    );
  }
}

async function scrubbed(response: HttpResponse, scrubber: Scrubber): Promise<PackFetchAnswer> {
  const clean: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) clean[name] = await scrubber.text(value);
  return {
    status: response.status,
    // Scrubbed before they are cut: half a secret would not be recognised.
    headers: visibleHeaders(clean),
    body: await scrubber.bytes(response.body, response.truncated),
    truncated: response.truncated,
  };
}

/** Node's errors contain hosts and addresses; only their code is shown. */
function toFetchError(thrown: unknown, timedOut: boolean): unknown {
  if (thrown instanceof AppError) return thrown;
  if (timedOut) return new AppError('timeout', 'The server took too long.', { reason: 'fetch_timeout' });
  if ((thrown as Error).name === 'AbortError') return thrown;
  const code = String((thrown as NodeJS.ErrnoException).code ?? '');
  const shown = /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? ` (${code})` : '';
  return new AppError(
    'handler_failed',
    `The server could not be reached, or closed the connection${shown}.`,
    {
      reason: 'network',
      hint: 'Check the address, and try again later.',
      cause: thrown,
    },
  );
}
