import type { PackFetch, PackFetchAnswer, PackFetchInit } from '../../engine/pack/pack-services.ts';
import { AppError } from '../../errors.ts';
import {
  type FilledText,
  fillPlaceholders,
  type OutgoingText,
  placeholdersIn,
} from '../../vault/placeholders.ts';
import { createScrubber } from '../../vault/scrub.ts';
import type { Secret } from '../../vault/vault.ts';
import { deny, type EgressPolicy } from './egress-policy.ts';
import { type Exchange, exchange, type Reply } from './http-exchange.ts';
import { checkedHeaders, headersForStranger, shownHeaders } from './outgoing-headers.ts';
import { type Resolve, systemResolve } from './system-resolve.ts';

export const FETCH_LIMITS = Object.freeze({
  maxBytes: 16 * 1024 * 1024,
  timeoutMs: 30_000,
  maxRedirects: 5,
  maxUrlChars: 8_192,
});

export interface GuardedFetchOptions {
  policy: EgressPolicy;
  /** The caller's secret of this name, as far as it may be used here. */
  secret?(name: string): Promise<Secret | undefined>;
  /** An origin that the operator configured: it is not guarded. Redirects to others are. */
  trustedOrigin?: string;
  userAgent: string;
  resolve?: Resolve;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const REDIRECTS = [301, 302, 303, 307, 308];

/** The way out for packs: see `EgressPolicy` for where it leads, and the vault's placeholders for what it fills in. */
export function createGuardedFetch(options: GuardedFetchOptions): PackFetch {
  return async (url, init = {}) => {
    const method = checkedMethod(init.method ?? 'GET');
    const asked = parseUrl(url);
    assertReachable(asked, options); // before the vault is opened for it
    const text: OutgoingText = { url, headers: checkedHeaders(init.headers ?? {}), body: init.body };
    const filled = fillPlaceholders(text, await secretsFor(text, options));
    assertSafeToSend(asked, filled, options);
    const scrubber = createScrubber(filled.secrets);
    const timeout = AbortSignal.timeout(
      Math.min(init.timeoutMs ?? FETCH_LIMITS.timeoutMs, FETCH_LIMITS.timeoutMs),
    );
    const signal = init.signal ? AbortSignal.any([timeout, init.signal]) : timeout;
    const first: Exchange = {
      url: parseUrl(filled.url),
      method,
      headers: { 'user-agent': options.userAgent, accept: '*/*', ...checkedFilled(filled.headers) },
      body: filled.body,
    };
    const { secretHeaders, secretBody } = filled;
    try {
      const reply = await follow(first, { secretHeaders, secretBody }, { ...options, init, signal });
      return scrubbed(reply, scrubber);
    } catch (thrown) {
      throw asFetchProblem(thrown, timeout.aborted);
    }
  };
}

interface Secrecy {
  secretHeaders: ReadonlySet<string>;
  secretBody: boolean;
}

async function follow(
  first: Exchange,
  secrecy: Secrecy,
  options: GuardedFetchOptions & { init: PackFetchInit; signal: AbortSignal },
): Promise<Reply> {
  const maxBytes = Math.min(options.init.maxBytes ?? FETCH_LIMITS.maxBytes, FETCH_LIMITS.maxBytes);
  let hop = first;
  for (let redirects = 0; ; redirects++) {
    const reply = await exchange(hop, {
      resolve: options.resolve ?? systemResolve,
      assertAddress: isTrusted(hop.url, options) ? () => {} : options.policy.assertAddress,
      maxBytes,
      signal: options.signal,
    });
    const { location } = reply.headers;
    if (!REDIRECTS.includes(reply.status) || location === undefined) return reply;
    if (redirects === FETCH_LIMITS.maxRedirects) {
      throw new AppError(
        'handler_failed',
        `The server redirects more than ${FETCH_LIMITS.maxRedirects} times.`,
        {
          reason: 'too_many_redirects',
        },
      );
    }
    hop = redirected(hop, reply.status, location, secrecy);
    assertReachable(hop.url, options);
  }
}

function redirected(hop: Exchange, status: number, location: string, secrecy: Secrecy): Exchange {
  if (!URL.canParse(location, hop.url.href))
    throw new AppError('handler_failed', 'The server redirects to nowhere.');
  const url = new URL(location, hop.url);
  const becomesGet = status === 303 ? hop.method !== 'HEAD' : status <= 302 && hop.method === 'POST';
  const { 'content-type': _, ...withoutType } = hop.headers;
  const next = becomesGet ? { url, method: 'GET', headers: withoutType } : { ...hop, url };
  if (url.origin === hop.url.origin) return next;
  if (next.body !== undefined && secrecy.secretBody)
    deny('The server redirects to another site, which the secret in the body is not meant for.');
  return { ...next, headers: headersForStranger(next.headers, secrecy.secretHeaders) };
}

const isTrusted = (url: URL, { trustedOrigin }: GuardedFetchOptions) =>
  trustedOrigin !== undefined && url.origin === trustedOrigin;

function assertReachable(url: URL, options: GuardedFetchOptions): void {
  if (!isTrusted(url, options)) options.policy.assertUrl(url);
}

async function secretsFor(text: OutgoingText, { secret }: GuardedFetchOptions): Promise<Map<string, Secret>> {
  const found = new Map<string, Secret>();
  for (const name of placeholdersIn(text)) {
    const kept = await secret?.(name);
    if (kept) found.set(name, kept);
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

/** A secret must not be readable on its way, nor come back in halves that are not recognised. */
function assertSafeToSend(url: URL, { headers, secrets }: FilledText, options: GuardedFetchOptions): void {
  if (secrets.length === 0) return;
  if (url.protocol !== 'https:' && !isTrusted(url, options) && !options.policy.isListed(url))
    throw new AppError('credential_invalid', 'A secret is sent over https only.', {
      reason: 'not_encrypted',
      hint: 'Use https; for a host inside, the operator can list it in HELMDECK_EGRESS_ALLOWLIST.',
    });
  if (!('range' in headers)) return;
  throw new AppError('invalid_input', 'A request with a secret cannot ask for a part of the answer.', {
    reason: 'bad_header',
    hint: 'Leave the header range out.',
  });
}

/** Headers were checked before they were filled; a secret can still hold what no header may. */
function checkedFilled(headers: Readonly<Record<string, string>>): Record<string, string> {
  try {
    return checkedHeaders(headers);
  } catch (thrown) {
    throw new AppError('credential_invalid', 'A secret cannot be sent in a header as it is.', {
      reason: 'unusable',
      cause: thrown,
    });
  }
}

function scrubbed(reply: Reply, scrubber: ReturnType<typeof createScrubber>): PackFetchAnswer {
  const headers = Object.entries(shownHeaders(reply.headers)).map(([name, value]) => [
    name,
    scrubber.text(value),
  ]);
  return {
    status: reply.status,
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: scrubber.bytes(reply.body, reply.truncated),
    truncated: reply.truncated,
  };
}

/** Errors of Node name hosts and addresses; only their code goes out. */
function asFetchProblem(thrown: unknown, timedOut: boolean): unknown {
  if (thrown instanceof AppError) return thrown;
  if (timedOut) return new AppError('timeout', 'The server took too long.', { reason: 'fetch_timeout' });
  if ((thrown as Error).name === 'AbortError') return thrown;
  const code = String((thrown as NodeJS.ErrnoException).code ?? '');
  const shown = /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? ` (${code})` : '';
  return new AppError('handler_failed', `The server could not be reached or broke off${shown}.`, {
    reason: 'network',
    hint: 'Check the address, and try again later.',
    cause: thrown,
  });
}
